/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller of a frame, by a row of unwind tables. */
#include "outside/unwind/unwind_walk.h"

#include "outside/unwind/cfi.h"

/* Does a function restore register (i) before it returns? Between a call and
 * the prologue the link register still has the return address. */
static bool is_kept(const struct cpu *cpu, unsigned i)
{
    return (cpu->kept >> i & 1) != 0 || (cpu->has_link && i == cpu->back);
}

static bool evaluate(const struct walk *w, const struct cfi_rule *rule,
                     const uint64_t *cfa, uint64_t *out)
{
    const struct expression e = {.bytes = rule->expression,
                                 .registers = &w->r,
                                 .memory = w->memory,
                                 .first = cfa,
                                 .slide = w->in->slide};

    return expression_value(&e, out);
}

static bool find_cfa(const struct walk *w, const struct cfi_rule *rule,
                     uint64_t *cfa)
{
    if (rule->how == CFI_IS_EXPRESSION)
        return evaluate(w, rule, NULL, cfa);
    *cfa = w->r.value[rule->number] + (uint64_t)rule->offset;
    return unwind_known(&w->r, rule->number);
}

/*
 * Is register (i), saved at (at) below SP, still at that place? Either the
 * register was restored already, and the word may have been overwritten since;
 * or the word is in a red zone. Both give the same value as long as the word
 * was not overwritten.
 */
static bool find_given_back(const struct walk *w, unsigned i, uint64_t at,
                            uint64_t *out)
{
    if (!unwind_known(&w->r, i))
        return false;
    if (i == w->cpu->fp && w->has_code && w->code.at.fp == FP_CALLER) {
        *out = w->r.value[i];
        return true;
    }
    return guest_memory_number(w->memory, at, WORD, out) &&
           *out == w->r.value[i];
}

/* The value of register (i) in the caller, by (row). Returns false if it is not
 * known. */
static bool find_register(const struct walk *w, const struct cfi_row *row,
                          unsigned i, uint64_t cfa, uint64_t *out)
{
    const struct cfi_rule *rule = &row->rules[i];
    uint64_t at = cfa + (uint64_t)rule->offset;

    switch (rule->how) {
    case CFI_UNDEFINED:
        return false;
    case CFI_UNTOLD:
        *out = i == w->cpu->sp ? cfa : w->r.value[i];
        return i == w->cpu->sp ||
               (is_kept(w->cpu, i) && unwind_known(&w->r, i));
    case CFI_SAME:
        *out = w->r.value[i];
        return unwind_known(&w->r, i);
    case CFI_OTHER:
        *out = w->r.value[rule->number] + (uint64_t)rule->offset;
        return unwind_known(&w->r, rule->number);
    case CFI_AT:
        return at < w->r.value[w->cpu->sp] && i != w->cpu->back &&
                       !row->is_signal
                   ? find_given_back(w, i, at, out)
                   : guest_memory_number(w->memory, at, WORD, out);
    case CFI_IS:
        *out = at;
        return true;
    case CFI_AT_EXPRESSION:
        return evaluate(w, rule, &cfa, &at) &&
               guest_memory_number(w->memory, at, WORD, out);
    case CFI_IS_EXPRESSION:
        return evaluate(w, rule, &cfa, out);
    }
    return false;
}

/* Set the caller's PC from (row). Where a call leaves the return address in a
 * register, the caller's value of this register is not known. */
static void find_pc(const struct walk *w, const struct cfi_row *row,
                    struct caller *out)
{
    const struct cpu *cpu = w->cpu;

    if (!cpu->has_link || !unwind_known(&out->r, cpu->back))
        return;
    set(&out->r, cpu->pc, cpu->strip(out->r.value[cpu->back]));
    if (!row->is_signal)
        out->r.known &= ~((uint64_t)1 << cpu->back);
}

outcome by_tables(const struct walk *w, const struct cfi_row *row,
                  struct caller *out)
{
    uint64_t cfa, value;

    const struct cpu *cpu = w->cpu;

    *out = (struct caller){.r.count = w->r.count, .is_exact = row->is_signal};
    if (row->rules[cpu->back].how == CFI_UNDEFINED)
        return UNWIND_WHOLE;
    if (!find_cfa(w, &row->cfa, &cfa))
        return UNWIND_UNTOLD;
    for (unsigned i = 0; i < w->r.count; i++) {
        if (find_register(w, row, i, cfa, &value))
            set(&out->r, i, value);
    }
    find_pc(w, row, out);
    if (!unwind_known(&out->r, cpu->pc) || !unwind_known(&out->r, cpu->sp))
        return row->rules[cpu->back].how == CFI_AT ? UNWIND_UNREAD
                                                   : UNWIND_UNTOLD;
    return UNWIND_FULL;
}

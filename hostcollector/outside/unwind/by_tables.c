/* SPDX-License-Identifier: BSD-2-Clause */
/* The caller of a frame, by a row of unwind tables. */
#include "outside/unwind/unwind_walk.h"

#include "outside/unwind/cfi.h"

/* Registers that a function restores before it returns (System V ABI). */
#define KEPT_BY_CALLS                                                          \
    (1u << CFI_RBX | 1u << CFI_RBP | 1u << CFI_R12 | 1u << (CFI_R12 + 1) |     \
     1u << (CFI_R12 + 2) | 1u << CFI_R15)

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
 * Is register (i), saved at (at) below RSP, still at that place? Either the
 * register was restored already, and the word may have been overwritten since;
 * or the word is in a red zone. Both give the same value as long as the word
 * was not overwritten.
 */
static bool find_given_back(const struct walk *w, unsigned i, uint64_t at,
                            uint64_t *out)
{
    if (!unwind_known(&w->r, i))
        return false;
    if (i == CFI_RBP && w->has_code && w->code.at.rbp == RBP_CALLER) {
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
        *out = i == CFI_RSP ? cfa : w->r.value[i];
        return i == CFI_RSP ||
               ((KEPT_BY_CALLS >> i & 1) != 0 && unwind_known(&w->r, i));
    case CFI_SAME:
        *out = w->r.value[i];
        return unwind_known(&w->r, i);
    case CFI_OTHER:
        *out = w->r.value[rule->number] + (uint64_t)rule->offset;
        return unwind_known(&w->r, rule->number);
    case CFI_AT:
        return at < w->r.value[CFI_RSP] && i != CFI_PC && !row->is_signal
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

outcome by_tables(const struct walk *w, const struct cfi_row *row,
                  struct caller *out)
{
    uint64_t cfa, value;

    *out = (struct caller){.is_exact = row->is_signal};
    if (row->rules[CFI_PC].how == CFI_UNDEFINED)
        return UNWIND_WHOLE;
    if (!find_cfa(w, &row->cfa, &cfa))
        return UNWIND_UNTOLD;
    for (unsigned i = 0; i < CFI_REGISTERS; i++) {
        if (find_register(w, row, i, cfa, &value))
            set(&out->r, i, value);
    }
    if (!unwind_known(&out->r, CFI_PC) || !unwind_known(&out->r, CFI_RSP))
        return row->rules[CFI_PC].how == CFI_AT ? UNWIND_UNREAD : UNWIND_UNTOLD;
    return UNWIND_FULL;
}

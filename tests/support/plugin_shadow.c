/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns the shadow stacks and their counts; see plugin_shadow.h. */
#include "plugin_shadow.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 8192

struct shadow_stack {
    struct shadow_stack *next;
    uint64_t times;
    enum shadow_state state;
    char text[]; /* outermost;...;innermost */
};

static const char *const state_name[] = {
    [SHADOW_BARE] = "bare",
    [SHADOW_PUSHED] = "pushed",
    [SHADOW_READY] = "ready",
    [SHADOW_GONE] = "gone",
};

void shadow_call(struct shadow *s, uint64_t back)
{
    if (s->depth + 1 == SHADOW_DEPTH) {
        s->unmatched++;
        return;
    }
    s->depth++;
    s->frame[s->depth].back = back;
    s->frame[s->depth].state = SHADOW_BARE;
}

void shadow_return(struct shadow *s)
{
    if (s->depth == 0)
        s->unmatched++;
    else
        s->depth--;
}

void shadow_set_state(struct shadow *s, enum shadow_state state)
{
    struct shadow_frame *f = &s->frame[s->depth];

    /* a second `mov %rsp, %rbp` is no prologue */
    if (state != SHADOW_READY || f->state == SHADOW_PUSHED)
        f->state = state;
}

static const char *name_of(const struct symbols *symbols, uint64_t address,
                           char number[32])
{
    if (!symbols) {
        snprintf(number, 32, "0x%llx", (unsigned long long)address);
        return number;
    }
    size_t i = symbols_at(symbols, address);
    return i < symbols->count ? symbols->function[i].name : "?";
}

static size_t add_name(char *text, size_t used, const struct symbols *symbols,
                       uint64_t address)
{
    char number[32];
    int n = snprintf(text + used, TEXT_MAX - used, "%s%s", used ? ";" : "",
                     name_of(symbols, address, number));

    return used + (size_t)n < TEXT_MAX ? used + (size_t)n : TEXT_MAX - 1;
}

void shadow_count(struct shadow *s, const struct symbols *symbols,
                  uint64_t address, uint64_t times)
{
    enum shadow_state state = s->frame[s->depth].state;
    struct shadow_stack **at = &s->seen;
    char text[TEXT_MAX];
    size_t used = 0;

    /* the call is the instruction before the return address */
    for (uint32_t i = 1; i <= s->depth; i++)
        used = add_name(text, used, symbols, s->frame[i].back - 1);
    used = add_name(text, used, symbols, address);

    while (*at && ((*at)->state != state || strcmp((*at)->text, text) != 0))
        at = &(*at)->next;
    if (!*at) {
        *at = calloc(1, sizeof **at + used + 1);
        if (!*at)
            abort();
        (*at)->state = state;
        memcpy((*at)->text, text, used + 1);
    }
    (*at)->times += times;
}

void shadow_print(const struct shadow *s, unsigned core, FILE *out)
{
    for (const struct shadow_stack *at = s->seen; at; at = at->next)
        fprintf(out, "core %u stack %s %s %llu\n", core, state_name[at->state],
                at->text, (unsigned long long)at->times);
    if (s->unmatched)
        fprintf(out, "core %u unmatched %llu\n", core,
                (unsigned long long)s->unmatched);
}

void shadow_fini(struct shadow *s)
{
    while (s->seen) {
        struct shadow_stack *next = s->seen->next;

        free(s->seen);
        s->seen = next;
    }
}

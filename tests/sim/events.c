/* SPDX-License-Identifier: BSD-2-Clause */
/* The last events, in words. */
#include <inttypes.h>
#include <stdio.h>

#include "sim.h"

#define NOTES 256u

static struct {
    uint64_t time;
    uint32_t core;
    const char *words;
    uint64_t a, b, c;
} notes[NOTES];
static uint64_t count;

void note(const char *words, uint64_t a, uint64_t b, uint64_t c)
{
    uint32_t at = (uint32_t)(count++ % NOTES);

    notes[at].time = tprof_machine.now;
    notes[at].core = is_on_core() ? tprof_machine.core : UINT32_MAX;
    notes[at].words = words;
    notes[at].a = a;
    notes[at].b = b;
    notes[at].c = c;
}

/* How many of (words)'s figures there are does not matter to printf. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

void print_notes(void)
{
    uint64_t first = count > NOTES ? count - NOTES : 0;

    for (uint64_t i = first; i < count; i++) {
        uint32_t at = (uint32_t)(i % NOTES);

        printf("%14.6f ms  ", (double)notes[at].time / 1e6);
        if (notes[at].core == UINT32_MAX)
            printf("        ");
        else
            printf("core %" PRIu32 ": ", notes[at].core);
        printf(notes[at].words, notes[at].a, notes[at].b, notes[at].c);
        putchar('\n');
    }
}

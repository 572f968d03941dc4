/* SPDX-License-Identifier: BSD-2-Clause */
/* Callers found by unwind tables, laid out as a stack with frame pointers. */
#include "outside/sampler_parts.h"

#include <stdlib.h>

#include "outside/unwind/unwinder.h"

#define CALLERS_MAX 127u /* limit of an agent */

struct stopped_callers {
    struct unwinder *unwinder;
    enum unwind_mode mode;
    uint64_t back[CALLERS_MAX + 1]; /* return addresses; 0: in no code */
    uint64_t count;
};

struct stopped_callers *stopped_callers_new(const struct image *img,
                                            uint64_t slide,
                                            enum outside_unwind how)
{
    const struct unwind_image image = {img, slide};
    struct stopped_callers *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->mode = how == OUTSIDE_TABLES ? UNWIND_TABLES : UNWIND_AUTO;
    c->unwinder = unwinder_new(&image, 1);
    if (c->unwinder != NULL)
        return c;
    free(c);
    return NULL;
}

void stopped_callers_free(struct stopped_callers *c)
{
    if (c == NULL)
        return;
    unwinder_free(c->unwinder);
    free(c);
}

static size_t read_memory(void *context, uint64_t address, void *to,
                          size_t size)
{
    return outside_memory_read(context, address, to, size) ? size : 0;
}

void stopped_callers_find(struct stopped_callers *c,
                          const struct cpu_registers *r,
                          struct outside_memory *m)
{
    const struct guest_memory memory = {m, read_memory};
    enum unwind_end end;

    c->count = unwind_callers(c->unwinder, c->mode, r->general, r->pc, &memory,
                              c->back, CALLERS_MAX, &end);
    if (end != UNWIND_WHOLE)
        c->back[c->count++] = 0;
}

uint64_t stopped_callers_fp(const struct stopped_callers *c)
{
    return c->count != 0 ? STOPPED_CALLERS_FP : 0;
}

uint64_t stopped_callers_word(const struct stopped_callers *c, uint64_t address)
{
    uint64_t i = (address - STOPPED_CALLERS_FP) / 16;

    if (address < STOPPED_CALLERS_FP || i >= c->count)
        return 0;
    if (address % 16 != 0)
        return c->back[i];
    return i + 1 < c->count ? address + 16 : 0;
}

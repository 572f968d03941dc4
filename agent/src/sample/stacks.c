/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the table of stacks, and empties it. */
#include "sample/stacks.h"

#include "arch/arch.h"

#define FORGET_AT_ONCE 1024u /* slots: limits the longest interrupt */

int tprof_stacks_forget(struct tprof_stacks *s)
{
    uint64_t *at = s->slots + s->forgotten;
    uint64_t count = (uint64_t)s->mask + 1;

    if (count > FORGET_AT_ONCE)
        count = FORGET_AT_ONCE; /* both are powers of two */
    /* first, so that a core which is reset in here starts again */
    tprof_arch_zero(at, count * sizeof *at);
    s->forgotten = (s->forgotten + (uint32_t)count) & s->mask;
    s->epoch += s->forgotten == 0;
    return s->forgotten == 0;
}

int32_t tprof_stacks_search(const struct tprof_stacks *s, uint64_t name)
{
    uint32_t home = tprof_stacks_home(s, name);

    for (uint32_t i = 0; i < TPROF_STACKS_WINDOW; i++) {
        uint32_t id = (home + i) & s->mask;

        if (s->slots[id] == name)
            return (int32_t)id;
    }
    return -1;
}

uint32_t tprof_stacks_define(struct tprof_stacks *s, uint64_t name,
                             bool *is_new)
{
    uint32_t home = tprof_stacks_home(s, name);
    /* if all slots are taken: replace one */
    uint32_t free = (home + (uint32_t)(name >> 61)) & s->mask;

    *is_new = false;
    for (uint32_t i = TPROF_STACKS_WINDOW; i-- > 0;) {
        uint32_t id = (home + i) & s->mask;

        if (s->slots[id] == name)
            return id;
        if (s->slots[id] == 0)
            free = id; /* the last of these is the first from the home on */
    }
    *is_new = true;
    s->slots[free] = name;
    return free;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of one core that the host knows: a fixed table from the name of a
 * chain (unwind.h) to its id, which is its slot. The chains themselves went out
 * when they were defined and are not kept. Written and read by the core's tick
 * only.
 */
#ifndef TPROF_STACKS_H
#define TPROF_STACKS_H

#include <stdint.h>

#include "compiler.h"

#define TPROF_STACKS_WINDOW 8u /* slots in which a name may stand */

struct tprof_stacks {
    uint64_t *slots;    /* names; 0: free */
    uint32_t mask;      /* number of slots - 1 */
    uint32_t epoch;     /* how often all was forgotten */
    uint32_t forgotten; /* slots that are, on the way to all */
};

/* Makes (s), all 0, a table of no stacks, in (slots), all 0, (count) of them, a
 * power of two. */
static inline void tprof_stacks_init(struct tprof_stacks *s, uint64_t *slots,
                                     uint32_t count)
{
    s->slots = slots;
    s->mask = count - 1;
}

/* Forgets a part of them. Returns 1 when that was all: a new epoch; 0: to be
 * called again, and nothing else meanwhile. */
int tprof_stacks_forget(struct tprof_stacks *s);

/* Gives (name) a slot and returns its id; what was there is forgotten. */
uint32_t tprof_stacks_define(struct tprof_stacks *s, uint64_t name);

/* Takes a definition back that could not be written down. */
static inline void tprof_stacks_undefine(struct tprof_stacks *s, uint32_t id)
{
    s->slots[id] = 0;
}

/* The slot where the search for (name) begins. */
TPROF_HOT uint32_t tprof_stacks_home(const struct tprof_stacks *s,
                                     uint64_t name)
{
    return (uint32_t)(name >> 32) & s->mask;
}

/* The id of (name), or -1; called where it is not in its first slot. */
int32_t tprof_stacks_search(const struct tprof_stacks *s, uint64_t name);

/* The id of (name), or -1. */
TPROF_HOT int32_t tprof_stacks_find(const struct tprof_stacks *s, uint64_t name)
{
    uint32_t id = tprof_stacks_home(s, name);

    if (__builtin_expect(s->slots[id] == name, 1))
        return (int32_t)id;
    return tprof_stacks_search(s, name);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of one core that the host has: a fixed table from the name of a
 * chain (unwind.h) to its id, the number of its slot. The table has no chains,
 * because each chain was sent when its id was defined. Only the core's tick
 * reads and writes the table.
 */
#ifndef TPROF_STACKS_H
#define TPROF_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Slots in which a name may be, from its home on */
#define TPROF_STACKS_WINDOW 8u

struct tprof_stacks {
    uint64_t *slots;    /* names; 0: free */
    uint32_t mask;      /* number of slots - 1 */
    uint32_t epoch;     /* times that all names were forgotten */
    uint32_t forgotten; /* slots forgotten so far in a pass over all */
};

/* Makes (s), which is all 0, an empty table of (count) slots at (slots).
 * (count) is a power of two, and the slots are all 0. */
static inline void tprof_stacks_init(struct tprof_stacks *s, uint64_t *slots,
                                     uint32_t count)
{
    s->slots = slots;
    s->mask = count - 1;
}

/* Forgets a part of the names. Returns 1 if all are forgotten and a new epoch
 * begins. Returns 0 if it has to be called again before any other function. */
int tprof_stacks_forget(struct tprof_stacks *s);

/* Returns the id of (name). If the name has none (*is_new), gives it a slot,
 * and forgets the name that had the slot. */
uint32_t tprof_stacks_define(struct tprof_stacks *s, uint64_t name,
                             bool *is_new);

/* Frees slot (id): the chain could not be written. */
static inline void tprof_stacks_undefine(struct tprof_stacks *s, uint32_t id)
{
    s->slots[id] = 0;
}

/* Returns the slot at which the search for (name) begins. */
TPROF_HOT uint32_t tprof_stacks_home(const struct tprof_stacks *s,
                                     uint64_t name)
{
    return (uint32_t)(name >> 32) & s->mask;
}

/* Returns the id of (name), or -1. A name is almost always at its home. */
int32_t tprof_stacks_search(const struct tprof_stacks *s, uint64_t name);

#endif

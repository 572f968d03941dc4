/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps each different stack once and gives it a number. */
#ifndef TPROF_PROFILE_AGGREGATE_STACK_POOL_H
#define TPROF_PROFILE_AGGREGATE_STACK_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"
#include "util/budget.h"

struct stack_place; /* position and number of a stack's addresses */

/* Zero except (seed), a secret that keeps a guest from choosing stacks that
 * collide. */
struct stack_pool {
    uint64_t seed;
    uint64_t *addresses; /* for each stack its words, then its frames */
    size_t address_count, address_capacity;
    struct stack_place *places; /* by number */
    size_t count, capacity;
    struct budget_table table; /* of numbers */
};

/* Release what (p) holds. */
void stack_pool_fini(struct stack_pool *p);

/* Returns the number of (s), which is added if no equal stack is in the pool.
 * Returns STACK_OTHERS if (b) or memory does not allow a new stack. */
uint32_t stack_pool_add(struct stack_pool *p, const struct stack *s,
                        struct budget *b);

/* Returns the new address for (address), a return address of a stack of
 * (generation). */
typedef uint64_t stack_pool_mover(const void *context, uint32_t generation,
                                  uint64_t address);

/* If the generation of a stack is not 0, replace its addresses by those that
 * (move) returns, and set the generation to 0. Two stacks may become equal. */
void stack_pool_move(struct stack_pool *p, stack_pool_mover *move,
                     const void *context);

/* Returns stack (number). If there is no such stack, the result has no frames
 * and ends with WIRE_END_REASONS. The frames are valid until the next
 * stack_pool_add(). */
struct stack stack_pool_get(const struct stack_pool *p, uint32_t number);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight small computations whose branches depend on their data. Each does
 * (steps) steps of its work and goes on, at the next call, where it left off.
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

#define WORK_KINDS 8
#define WORK_SIZE  64 /* elements of each array; a power of two */

/* What one core works on; nothing of it is shared. */
struct work {
    uint32_t random;
    uint32_t result; /* depends on all that was computed */

    uint8_t bytes[WORK_SIZE]; /* hash, crc, parse */
    uint32_t hash, hash_at;
    uint32_t crc, crc_at;
    uint32_t number, digits, parse_at;

    uint32_t sorted[WORK_SIZE]; /* sort */
    uint32_t sort_at;

    uint32_t source[WORK_SIZE], copy[WORK_SIZE]; /* copy */
    uint32_t copy_at, copy_to;

    struct node {
        struct node *next;
        uint32_t value;
    } nodes[WORK_SIZE], *node; /* walk */

    uint32_t table[WORK_SIZE]; /* search, ascending */
    uint32_t wanted, low, high;

    uint32_t a, b; /* divide */
};

void work_init(struct work *w, uint32_t seed);

typedef void (*work_fn)(struct work *w, uint32_t steps);

void work_hash(struct work *w, uint32_t steps);
void work_sort(struct work *w, uint32_t steps);
void work_copy(struct work *w, uint32_t steps);
void work_walk(struct work *w, uint32_t steps);
void work_crc(struct work *w, uint32_t steps);
void work_search(struct work *w, uint32_t steps);
void work_parse(struct work *w, uint32_t steps);
void work_divide(struct work *w, uint32_t steps);

#endif

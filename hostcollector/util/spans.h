/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of addresses. Leaf. */
#ifndef TPROF_UTIL_SPANS_H
#define TPROF_UTIL_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct span {
    uint64_t low, high; /* from low to below high */
};

/* All zero is the empty set. */
struct spans {
    struct span *list;
    size_t count, room;
};

/* More than any program needs. Further spans are left out. */
#define SPANS_MAX ((size_t)1 << 22)

/* Add from (low) to below (high), nothing if that is empty. -1 if there is no
 * memory. */
int spans_add(struct spans *s, uint64_t low, uint64_t high);

/* Sort (s), and join spans that touch: (s) is settled then. */
void spans_settle(struct spans *s);

/* The first of (s), which is settled, that ends above (address); NULL if none
 * does. */
const struct span *spans_find(const struct spans *s, uint64_t address);

/* How many addresses are in both, which are settled. */
uint64_t spans_common(const struct spans *a, const struct spans *b);

/* How many of [low, high) are in (s), which is settled. */
uint64_t spans_within(const struct spans *s, uint64_t low, uint64_t high);

/* How many addresses are in (s), which is settled. */
uint64_t spans_size(const struct spans *s);

/* Release (s), which is empty then. */
void spans_fini(struct spans *s);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of addresses. Leaf. */
#ifndef TPROF_UTIL_SPANS_H
#define TPROF_UTIL_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct span {
    uint64_t low, high; /* from (low) to below (high) */
};

/* All zero is the empty set. */
struct spans {
    struct span *list;
    size_t count, room;
};

/* Limit of spans, more than any program needs. Further spans are ignored. */
#define SPANS_MAX ((size_t)1 << 22)

/* Add the range from (low) to below (high), or nothing if it is empty. -1 if
 * there is no memory. */
int spans_add(struct spans *s, uint64_t low, uint64_t high);

/* Settle (s): sort it, and join spans that touch. */
void spans_settle(struct spans *s);

/* Returns the first span of (s), which is settled, that ends above (address);
 * NULL if there is none. */
const struct span *spans_find(const struct spans *s, uint64_t address);

/* Returns the number of addresses that are in both sets, which are settled. */
uint64_t spans_common(const struct spans *a, const struct spans *b);

/* Returns the number of addresses of [low, high) that are in (s), which is
 * settled. */
uint64_t spans_within(const struct spans *s, uint64_t low, uint64_t high);

/* Number of addresses in (s), which is settled. */
uint64_t spans_size(const struct spans *s);

/* Release the memory of (s). (s) is empty then. */
void spans_fini(struct spans *s);

#endif

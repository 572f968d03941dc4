/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which are the smallest of many? What has no room in memory is folded away by
 * halves, the smallest first; so folding takes a small part of the time that
 * adding took.
 */
#ifndef TPROF_VIEW_SMALLEST_FIRST_H
#define TPROF_VIEW_SMALLEST_FIRST_H

#include <stddef.h>
#include <stdint.h>

/* Classes of times, each a sixteenth of a power of two wide: from 2^-32 ticks,
 * of which the first one has all that are less, to 2^96. */
#define SMALLEST_FIRST_CLASSES 2048u

/* Zeroed: of nothing yet. */
struct smallest_first {
    size_t counts[SMALLEST_FIRST_CLASSES];
};

/* Count something of (time), which is not negative. */
void smallest_first_count(struct smallest_first *f, double time);

/* The least time for which at most (most) of what was counted is left; and
 * forget all counts. */
double smallest_first_least(struct smallest_first *f, size_t most);

/* Room for (count) of (room) elements of (size) bytes at (array), which points
 * to the pointer to them: as vec_grow() gave it. The rest goes back. */
void smallest_first_shrink(void *array, size_t *room, size_t count,
                           size_t size);

#endif

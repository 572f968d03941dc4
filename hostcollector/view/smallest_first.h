/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the smallest elements of many. When memory is full, at least half of
 * the elements are folded at once, the smallest first. So folding takes a small
 * part of the time that adding took.
 */
#ifndef TPROF_VIEW_SMALLEST_FIRST_H
#define TPROF_VIEW_SMALLEST_FIRST_H

#include <stddef.h>
#include <stdint.h>

/*
 * Number of classes of times. A class is a sixteenth of a power of two wide.
 * Classes go from 2^-32 ticks to 2^96; the first class also has all smaller
 * times.
 */
#define SMALLEST_FIRST_CLASSES 2048u

/* Zeroed: empty. */
struct smallest_first {
    size_t counts[SMALLEST_FIRST_CLASSES];
};

/* Count an element with (time), which is not negative. */
void smallest_first_count(struct smallest_first *f, double time);

/* Returns the smallest time at which at most (most) of the counted elements are
 * kept. Resets all counts. */
double smallest_first_least(struct smallest_first *f, size_t most);

#endif

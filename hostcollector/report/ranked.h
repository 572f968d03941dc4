/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the rows of a table by one number each. */
#ifndef TPROF_REPORT_RANKED_H
#define TPROF_REPORT_RANKED_H

#include <stddef.h>
#include <stdint.h>

struct ranked {
    uint32_t index; /* index of the object that the row describes */
    double key;
};

/* Sort (n) elements by falling key; equal keys by index. */
void ranked_sort(struct ranked *list, size_t n);

#endif

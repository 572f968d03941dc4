/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of a table's rows, by one number each. */
#ifndef TPROF_REPORT_RANKED_H
#define TPROF_REPORT_RANKED_H

#include <stddef.h>
#include <stdint.h>

struct ranked {
    uint32_t index; /* of what the row is about */
    double key;
};

/* Sort (n) of them: those with larger keys first, equal ones by index. */
void ranked_sort(struct ranked *list, size_t n);

#endif

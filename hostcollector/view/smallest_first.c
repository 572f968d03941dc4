/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the smallest elements of many. */
#include "view/smallest_first.h"

#include <math.h>
#include <string.h>

#define CLASS_SHIFT 48u    /* leaves the exponent and four bits */
#define CLASS_FIRST 15856u /* of 2^-32: (1023 - 32) * 16 */

static size_t class_of(double time)
{
    uint64_t bits;

    memcpy(&bits, &time, sizeof bits);
    bits >>= CLASS_SHIFT;
    if (bits <= CLASS_FIRST)
        return 0;
    bits -= CLASS_FIRST;
    return bits < SMALLEST_FIRST_CLASSES ? (size_t)bits
                                         : SMALLEST_FIRST_CLASSES - 1;
}

static double lower_end(size_t class)
{
    uint64_t bits = (uint64_t)(class + CLASS_FIRST) << CLASS_SHIFT;
    double time;

    if (class == 0)
        return 0;
    if (class == SMALLEST_FIRST_CLASSES)
        return INFINITY;
    memcpy(&time, &bits, sizeof time);
    return time;
}

void smallest_first_count(struct smallest_first *f, double time)
{
    f->counts[class_of(time)]++;
}

double smallest_first_least(struct smallest_first *f, size_t most)
{
    size_t class = SMALLEST_FIRST_CLASSES, sum = 0;

    while (class > 0 && sum + f->counts[class - 1] <= most)
        sum += f->counts[--class];
    memset(f, 0, sizeof *f);
    return lower_end(class);
}

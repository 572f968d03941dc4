/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/request_percentile.h"

double request_percentile(const struct profile_request *k, double share)
{
    double all = 0, sum = 0;
    size_t i = 0;

    for (size_t b = 0; k->buckets != NULL && b < WIRE_REQUEST_BUCKETS; b++)
        all += (double)k->buckets[b];
    if (all <= 0)
        return -1;
    while (i + 1 < WIRE_REQUEST_BUCKETS &&
           (sum += (double)k->buckets[i]) < share * all)
        i++;
    double middle = ((double)request_bucket_start(i) +
                     (double)request_bucket_start(i + 1) - 1) /
                    2;

    return middle < (double)k->longest || k->longest == 0 ? middle
                                                          : (double)k->longest;
}

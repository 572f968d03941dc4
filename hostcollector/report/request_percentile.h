/* SPDX-License-Identifier: BSD-2-Clause */
/* Percentiles of the times of requests, for text and JSON. */
#ifndef TPROF_REPORT_REQUEST_PERCENTILE_H
#define TPROF_REPORT_REQUEST_PERCENTILE_H

#include "model/requests.h"

/* Returns the time, in ticks, below or at which the (share) of the requests of
 * (k) lie: the middle of a bucket, but never more than the longest time. -1 if
 * the times are not known. */
double request_percentile(const struct profile_request *k, double share);

#endif

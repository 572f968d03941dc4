/* SPDX-License-Identifier: BSD-2-Clause */
/* The names in a folder that is open. */
#ifndef TPROF_RECORDING_SPOOL_EACH_NAME_H
#define TPROF_RECORDING_SPOOL_EACH_NAME_H

#include "util/err.h"

/* Called for a file name. Returns 0; -1 with (e) filled, which ends
 * each_name(). */
typedef int (*take_name)(void *context, const char *name, struct err *e);

/* Call (take) with (context) for each name in the folder (fd), in no order.
 * Returns 0; -1 with (e) filled. */
int each_name(int fd, take_name take, void *context, struct err *e);

#endif

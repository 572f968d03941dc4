/* SPDX-License-Identifier: BSD-2-Clause */
/* The names in a folder that is open. */
#ifndef TPROF_SPOOL_EACH_NAME_H
#define TPROF_SPOOL_EACH_NAME_H

#include "util/err.h"

/* Call (take) with (context) and each name in the folder (fd), in no order,
 * until it returns other than 0: it has no memory. Returns 0; -1 with (e)
 * filled. */
int each_name(int fd, int (*take)(void *context, const char *name),
              void *context, struct err *e);

#endif

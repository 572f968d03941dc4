/* SPDX-License-Identifier: BSD-2-Clause */
/* How many files a command may have open. */
#ifndef TPROF_GUARD_FILE_LIMIT_H
#define TPROF_GUARD_FILE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

/* Have room for (guests): each is a connection, and a file where it is
 * (recorded). Returns 0; -1 with (e) filled, which says what to type. */
int file_limit_raise(size_t guests, bool recorded, struct err *e);

#endif

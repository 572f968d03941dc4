/* SPDX-License-Identifier: BSD-2-Clause */
/* The limit of open files of this process. */
#ifndef TPROF_GUARD_FILE_LIMIT_H
#define TPROF_GUARD_FILE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

/* Raise the limit for (guests) guests: each needs a connection, and one more
 * file if it is (recorded). Returns 0; -1 with (e) filled, which says what to
 * type. */
int file_limit_raise(size_t guests, bool recorded, struct err *e);

#endif

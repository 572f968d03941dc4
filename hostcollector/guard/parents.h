/* SPDX-License-Identifier: BSD-2-Clause */
/* Creates the folders above a file. */
#ifndef TPROF_GUARD_PARENTS_H
#define TPROF_GUARD_PARENTS_H

#include <sys/types.h>

/* Create the missing folders above the last name in (path), with (mode). (path)
 * must not be empty; it is modified during the call. Returns 0; -1 with errno
 * set. */
int parents_make(char *path, mode_t mode);

#endif

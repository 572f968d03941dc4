/* SPDX-License-Identifier: BSD-2-Clause */
/* The folders in which a path lies. */
#ifndef TPROF_GUARD_PARENTS_H
#define TPROF_GUARD_PARENTS_H

#include <sys/types.h>

/* Make the folders in which (path) lies, with (mode); (path), which is changed
 * meanwhile, is not empty. Returns 0; -1 with errno set. */
int parents_make(char *path, mode_t mode);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Where libdebuginfod keeps files. */
#ifndef TPROF_IMAGE_MATCH_CACHE_H
#define TPROF_IMAGE_MATCH_CACHE_H

#include "util/err.h"

/*
 * Find the folder as libdebuginfod does, by DEBUGINFOD_CACHE_PATH or else below
 * XDG_CACHE_HOME or HOME, and make it if it is not there. Its name without
 * links is in DEBUGINFOD_CACHE_PATH from here on.
 *
 * Returns 0; -1 with (e) filled, also if others may put files there: they would
 * be read as this user.
 */
int cache_find(struct err *e);

#endif

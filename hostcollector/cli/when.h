/* SPDX-License-Identifier: BSD-2-Clause */
/* A point in time, as a user types it. */
#ifndef TPROF_CLI_WHEN_H
#define TPROF_CLI_WHEN_H

#include <stdint.h>

#include "util/err.h"

/*
 * Read (text), the value of --(option), into (*ms), milliseconds since 1970.
 * (text) is a time before (now_ms) (-1h, -90m, -10s, -2d); local time
 * (2026-11-24T10:00, 2026-11-24T10:00:30), or UTC with a Z at the end; the
 * midnight before (now_ms) (today); or seconds since 1970 (@1700000000). A time
 * before 1970 becomes 0. Returns 0; -1 with (e) filled.
 */
int when_parse(const char *option, const char *text, uint64_t now_ms,
               uint64_t *ms, struct err *e);

#endif

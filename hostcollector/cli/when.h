/* SPDX-License-Identifier: BSD-2-Clause */
/* A moment, as a user types it. */
#ifndef TPROF_CLI_WHEN_H
#define TPROF_CLI_WHEN_H

#include <stdint.h>

#include "util/err.h"

/*
 * Read (text), the value of --(option), into (*ms), milliseconds since 1970:
 * before (now_ms) by so much (-1h, -90m, -10s, -2d), a moment of local time
 * (2026-11-24T10:00, 2026-11-24T10:00:30) or with a Z behind it of UTC, the
 * midnight before (now_ms) (today), or seconds since 1970 (@1700000000). What
 * would be before 1970 is 0. Returns 0; -1 with (e) filled.
 */
int when_parse(const char *option, const char *text, uint64_t now_ms,
               uint64_t *ms, struct err *e);

#endif

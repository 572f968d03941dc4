/* SPDX-License-Identifier: BSD-2-Clause */
/* Times, sizes and counts as users type them: a number with a unit; and points
 * in time. */
#ifndef TPROF_CLI_AMOUNT_H
#define TPROF_CLI_AMOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define AMOUNT_TIME_MAX 1e9 /* limit of options in seconds: 30 years */

/*
 * Read the (length) bytes at (text): a time in seconds ("500ms", "10s", "30m",
 * "12h", "7d"; without a unit seconds), a size in bytes ("64K", "500M", "1G",
 * "2T"), or a count ("997", "1k", "2M"). Returns the amount; below 0 if the
 * text is something else.
 */
double amount_read_time(const char *text, size_t length);
double amount_read_size(const char *text, size_t length);
double amount_read_count(const char *text, size_t length);

/*
 * Read (text), the value of --(option), into (*amount). amount_percent() reads
 * a percentage ("0.1"), the others read a time in seconds or a size as above.
 * Returns 0; -1 with (e) filled if (text) is something else, or is 0.
 */
int amount_percent(const char *option, const char *text, double *amount,
                   struct err *e);
int amount_time(const char *option, const char *text, double *amount,
                struct err *e);
int amount_size(const char *option, const char *text, uint64_t *amount,
                struct err *e);

/*
 * when.c: read (text), the value of --(option), into (*ms), milliseconds since
 * 1970. (text) is a time before (now_ms) (-1h, -90m, -10s, -2d); local time
 * (2026-11-24T10:00, 2026-11-24T10:00:30), or UTC with a Z at the end; the
 * midnight before (now_ms) (today); or seconds since 1970 (@1700000000). A time
 * before 1970 becomes 0. Returns 0; -1 with (e) filled.
 */
int when_parse(const char *option, const char *text, uint64_t now_ms,
               uint64_t *ms, struct err *e);

#endif

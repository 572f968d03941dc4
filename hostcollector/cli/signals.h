/* SPDX-License-Identifier: BSD-2-Clause */
/* Catches signals, and reopens standard descriptors that were closed. */
#ifndef TPROF_CLI_SIGNALS_H
#define TPROF_CLI_SIGNALS_H

#include <stdint.h>

#include "util/err.h"

/*
 * If standard input, output or error is closed, open /dev/null in its place.
 * Otherwise the next file or socket would get the descriptor's number. Writing
 * to the replacement is an error. Call this function before anything is opened
 * that stays open.
 * Returns 0; -1 with (e) filled.
 */
int signals_fill_standard(struct err *e);

/*
 * Call signals_fill_standard(), and catch SIGINT, SIGTERM and SIGHUP, unless
 * nohup ignores SIGHUP. The returned descriptor becomes readable when one of
 * them comes; signals_release() closes the descriptor. SIGPIPE and SIGXFSZ do
 * not end the process: write() fails instead.
 *
 * Returns -1 with (e) filled on failure.
 */
int signals_catch(struct err *e);

/* Make SIGHUP a request to read files anew: the returned descriptor becomes
 * readable, and the process goes on. Call this function before signals_catch().
 * Returns -1 with (e) filled on failure. */
int signals_reload(struct err *e);

/* Let these signals end the process from (until_ns) on, a time of clock_ns().
 * Before (until_ns), the signals do nothing. A signal that came earlier and was
 * not read counts as if it came now. (fd) may be -1. */
void signals_release(int fd, uint64_t until_ns);

#endif

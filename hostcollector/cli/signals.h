/* SPDX-License-Identifier: BSD-2-Clause */
/* What the world may do to a command: signals, and descriptors that are shut.
 */
#ifndef TPROF_CLI_SIGNALS_H
#define TPROF_CLI_SIGNALS_H

#include <stdint.h>

#include "util/err.h"

/*
 * Where standard input, output or error are closed, open /dev/null in their
 * place, so that no file and no socket is there by chance. Writing to it is an
 * error. Call it before anything is opened that stays open.
 *
 * Returns 0; -1 with (e) filled.
 */
int signals_fill_standard(struct err *e);

/*
 * signals_fill_standard(), and from here on SIGINT, SIGTERM and SIGHUP, unless
 * nohup had that ignored, are read from the returned descriptor, which
 * signals_release() closes. A pipe whose reader has left and a file that may
 * not grow end nobody: write() fails.
 *
 * Returns -1 with (e) filled if that fails.
 */
int signals_catch(struct err *e);

/* From here on SIGHUP asks to read files anew, and ends nobody: the returned
 * descriptor becomes readable. Call it before signals_catch(). -1 with (e)
 * filled. */
int signals_reload(struct err *e);

/* From (until_ns), a time of clock_ns(), on those signals end the process,
 * also one that has come and was not read. Before, they do nothing. (fd) may be
 * -1. */
void signals_release(int fd, uint64_t until_ns);

#endif

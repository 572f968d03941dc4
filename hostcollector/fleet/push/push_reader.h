/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that reads recordings for push. The process is confined like the
 * process of a report. It receives each recording as a descriptor, and writes
 * the parts of the parcel and the struct window into files without names.
 *
 * One process reads many recordings, one after another. Starting a process
 * takes as long as reading some windows, and the names found for one window
 * serve the next window.
 */
#ifndef TPROF_FLEET_PUSH_PUSH_READER_H
#define TPROF_FLEET_PUSH_PUSH_READER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "fleet/push/push_config.h"
#include "fleet/push/push_tell.h"
#include "fleet/push/receivers/receiver.h"
#include "util/err.h"

/* Zeroed except for the first three: no process. */
struct push_reader {
    const struct push_config *options;
    const struct receiver *receiver;
    struct push_tell *tell; /* notifies systemd while the process reads */
    pid_t child;            /* 0: no process */
    int socket;             /* to the process */
    bool helped;            /* the process has a helper that opens files */
};

/* Further results of push_reader_read(), beside enum exit_code. */
#define PUSH_READER_UNWRITTEN 100 /* a file could not be written */
#define PUSH_READER_KILLED    101 /* the process was killed; (e) says how */
#define PUSH_READER_FAILED    102 /* the process did not start; (e) says why */

/* Read the recording (path) into the parts of (p) and into (window). p->origin
 * gives the guest. Starts the process if there is none. */
int push_reader_read(struct push_reader *r, const struct parcel *p,
                     const char *path, FILE *window, struct err *e);

/* End the process. The next process has a new helper, and reads images again.
 */
void push_reader_end(struct push_reader *r);

#endif

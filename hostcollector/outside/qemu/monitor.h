/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's monitor by its own protocol (QMP): orders go out, one answer to each
 * comes back, a line of JSON each, and between them come events. What comes is
 * not trusted: a line has a limit, and so has the time that an answer takes.
 */
#ifndef TPROF_OUTSIDE_QEMU_MONITOR_H
#define TPROF_OUTSIDE_QEMU_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "util/err.h"

#define MONITOR_PASSED "tprof" /* QEMU's name of a descriptor that it got */

struct monitor {
    int fd;
    uint64_t orders;  /* sent so far: the last one's number */
    uint64_t answers; /* that came */
    bool stands;      /* the guest, as far as events have told */
    uint64_t resumes; /* events that told that the guest runs again */

    /* for monitor.c alone */
    char *bytes; /* that came and are not read yet, from (begin) on */
    size_t size, begin, end, searched;
};

/*
 * Send the first orders to the monitor behind the connected socket (fd): they
 * begin the conversation, and pass the descriptor (pass), which stays the
 * caller's, to QEMU; -1: no descriptor. Hears nothing, so it may be called
 * before the process is confined. Returns 0; -1 with (e) filled.
 */
int monitor_greet(int fd, int pass, struct err *e);

/*
 * Hear the greeting of the monitor behind (fd), which stays the caller's, and
 * the answers to monitor_greet(); (passed) says whether that passed a
 * descriptor. The caller releases (m) by monitor_fini() in any case. Returns 0;
 * -1 with (e) filled: it is no such monitor, or somebody else has it.
 */
int monitor_init(struct monitor *m, int fd, bool passed, struct err *e);
void monitor_fini(struct monitor *m);

/*
 * Send the order (name) with (arguments), a JSON object; NULL: without. Await
 * the answer. Returns what it brings, which the caller releases
 * (json_decref()); NULL with (e) filled, also when it is an error.
 */
json_t *monitor_ask(struct monitor *m, const char *name, const char *arguments,
                    struct err *e);

/* Read the events that are there already, and wait until (m->resumes) is at
 * least (resumes). Returns 0; -1 with (e) filled. */
int monitor_events(struct monitor *m, uint64_t resumes, struct err *e);

/* Send the last (orders), whole lines, and wait until QEMU has answered all:
 * it drops orders that it has not begun when their socket is closed. */
void monitor_finish(struct monitor *m, const char *orders);

#endif

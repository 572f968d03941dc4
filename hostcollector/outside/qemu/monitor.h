/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's monitor protocol (QMP). QEMU answers each order with one line of JSON,
 * and sends events in between. Input is not trusted: lines have a size limit,
 * and answers a time limit.
 */
#ifndef TPROF_OUTSIDE_QEMU_MONITOR_H
#define TPROF_OUTSIDE_QEMU_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "util/err.h"

/* name in QEMU of the descriptor that was passed */
#define MONITOR_PASSED "tprof"

struct monitor {
    int fd;
    /* number of orders sent, so also the last order's number */
    uint64_t orders;
    uint64_t answers; /* number of answers received */
    bool stands;      /* the guest is stopped, according to events */
    uint64_t resumes; /* events reporting that the guest runs again */

    /* for monitor.c only */
    char *bytes; /* received bytes, unread from (begin) on */
    size_t size, begin, end, searched;
};

/*
 * Send the first orders to the monitor behind the connected socket (fd). They
 * begin the conversation and pass the descriptor (pass), which stays the
 * caller's, to QEMU; -1: no descriptor. Nothing is read, so this may be called
 * before the process is confined. Returns 0; -1 with (e) filled.
 */
int monitor_greet(int fd, int pass, struct err *e);

/*
 * Read the greeting of the monitor behind (fd), which stays the caller's, and
 * the answers to monitor_greet(). (passed) tells whether monitor_greet() passed
 * a descriptor. Call monitor_fini() in any case. Returns 0; -1 with (e) filled:
 * (fd) is not such a monitor, or another program uses the monitor.
 */
int monitor_init(struct monitor *m, int fd, bool passed, struct err *e);
void monitor_fini(struct monitor *m);

/*
 * Send the order (name) with (arguments), a JSON object or NULL, and wait for
 * the answer. Returns the answer's result, to be released by json_decref();
 * NULL with (e) filled, also if QEMU answers with an error.
 */
json_t *monitor_ask(struct monitor *m, const char *name, const char *arguments,
                    struct err *e);

/* Read the events that have come, and wait until (m->resumes) is at least
 * (resumes). Returns 0; -1 with (e) filled. */
int monitor_events(struct monitor *m, uint64_t resumes, struct err *e);

/* Send the last (orders), whole lines, and wait until QEMU has answered all of
 * them. When a socket is closed, QEMU drops the orders that it has not
 * begun. */
void monitor_finish(struct monitor *m, const char *orders);

#endif

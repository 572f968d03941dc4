/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's monitor by its own protocol (QMP): orders go out, one answer to each
 * comes back, a line of JSON each, and between them come events. What comes is
 * not trusted: a line has a limit, and so has the time that an answer takes.
 */
#ifndef TPROF_OUTSIDE_MONITOR_H
#define TPROF_OUTSIDE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "util/err.h"

struct monitor {
    int fd;
    uint64_t orders;    /* sent so far: the last one's number */
    uint64_t answers;   /* that came */
    bool stands;        /* the guest, as far as events have told */
    bool has_run_again; /* after it stood: for who wants to know, to clear */

    /* for monitor.c alone */
    char *bytes; /* that came and are not read yet, from (begin) on */
    size_t size, begin, end, searched;
};

/*
 * Greet the monitor behind the connected socket (fd), which stays the caller's,
 * and who releases (m) by monitor_fini() in any case. Returns 0; -1 with (e)
 * filled: it is no such monitor, or somebody else has it.
 */
int monitor_init(struct monitor *m, int fd, struct err *e);
void monitor_fini(struct monitor *m);

/*
 * Send an order: the command (name) without arguments, or the line (text) for
 * the human monitor, as core (cpu_index). Answers come in the same order, so
 * several may be sent before the first one is awaited. Returns 0; -1 with (e)
 * filled.
 */
int monitor_order(struct monitor *m, const char *name, struct err *e);
int monitor_line(struct monitor *m, uint32_t cpu_index, const char *text,
                 struct err *e);

/* Await the next answer. Returns what it brings, which the caller releases
 * (json_decref()); NULL with (e) filled, also when it is an error. */
json_t *monitor_answer(struct monitor *m, struct err *e);

/* Both: the answer to (name). */
json_t *monitor_ask(struct monitor *m, const char *name, struct err *e);

/* Read the events that are there already. Returns 0; -1 with (e) filled. */
int monitor_events(struct monitor *m, struct err *e);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When collector push looks where: with --follow a watch says which recordings
 * are new, so that a push at rest reads no folder. Every 30 seconds it does
 * nevertheless, for what no watch has told; every 10 minutes it reads all
 * marks, too.
 */
#ifndef TPROF_FLEET_PUSH_PUSH_SCAN_H
#define TPROF_FLEET_PUSH_PUSH_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "fleet/push/queue.h"
#include "fleet/push/watch.h"

struct push_scan {
    const struct options *options;
    const char *tag;
    struct watch *watch;               /* NULL: there is none */
    const struct listing_names *heard; /* all that is new; NULL: look */
    bool told;                         /* the watch had something to say */
    uint64_t folders_ns, marks_ns;     /* when they were read; 0: never */
};

/* (o) and (tag) must outlive (l). */
void push_scan_begin(struct push_scan *l, const struct options *o,
                     const char *tag);
void push_scan_end(struct push_scan *l);

/* Put what waits into (q). Returns 0; -1 with (e) filled. */
int push_scan_collect(struct push_scan *l, struct queue *q, struct err *e);

/* How long there is nothing to look for, after what (q) has come to, if (*fd)
 * is not readable; that may be -1. */
uint64_t push_scan_ms(const struct push_scan *l, const struct queue *q,
                      int *fd);

/* After that time: what is to be done next? */
void push_scan_next(struct push_scan *l, const struct queue *q);

#endif

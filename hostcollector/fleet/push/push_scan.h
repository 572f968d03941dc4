/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides when collector push reads which folder. With --follow, a watch
 * reports new recordings, so that an idle push reads no folder. The watch may
 * miss files, so folders are read every 30 seconds nevertheless, and marks
 * every 10 minutes.
 */
#ifndef TPROF_FLEET_PUSH_PUSH_SCAN_H
#define TPROF_FLEET_PUSH_PUSH_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "fleet/push/listing.h"
#include "fleet/push/push_config.h"
#include "fleet/push/queue.h"

struct push_scan {
    const struct push_config *options;
    const char *tag;
    struct watch *watch; /* NULL: no watch */
    /* all new recordings since the last scan; NULL: read the folders */
    const struct listing_names *heard;
    bool told;                     /* the watch has reported something */
    uint64_t folders_ns, marks_ns; /* when they were last read; 0: never */
};

/* (o) and (tag) must outlive (l). */
void push_scan_begin(struct push_scan *l, const struct push_config *o,
                     const char *tag);
void push_scan_end(struct push_scan *l);

/* Put the waiting recordings into (q). Returns 0; -1 with (e) filled. */
int push_scan_collect(struct push_scan *l, struct queue *q, struct err *e);

/* Returns the milliseconds until push_scan_collect() may find more, given (q)
 * after the last round. The time ends earlier if (*fd) becomes readable, which
 * may be -1. */
uint64_t push_scan_ms(const struct push_scan *l, const struct queue *q,
                      int *fd);

/* Prepare the next push_scan_collect(), after the time of push_scan_ms(). */
void push_scan_next(struct push_scan *l, const struct queue *q);

#endif

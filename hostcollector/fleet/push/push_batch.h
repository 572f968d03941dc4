/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects windows that are sent in one request. A store that makes a file of
 * each request accepts thousands of windows a second this way, but only a few
 * dozen single ones.
 */
#ifndef TPROF_FLEET_PUSH_PUSH_BATCH_H
#define TPROF_FLEET_PUSH_PUSH_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/stores/window.h"
#include "fleet/push/queue.h"
#include "fleet/push/receivers/receiver.h"
#include "util/err.h"

#define BATCH_WINDOWS 256u
#define BATCH_BYTES   (8u << 20) /* compressed; a batch of this size is full */

struct batch_window {
    struct queue_item *item;
    uint64_t samples, lost;
    bool nameless;
    uint8_t id[WINDOW_ID];
};

/* Zeroed: empty. */
struct push_batch {
    struct batch_window windows[BATCH_WINDOWS];
    size_t count;
    /* the parcel of the only window; or parts with those of all windows,
     * joined */
    struct parcel parcel;
    bool joined;
};

/* Take over (p), made from (item), as the only window. */
void batch_set(struct push_batch *b, struct queue_item *item,
               const struct parcel *p);

/* Append the parts of (p), made from (item), to the parts of the batch. (p)
 * stays the caller's. Returns 0; -1 with (e) filled. */
int batch_join(struct push_batch *b, struct queue_item *item,
               const struct parcel *p, struct err *e);

/* Must the batch be sent before another window is added? */
bool batch_is_full(const struct push_batch *b);

/* Empty (b), and release what it holds. */
void batch_clear(struct push_batch *b);

#endif

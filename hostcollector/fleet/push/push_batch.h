/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows that go to a receiver in one request. A store that makes a file of
 * each request takes thousands of windows a second so, and a few dozen by
 * themselves.
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
#define BATCH_BYTES   (8u << 20) /* compressed: more is too much */

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
    struct parcel parcel; /* that of the only window, or parts of all of them,
                           * one behind the other */
    bool joined;
};

/* Take over (p), made of (item), as the only window. */
void batch_set(struct push_batch *b, struct queue_item *item,
               const struct parcel *p);

/* Put the parts of (p), made of (item), behind what is there; (p) stays the
 * caller's. Returns 0; -1 with (e) filled. */
int batch_join(struct push_batch *b, struct queue_item *item,
               const struct parcel *p, struct err *e);

/* Is it to be sent before another one is put there? */
bool batch_is_full(const struct push_batch *b);

/* Empty (b), and release what it holds. */
void batch_clear(struct push_batch *b);

#endif

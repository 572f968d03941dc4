/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings that wait to be handed on. The queue is a folder: each recording
 * in it waits for each receiver until a file beside it says otherwise, called
 * RECORDING.sent-TAG, where TAG stands for the receiver. Such a file is there
 * whole or not at all, and only after the receiver has answered: whoever is
 * killed in between sends once more, and nothing is lost.
 */
#ifndef TPROF_FLEET_PUSH_QUEUE_H
#define TPROF_FLEET_PUSH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/push/listing.h"
#include "fleet/push/merged_windows.h"
#include "util/err.h"

struct queue_item {
    char *path;
    uint64_t size;
    int64_t changed_ns; /* since 1970 */
    bool done;          /* it was marked, or counted as gone */
};

/* Zeroed: empty. */
struct queue {
    struct queue_item *items; /* the oldest first */
    size_t count, room;
    size_t open; /* recordings that are still written: they are no items */
    /* Marked before, where marks are read: sent; set aside. */
    size_t sent, aside;
    size_t gone; /* have waited, and were removed before they were marked */
    /* Files of several windows that are there, done or not. */
    struct merged_windows merged;
    int *held; /* folders, locked: nobody merges windows in them */
    size_t held_count, held_room;
};

enum queue_end {
    QUEUE_DELIVERED,
    QUEUE_REFUSED,    /* the receiver does not want it, and never will */
    QUEUE_UNREADABLE, /* no report can be made of it */
    QUEUE_EMPTY,      /* it has no samples */
};

/* Room for queue_tag(). */
#define QUEUE_TAG 17

/* What stands for the receiver (name), in (buf). Returns (buf). */
char *queue_tag(char buf[QUEUE_TAG], const char *name);

/*
 * Fill (q), which is emptied before, with those recordings of the (count) files
 * and folders at (from) that wait for the receiver (tag). A file waits again
 * when its contents have changed: that is seen if (marks) are read; else a mark
 * that is there is believed, and its recording not looked at. A mark without a
 * recording is removed then. A window of a spool that a file of several windows
 * has, too, does not wait: that one does. Until queue_release() no windows are
 * merged there. Returns 0; -1 with (e) filled.
 */
int queue_scan(struct queue *q, const char *const *from, size_t count,
               const char *tag, bool marks, struct err *e);

/* Likewise, but only with those of (changed) that wait; nothing does in (q). */
int queue_hear(struct queue *q, const char *const *from, size_t count,
               const char *tag, const struct listing_names *changed,
               struct err *e);

#define QUEUE_NO_ROOM 1 /* the disk is full: try again */

/* (item) does not wait for (tag) any more: (end) with so many (samples), of the
 * window (id). The disk need not have that at once: what a loss of power takes
 * is sent again, and the receiver has it already. Beside an item that is gone
 * no file is left. Returns 0; -1 or QUEUE_NO_ROOM with (e) filled. */
int queue_mark(struct queue_item *item, const char *tag, enum queue_end end,
               uint64_t samples, const char *id, struct err *e);

/* Is there no file (path) any more? A spool that is full removes its oldest. */
bool queue_is_gone(const char *path);

/* Add all items that are gone to (q->gone); queue_scan() does so, too. */
void queue_count_gone(struct queue *q);

/* How many items were neither marked nor counted as gone; (oldest_ns), if not
 * NULL, gets when the oldest of them was written, if there is one. */
size_t queue_waiting(const struct queue *q, int64_t *oldest_ns);

/* Windows may be merged again; items may be gone from now on. */
void queue_release(struct queue *q);

/* Release what (q) holds. */
void queue_fini(struct queue *q);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings that wait to be sent. The queue is a folder. Each recording in the
 * folder waits for each receiver until the recording has a mark of the
 * receiver: a file RECORDING.sent-TAG beside it, where TAG stands for the
 * receiver.
 *
 * A mark is written whole or not at all, and only after the receiver has
 * answered. So if push is killed before the mark is written, the recording is
 * sent once more and nothing is lost.
 */
#ifndef TPROF_FLEET_PUSH_QUEUE_H
#define TPROF_FLEET_PUSH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/push/listing.h"
#include "util/err.h"

/* merged_windows.c: merged files of a spool, and the windows that they hold, by
 * file names alone. */

struct merged_windows_file;

/* Zeroed: empty. */
struct merged_windows {
    struct merged_windows_file *files;
    size_t count, room;
};

/* Add (path) if it is a merged file. Returns 0; -1 if there is no memory. */
int merged_windows_note(struct merged_windows *s, const char *path);

/* Sort the files. Call it after the last merged_windows_note() and before
 * merged_windows_contain(). */
void merged_windows_sort(struct merged_windows *s);

/* Is the window (path) also in a merged file? Returns -1 if there is no
 * memory. */
int merged_windows_contain(const struct merged_windows *s, const char *path);

/* Empty (s): _clear() keeps the room, _fini() releases it. */
void merged_windows_clear(struct merged_windows *s);
void merged_windows_fini(struct merged_windows *s);

struct queue_item {
    char *path;
    uint64_t size;
    int64_t changed_ns; /* last change, since 1970 */
    bool done;          /* it was marked, or counted as gone */
};

/* Zeroed: empty. */
struct queue {
    struct queue_item *items; /* in order of time */
    size_t count, room;
    /* recordings that are still being written, which are not in (items) */
    size_t open;
    /* Counts of recordings with earlier marks, if marks are read: sent, and set
     * aside. */
    size_t sent, aside;
    size_t gone; /* recordings that were removed before they were marked */
    /* Merged files in the folders, waiting or not. */
    struct merged_windows merged;
    int *held; /* locks of the folders: no windows are merged meanwhile */
    size_t held_count, held_room;
};

enum queue_end {
    QUEUE_DELIVERED,
    QUEUE_REFUSED,    /* the receiver refuses the recording for good */
    QUEUE_UNREADABLE, /* no report can be made from the recording */
    QUEUE_EMPTY,      /* the recording has no samples */
};

/* Size for queue_tag(). */
#define QUEUE_TAG 17

/* Write the tag that stands for the receiver (name) into (buf). Returns
 * (buf). */
char *queue_tag(char buf[QUEUE_TAG], const char *name);

/*
 * Empty (q), and fill it with the recordings that wait for the receiver (tag),
 * of the (count) files and folders at (from).
 *
 * With (marks), compare each mark with its recording, queue the recording
 * again if it has changed, and remove marks without a recording. Without
 * (marks), trust every existing mark. Skip a window that is also in a merged
 * file; the merged file is queued instead. No windows are merged in the
 * folders until queue_release().
 *
 * Returns 0; -1 with (e) filled.
 */
int queue_scan(struct queue *q, const char *const *from, size_t count,
               const char *tag, bool marks, struct err *e);

/* Empty (q), and fill it with the recordings among (changed) that wait for
 * (tag). Returns 0; -1 with (e) filled. */
int queue_hear(struct queue *q, const char *const *from, size_t count,
               const char *tag, const struct listing_names *changed,
               struct err *e);

#define QUEUE_NO_ROOM 1 /* the disk is full: try again later */

/* Mark (item) as done for (tag): (end), with (samples) samples, of the window
 * (id). The mark need not survive a loss of power: the recording is then sent
 * again, and the receiver recognizes it. An item that is gone gets no mark.
 * Returns 0; -1 or QUEUE_NO_ROOM with (e) filled. */
int queue_mark(struct queue_item *item, const char *tag, enum queue_end end,
               uint64_t samples, const char *id, struct err *e);

/* Was the file (path) removed? A full spool removes its oldest files. */
bool queue_is_gone(const char *path);

/* Add the items that are gone to (q->gone), as queue_scan() does. */
void queue_count_gone(struct queue *q);

/* Returns the number of items that are neither marked nor counted as gone. If
 * there are such items, stores the time of the oldest in (*oldest_ns).
 * (oldest_ns) may be NULL. */
size_t queue_waiting(const struct queue *q, int64_t *oldest_ns);

/* Unlock the folders. From now on windows may be merged, and items may be
 * gone. */
void queue_release(struct queue *q);

/* Release what (q) holds. */
void queue_fini(struct queue *q);

#endif

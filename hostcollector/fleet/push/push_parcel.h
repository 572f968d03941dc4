/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a parcel for a receiver from a recording. Recordings are not trusted. A
 * confined process (fleet/push/push_reader.h) reads the recording and writes
 * files without names. The process that has the network
 * (fleet/push/receivers/http.h) sends these files. push itself reads no byte of
 * them, only a struct window, numbers and labels.
 */
#ifndef TPROF_FLEET_PUSH_PUSH_PARCEL_H
#define TPROF_FLEET_PUSH_PUSH_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/stores/window.h"
#include "fleet/push/push_config.h"
#include "fleet/push/push_reader.h"
#include "fleet/push/queue.h"
#include "fleet/push/receivers/receiver.h"
#include "util/err.h"

enum push_made {
    PUSH_MADE,
    PUSH_UNREADABLE,  /* the reading process has shown the reason */
    PUSH_OTHER_IMAGE, /* the recording waits for an image, which (e) names */
    PUSH_NO_IMAGE,    /* a file of --elf cannot be read; the reason was shown */
    PUSH_NO_SAMPLES,
    PUSH_GONE,    /* the recording does not exist any more */
    PUSH_KILLED,  /* the reading process was killed; (e) says how */
    PUSH_NO_ROOM, /* no room for the parts; (e) says where */
    PUSH_FAILED,  /* (e) says why */
};

/* Check that no --elf of (o) is a descriptor, since the helper that opens
 * files has none of push's descriptors. Returns 0; -1 with (e) filled. */
int push_parcel_check_names(const struct push_config *o, struct err *e);

/* Check that the files of --elf in (o) can be opened. Returns 0; -1 with (e)
 * filled. */
int push_parcel_check(const struct push_config *o, struct err *e);

/* Make (p) from the recording (path), by (r). p->origin gives the guest. Call
 * push_parcel_fini() in any case. */
enum push_made push_parcel_make(struct parcel *p, const char *path,
                                struct push_reader *r, struct err *e);
void push_parcel_fini(struct parcel *p);

/* The origin of a recording. (is) points into the struct, so do not copy the
 * struct: the copy would have the guest of the original. */
struct push_origin {
    /* origin of the recording last passed to push_origin_name() */
    struct origin is;
    char host[256], guest[256];
};

/* Set the host and the labels, which (o) gives for all recordings. (o) must
 * outlive (p). */
void push_origin_begin(struct push_origin *p, const struct push_config *o);

/* Set the guest to NAME for the recording (path), called NAME.tprof or
 * NAME.DIGITS.tprof. */
void push_origin_name(struct push_origin *p, const char *path);

/* push_batch.c: collects windows that are sent in one request. A store that
 * makes a file of each request accepts thousands of windows a second this way.
 * One by one, it accepts only a few dozen a second. */

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
    /* The parcel of the only window. After batch_join(), its parts have the
     * joined parts of all windows. */
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording -> a parcel for a receiver. Recordings are not trusted: a
 * separate process, confined as that of a report, reads the recording and
 * writes files without names. These go to the process that has the network
 * (fleet/push/receivers/http.h). push itself reads none of these bytes, only a
 * struct window, numbers and labels.
 */
#ifndef TPROF_FLEET_PUSH_PUSH_PARCEL_H
#define TPROF_FLEET_PUSH_PUSH_PARCEL_H

#include "fleet/push/push_config.h"
#include "fleet/push/push_tell.h"
#include "fleet/push/receivers/receiver.h"

enum push_made {
    PUSH_MADE,
    PUSH_UNREADABLE,  /* the reading process has shown the reason */
    PUSH_OTHER_IMAGE, /* the recording waits for an image; (e) says for which */
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

/*
 * Make (p) from the recording (path), for (r), with the options (o). p->origin
 * gives the guest. Meanwhile (t) notifies systemd. Call push_parcel_fini() in
 * any case.
 */
enum push_made push_parcel_make(struct parcel *p, const char *path,
                                const struct receiver *r,
                                const struct push_config *o,
                                struct push_tell *t, struct err *e);
void push_parcel_fini(struct parcel *p);

/* The origin. (is) points into the struct, so do not copy the struct: the copy
 * would have the guest of the original. */
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

#endif

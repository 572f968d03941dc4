/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording -> what a receiver gets. A recording may be anybody's: so a
 * process of its own, confined as that of a report, reads it, and writes into
 * files without names, which the process that has the network is handed
 * (fleet/push/receivers/http.h). push itself looks at none of these bytes; of
 * the recording it knows a struct window, numbers and labels.
 */
#ifndef TPROF_FLEET_PUSH_PUSH_PARCEL_H
#define TPROF_FLEET_PUSH_PUSH_PARCEL_H

#include "cli/options.h"
#include "fleet/push/push_tell.h"
#include "fleet/push/receivers/receiver.h"

enum push_made {
    PUSH_MADE,
    PUSH_UNREADABLE,  /* that process has said why */
    PUSH_OTHER_IMAGE, /* ... and (e) says what the recording waits for */
    PUSH_NO_IMAGE,    /* ... a file of --elf cannot be read */
    PUSH_NO_SAMPLES,
    PUSH_GONE,    /* there is no such file any more */
    PUSH_KILLED,  /* that process was; (e) says by what */
    PUSH_NO_ROOM, /* for what is made of it; (e) says where */
    PUSH_FAILED,  /* (e) says why */
};

/* Is no --elf of (o) a descriptor? The helper that opens them has none of
 * push's. Returns 0; -1 with (e) filled. */
int push_parcel_check_names(const struct options *o, struct err *e);

/* Can the files of --elf in (o) be opened? Returns 0; -1 with (e) filled. */
int push_parcel_check(const struct options *o, struct err *e);

/*
 * Make (p) of the recording (path), for (r), with the options (o). The guest is
 * what p->origin says; (t) hears that we live meanwhile. push_parcel_fini() in
 * any case.
 */
enum push_made push_parcel_make(struct parcel *p, const char *path,
                                const struct receiver *r,
                                const struct options *o, struct push_tell *t,
                                struct err *e);
void push_parcel_fini(struct parcel *p);

#endif

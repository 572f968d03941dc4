/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of guest_run.c: the source, and further images. */
#ifndef TPROF_SESSION_GUEST_RUN_PARTS_H
#define TPROF_SESSION_GUEST_RUN_PARTS_H

#include "session/guest_run.h"

/* Open the source that the options of (r) name. NULL with (e) filled. */
struct source *guest_source_open(struct guest_run *r, struct err *e);

/* Add remarks about the end of the data that was read. */
void guest_source_remark(struct guest_run *r);

/* Return the argument with which 'collector report' reads the samples of (r)
 * again; NULL if there is none. */
const char *guest_source_recording(const struct guest_run *r);

/* Add the images that the recording of (r) names, after those of --elf, once.
 * If there is no such image and no --elf, add the image that is found by the
 * build-id of (g). Missing images get remarks. */
void guest_files_find(struct guest_run *r, const struct guest *g);

#endif

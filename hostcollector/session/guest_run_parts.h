/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of guest_run.c: the source, further images, and the functions that
 * the user selects. */
#ifndef TPROF_SESSION_GUEST_RUN_PARTS_H
#define TPROF_SESSION_GUEST_RUN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/guest_run.h"

/* Open the source that the options of (r) name. NULL with (e) filled. */
struct source *guest_source_open(struct guest_run *r, struct err *e);

/* Add remarks about the end of the data that was read. */
void guest_source_remark(struct guest_run *r);

/* Return the argument with which 'collector report' reads (r) again; NULL if
 * there is none. */
const char *guest_source_recording(const struct guest_run *r);

/* Add the images that the recording of (r) names, after those of --elf, once.
 * Without such images and --elf, add the image that is found by the build-id of
 * (g). Missing images get remarks. */
void guest_files_find(struct guest_run *r, const struct guest *g);

/* Remove the samples of functions that --exclude names, before a view is made.
 * (memory) is as in view_new(). Returns 0; -1 if there is no memory. */
int guest_selection_exclude(struct guest_run *r, uint64_t memory);

/* Set (r->unfound), with a remark, if there are samples but no function has the
 * name in --function or --callers-of. */
void guest_selection_find(struct guest_run *r, const struct view *v);

/* Return true if the code of the kernel is available, and not only names. */
bool guest_selection_has_code(const struct guest_run *r);

#endif

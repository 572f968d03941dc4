/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds images of a run in addition to those of --elf. Part of guest_run. */
#ifndef TPROF_SESSION_GUEST_FILES_H
#define TPROF_SESSION_GUEST_FILES_H

#include "session/guest_run.h"

/* Add the images that the recording of (r) names, after those of --elf, once.
 * Without such images and --elf, add the image that is found by the build-id of
 * (g). Missing images get remarks. */
void guest_files_find(struct guest_run *r, const struct guest *g);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Enters the sandbox for sampling guests or reporting on a recording. */
#ifndef TPROF_CMD_CONFINE_H
#define TPROF_CMD_CONFINE_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "util/err.h"

/*
 * Enter the sandbox. Call it when everything is open that can be opened before.
 * Allowed are the folders of images, which may be rebuilt, those of recordings
 * and reports, and terminals. A report may read any file, since the recording
 * names the image.
 *
 * Returns 0; -1 with (e) filled as sandbox_enter() does.
 */
int confine_sampling(const struct options *o, const struct outputs *out,
                     struct err *e);

#endif

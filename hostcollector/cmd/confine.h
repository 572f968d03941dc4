/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session with guests, or a report on a recording, may still touch. */
#ifndef TPROF_CMD_CONFINE_H
#define TPROF_CMD_CONFINE_H

#include "cmd/options.h"
#include "cmd/output.h"
#include "util/err.h"

/*
 * Enter the sandbox, when all is open that can be: what stays allowed are the
 * folders of images, which may be built anew, of recordings and reports, and
 * terminals. A report may read any file, since its recording names the image.
 *
 * Returns 0; -1 with (e) filled as sandbox_enter() does.
 */
int confine_sampling(const struct options *o, const struct outputs *out,
                     struct err *e);

#endif

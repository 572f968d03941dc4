/* SPDX-License-Identifier: BSD-2-Clause */
/* The guests that collector serve is to attach to. */
#ifndef TPROF_FLEET_SERVE_SERVE_WANTED_H
#define TPROF_FLEET_SERVE_SERVE_WANTED_H

#include "fleet/serve/serve_config.h"
#include "fleet/windows/socket_folder.h"
#include "util/err.h"

/* Most guests at a time. */
#define SERVE_GUESTS 20000u

/* Is (spec), of the command line, a valid guest, or with --vsock FIRST..LAST a
 * valid range of guests? Returns 0; -1 with (e) filled. */
int serve_check(const struct guest_spec *spec, struct err *e);

/* Add to (now) the guests of the command line, of its file, and of the folder
 * (f), which may be NULL. Returns 0; -1 with (e) filled. */
int serve_wanted(const struct serve_config *o, struct socket_folder *f,
                 struct guests *now, struct err *e);

#endif

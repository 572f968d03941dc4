/* SPDX-License-Identifier: BSD-2-Clause */
/* Which guests collector serve is to attach to. */
#ifndef TPROF_FLEET_SERVE_SERVE_WANTED_H
#define TPROF_FLEET_SERVE_SERVE_WANTED_H

#include "cli/options.h"
#include "fleet/windows/socket_folder.h"
#include "util/err.h"

/* Guests at once, at most. */
#define SERVE_GUESTS 20000u

/* Can (spec), of the command line, be a guest, or with --vsock FIRST..LAST many
 * of them? Returns 0; -1 with (e) filled. */
int serve_check(const struct guest_spec *spec, struct err *e);

/* Add to (now) what the command line, its file and the folder (f), which may be
 * NULL, want now. Returns 0; -1 with (e) filled. */
int serve_wanted(const struct options *o, struct socket_folder *f,
                 struct guests *now, struct err *e);

#endif

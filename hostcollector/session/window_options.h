/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that select windows of a spool. */
#ifndef TPROF_SESSION_WINDOW_OPTIONS_H
#define TPROF_SESSION_WINDOW_OPTIONS_H

#include "cli/option_kinds.h"
#include "recording/spool/spool_list.h"
#include "util/err.h"

/* Zeroed: no spool. */
struct window_options {
    struct spool_pick pick;    /* (pick.folder) is NULL: none */
    const char *since, *until; /* as typed; NULL: not */
};

/* --spool, --guest, --since and --until */
extern const struct option_row window_rows[];

/* Read the times of (w), and check that (w), (build) of --build and the
 * recording (input) go together. The last two are NULL if they were not typed.
 * Returns 0; -1 with (e) filled. */
int window_options_plan(struct window_options *w, const char *build,
                        const char *input, struct err *e);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that select windows of a spool. */
#ifndef TPROF_SESSION_WINDOW_OPTIONS_H
#define TPROF_SESSION_WINDOW_OPTIONS_H

#include "cli/option_kinds.h"
#include "guest/source/source.h"
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

/* Room for window_options_text(): a folder, a guest, a build and two times. */
#define WINDOW_OPTIONS_TEXT 512

/* Write the options that select the windows of (list) and the build (build),
 * which is NULL for the first one, as typed in a shell. Returns (text); NULL if
 * there is no room, or if the folder's name needs quotes. */
const char *window_options_text(const struct spool_list *list,
                                const char *build,
                                char text[WINDOW_OPTIONS_TEXT]);

/* window_sides.c: windows to compare: before and after a moment, or of the last
 * two builds. */

/* Zeroed: no spool. */
struct window_sides {
    struct window_options options;
    const char *at; /* the moment, as typed; NULL: the last two builds */
    uint64_t at_ms;
    struct spool_list lists[2]; /* before and after */
    char builds[2][SOURCE_BUILD_ROOM];
    char labels[2][SPOOL_GUEST_MAX + 96]; /* "web, build 1234567890ab" */
};

/* Read (w->at). Returns 0; -1 with (e) filled. */
int window_sides_plan(struct window_sides *w, struct err *e);

/* List the windows of both sides. Returns 0; -1 with (e) filled. */
int window_sides_open(struct window_sides *w, struct err *e);

/* Find the build of each side, and write the labels. The process must be
 * confined. Returns 0; -1 with (e) filled. */
int window_sides_find_builds(struct window_sides *w, struct err *e);

/* Release what (w) holds. */
void window_sides_fini(struct window_sides *w);

#endif

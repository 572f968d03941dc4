/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a guest by track, for formats with a track for each thread. A
 * track is a thread with the samples of all cores on which the thread ran, or a
 * core with its samples that have no thread. The number of a track is that of
 * export_thread(). If the kernel reports no threads, each core is a track, and
 * its samples are read by export_rows_init() as for other formats.
 */
#ifndef TPROF_EXPORT_EXPORT_TRACKS_H
#define TPROF_EXPORT_EXPORT_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/export_rows.h"
#include "report/render.h"

struct export_tracks {
    const struct report *report;
    /* By track, then by time; samples without a time come last. NULL: the
     * kernel reports no threads. */
    struct export_row *rows;
    size_t row_count, row_room;
    size_t *ends; /* by track: the end of its rows */
    size_t count; /* of tracks */
};

/* Sort the samples of (r) into tracks: 32 bytes for each sample whose time was
 * kept. If there is no memory, (to->no_memory) is set, and there are no tracks.
 * Call export_tracks_fini() in either case. */
void export_tracks_init(struct export_tracks *t, struct render *to,
                        const struct report *r);
void export_tracks_fini(struct export_tracks *t);

/* Has (track) samples? */
bool export_tracks_has(const struct export_tracks *t, size_t track);

/* Prepare to read the rows of (track), as export_rows_init() does. */
void export_tracks_rows(struct export_rows *rows, struct render *to,
                        const struct export_tracks *t, size_t track);

/* Sort the rows of (track) by entry. From now on they have no time. */
void export_tracks_unorder(struct export_tracks *t, size_t track);

/* Returns the name of (track): of its thread, or of its core. */
const char *export_tracks_name(char buf[], const struct export_tracks *t,
                               size_t track);

#endif

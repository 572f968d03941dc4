/* SPDX-License-Identifier: BSD-2-Clause */
/* Which recordings have come or changed in folders, without looking. */
#ifndef TPROF_FLEET_PUSH_WATCH_H
#define TPROF_FLEET_PUSH_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "fleet/push/listing.h"

struct watch;

/* Watch the (count) files and folders at (paths), which must outlive it. NULL:
 * the system has no watch for us. */
struct watch *watch_open(const char *const *paths, size_t count);
void watch_close(struct watch *w);

/* Readable when something has changed; -1 if (w) is NULL. */
int watch_fd(const struct watch *w);

/*
 * Take what has changed since the last call: paths of recordings, in (*taken),
 * which lives until the next call. File systems of other machines may keep
 * theirs for themselves.
 *
 * Returns false if these are not all, so that one has to look.
 */
bool watch_take(struct watch *w, const struct listing_names **taken);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports new and changed recordings in folders, without reading the
 * folders. */
#ifndef TPROF_FLEET_PUSH_WATCH_H
#define TPROF_FLEET_PUSH_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "fleet/push/listing.h"

struct watch;

/* Watch the (count) files and folders at (paths), which must outlive the
 * watch. NULL if the system provides no watch. */
struct watch *watch_open(const char *const *paths, size_t count);
void watch_close(struct watch *w);

/* A descriptor that is readable when something has changed; -1 if (w) is
 * NULL. */
int watch_fd(const struct watch *w);

/*
 * Take the changes since the last call: paths of recordings in (*taken), valid
 * until the next call. Changes by other machines on a network file system may
 * be missing.
 *
 * Returns false if these are not all changes, so that the folders must be
 * read.
 */
bool watch_take(struct watch *w, const struct listing_names **taken);

#endif

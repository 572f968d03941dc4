/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks debuginfod servers for images, where the user names such servers in
 * DEBUGINFOD_URLS. A process that reads bytes of guests has no network: a
 * process beside it asks, which sees nothing of a guest but build-ids, and
 * hands over descriptors.
 */
#ifndef TPROF_IMAGE_MATCH_FETCH_H
#define TPROF_IMAGE_MATCH_FETCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

enum fetch_kind { FETCH_EXECUTABLE, FETCH_DEBUG };

/* Bytes of a build-id; no other one is asked for. */
#define FETCH_ID_MIN 8u
#define FETCH_ID_MAX 64u

/*
 * Start that process, if DEBUGINFOD_URLS names servers and none was started. It
 * calls (confine) with (limits) before it hears a server, and asks for nothing
 * if that returns -1, with (e) filled, or if its cache (cache.h) cannot be
 * used.
 *
 * As opener_fork() otherwise, but returns in the calling process alone.
 */
int fetch_start(int (*confine)(const void *limits, struct err *e),
                const void *limits, struct err *e);

/* Of another process that was started since: this one asks nothing. */
void fetch_leave(void);

/* The servers; NULL: none is asked. */
const char *fetch_urls(void);

/*
 * Ask for the file (kind) of the build whose id is the (len) bytes at (id).
 * Waits until it is there: DEBUGINFOD_TIMEOUT, or 10 s without progress, and
 * DEBUGINFOD_MAXTIME, or a minute in all, which is also the time for all files
 * that do not come: no server is asked any more then. It has at most
 * DEBUGINFOD_MAXSIZE bytes, or 2 GiB. Files are kept as libdebuginfod keeps
 * them, in DEBUGINFOD_CACHE_PATH. What comes is not checked.
 *
 * Returns a descriptor, and the file's name in (path); -1 with (e) filled.
 */
int fetch_file(enum fetch_kind kind, const uint8_t *id, size_t len,
               char path[PATH_MAX], struct err *e);

/* What libdebuginfod reads when it begins, it may not read any more when that
 * process is confined. */
void fetch_begin_debuginfod(void);

/* No file of that process grows beyond its limit from here on. Returns 0; -1
 * with (e) filled. */
int fetch_limit(struct err *e);

/* That process asks by libdebuginfod. (gone) tells whether nobody waits any
 * more. Returns as fetch_file(). */
int fetch_by_debuginfod(enum fetch_kind kind, const uint8_t *id, size_t len,
                        bool (*gone)(void), char path[PATH_MAX], struct err *e);

#endif

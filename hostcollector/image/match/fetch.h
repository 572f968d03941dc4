/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests images from the debuginfod servers in DEBUGINFOD_URLS. A process
 * that reads bytes of guests has no network. A second process sends the
 * requests: it receives only build-ids, and returns open files.
 */
#ifndef TPROF_IMAGE_MATCH_FETCH_H
#define TPROF_IMAGE_MATCH_FETCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

enum fetch_kind { FETCH_EXECUTABLE, FETCH_DEBUG };

/* Length of a build-id. Requests with another length are refused. */
#define FETCH_ID_MIN 8u
#define FETCH_ID_MAX 64u

/*
 * Start the second process, if DEBUGINFOD_URLS names servers and the process
 * does not run yet. The process calls (confine) with (limits) before it
 * contacts a server. If (confine) returns -1 with (e) filled, or if the cache
 * (cache.h) cannot be used, the process refuses all requests.
 *
 * Returns 0; -1 with (e) filled. Returns in the calling process only.
 */
int fetch_start(int (*confine)(const void *limits, struct err *e),
                const void *limits, struct err *e);

/* Close the socket to the second process. Call this in a process that was
 * forked later and that must make no requests. */
void fetch_leave(void);

/* The servers; NULL if there are none. */
const char *fetch_urls(void);

/*
 * Request the file (kind) of the build whose id is the (len) bytes at (id), and
 * wait for the file.
 *
 * A request ends after DEBUGINFOD_TIMEOUT, or 10 s, without progress, and after
 * DEBUGINFOD_MAXTIME, or one minute. If failed requests together have taken
 * that minute, no server is contacted any more. A file has at most
 * DEBUGINFOD_MAXSIZE bytes, or 2 GiB.
 *
 * libdebuginfod keeps files in DEBUGINFOD_CACHE_PATH. The file's contents are
 * not checked. Returns a descriptor, and the file's name in (path); -1 with (e)
 * filled.
 */
int fetch_file(enum fetch_kind kind, const uint8_t *id, size_t len,
               char path[PATH_MAX], struct err *e);

/* Let libdebuginfod read its configuration, before the process is confined. */
void fetch_begin_debuginfod(void);

/* Limit the size of each file that this process writes. Returns 0; -1 with (e)
 * filled. */
int fetch_limit(struct err *e);

/* Request a file through libdebuginfod, in the second process. (gone) returns
 * true when the requesting process has ended. Returns like fetch_file(). */
int fetch_by_debuginfod(enum fetch_kind kind, const uint8_t *id, size_t len,
                        bool (*gone)(void), char path[PATH_MAX], struct err *e);

#endif

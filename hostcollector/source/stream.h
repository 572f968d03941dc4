/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sources have in common that are a descriptor with a guest behind it: a
 * socket or a terminal, never waited for.
 */
#ifndef TPROF_SOURCE_STREAM_H
#define TPROF_SOURCE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "source/source.h"
#include "util/err.h"

/* As source_ops.read and source_ops.write, of (s->fd). A source that reconnects
 * has (s->fd) closed at its end. */
ssize_t stream_read(struct source *s, void *buf, size_t size,
                    uint64_t *arrival_ns, struct err *e);
ssize_t stream_write(struct source *s, const void *buf, size_t size,
                     struct err *e);

/*
 * Connect to the Unix socket (path), which is shorter than STREAM_PATH_MAX.
 * Returns its descriptor; -1 with errno set.
 */
int stream_connect_unix(const char *path);
#define STREAM_PATH_MAX 108u /* as sun_path has it, NUL included */

/* The errno of stream_connect_unix() says: nobody there yet, try again. */
bool stream_absent(int error);

/*
 * Read the decimal number at (text), all of it, digits only, at most (max).
 * Returns whether it is one, and which in (*n).
 */
bool stream_number(const char *text, uint32_t max, uint32_t *n);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies a file into memory when the file is opened. Later changes of the file
 * then have no effect. A mapped file would kill this process if another process
 * truncated the file, and could change between a check and its use. Only files
 * of this folder include this header. Copying 127 MB from the page cache takes
 * 0.08 s.
 */
#ifndef TPROF_IMAGE_FILE_FILE_H
#define TPROF_IMAGE_FILE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/spans.h"

struct file {
    uint8_t *bytes;
    uint64_t size;
    /* Offsets of the parts that are not holes. A small file may have holes of
     * many GiB. Holes take no memory, and cost time only when they are read. */
    struct spans held;
};

/*
 * Copy the file (path), which must be a regular file. Devices and pipes are not
 * opened. Returns 0; -1 with (e) filled. file_fini() may follow in both cases
 * if (f) was zero.
 */
int file_read(struct file *f, const char *path, struct err *e);

/* Release the copy. (f) may be all zero. */
void file_fini(struct file *f);

/* The bytes from (offset) up to the next hole, at most (size). NULL if [offset,
 * offset + size) is not within the file. */
const uint8_t *file_at(const struct file *f, uint64_t offset, uint64_t size,
                       uint64_t *until_hole);

struct image_hash;

/*
 * Compute "htlhash" into (hash): OpenTelemetry's identifier of files that have
 * no build-id. The hash covers the first 4096 bytes, the last 4096 bytes, and
 * the length. Returns false if the collector was built without libmd.
 */
bool file_hash(const struct file *f, struct image_hash *hash);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file, copied into memory when it is opened. What becomes of the file then
 * matters no more: a mapped file that is cut short kills the process, and one
 * that is overwritten changes under its reader, between a check and its use.
 * Only files of this folder include this header.
 *
 * The copy of 127 MB that are in the page cache takes 0.08 s.
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
    /* Offsets: what is not in a hole. A file of some KiB may have holes of many
     * GiB, which take neither memory nor time unless somebody reads them. */
    struct spans held;
};

/*
 * Copy the file (path), which must be a regular one; devices and pipes are not
 * even opened. Returns 0; -1 with (e) filled. file_fini() may follow in both
 * cases if (f) was zero.
 */
int file_read(struct file *f, const char *path, struct err *e);

/* Release the copy. (f) may be all zero. */
void file_fini(struct file *f);

/* The bytes from (offset) on up to the first hole, at most (size); NULL if
 * [offset, offset + size) does not lie in the file. */
const uint8_t *file_at(const struct file *f, uint64_t offset, uint64_t size,
                       uint64_t *until_hole);

struct image_hash;

/*
 * The hash by which OpenTelemetry tells files that have no build-id, "htlhash":
 * of the first and the last 4096 bytes, and the length. Into (hash). False
 * where the collector was built without libmd.
 */
bool file_hash(const struct file *f, struct image_hash *hash);

#endif

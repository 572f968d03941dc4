/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hash by which OpenTelemetry tells files that have no build-id, "htlhash":
 * of the first and the last 4096 bytes, and the length. Only files of this
 * folder include this header.
 */
#ifndef TPROF_IMAGE_FILE_FILE_HASH_H
#define TPROF_IMAGE_FILE_FILE_HASH_H

#include <stdbool.h>

#include "image/file/file.h"
#include "image/file/image.h"

/* The hash of (f) in (hash). False where the collector was built without libmd.
 */
bool file_hash(const struct file *f, struct image_hash *hash);

#endif

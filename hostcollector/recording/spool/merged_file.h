/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of windows -> the bytes of one file. */
#ifndef TPROF_RECORDING_SPOOL_MERGED_FILE_H
#define TPROF_RECORDING_SPOOL_MERGED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct merged_file;

/* NULL: no memory. */
struct merged_file *merged_file_new(void);

/* Release (f). NULL is allowed. */
void merged_file_free(struct merged_file *f);

enum merged_took {
    MERGED_TOOK,
    MERGED_OTHER,   /* another header: it goes into the next file */
    MERGED_UNUSABLE /* it stays as it is; nothing of it was taken */
};

/* Add the window in the file (fd), which its name says began at (start_ms). */
enum merged_took merged_file_add(struct merged_file *f, int fd,
                                 uint64_t start_ms);

/* The file's bytes, which the caller frees, and an empty (f). NULL with (e)
 * filled. */
uint8_t *merged_file_end(struct merged_file *f, size_t *size, struct err *e);

#endif

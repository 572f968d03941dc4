/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of single windows -> the bytes of one merged file. */
#ifndef TPROF_RECORDING_SPOOL_MERGED_FILE_H
#define TPROF_RECORDING_SPOOL_MERGED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct merged_file;

/* An empty file. NULL if there is no memory. */
struct merged_file *merged_file_new(void);

/* Release (f). NULL is allowed. */
void merged_file_free(struct merged_file *f);

enum merged_took {
    MERGED_TOOK,
    /* its header differs: the window belongs into the next file */
    MERGED_OTHER,
    MERGED_UNUSABLE /* it stays a file of its own; nothing was added */
};

/* Add the window in the file (fd), which began at (start_ms) by its file
 * name. */
enum merged_took merged_file_add(struct merged_file *f, int fd,
                                 uint64_t start_ms);

/* The bytes of the merged file, which the caller frees. Empties (f). NULL with
 * (e) filled on failure. */
uint8_t *merged_file_end(struct merged_file *f, size_t *size, struct err *e);

#endif

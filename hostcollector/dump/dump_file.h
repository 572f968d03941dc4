/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a dump file, flattened or not. A flattened file is a list of writes,
 * each with an offset, a size and bytes. Reading returns the bytes of the file
 * that these writes would make. QEMU before 8.1 writes every compressed dump
 * flattened. libkdumpfile can read this format from version 0.5.3 on (Debian 12
 * has 0.5.1).
 */
#ifndef TPROF_DUMP_DUMP_FILE_H
#define TPROF_DUMP_DUMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Greatest number of writes. With the 16 KiB of QEMU's writes, this is 64
 * GiB. */
#define DUMP_WRITES_MAX (4u << 20)

struct dump_write {
    uint64_t start, size; /* in the unflattened file */
    uint64_t at;          /* in the file */
};

struct dump_file {
    int fd;
    uint64_t size;  /* of the unflattened file, holes included */
    uint64_t there; /* bytes of (size) that the file contains */
    /* by rising (start), without overlap; NULL: the file is not flattened */
    struct dump_write *writes;
    size_t count, room;
    size_t last; /* the write that was used last */
};

/* Open the dump in (fd), a regular file, which stays the caller's. Returns 0;
 * -1 with (e) filled. Call dump_file_fini() in both cases. */
int dump_file_init(struct dump_file *f, int fd, struct err *e);

void dump_file_fini(struct dump_file *f);

/* Read the (size) bytes at (at). Returns false if a part of them is missing. */
bool dump_file_read(struct dump_file *f, uint64_t at, void *to, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a dump, as its writer meant them: those of the file, or of a
 * file in the flattened form, which is a list of writes: offset, size, bytes.
 * QEMU before 8.1 writes every compressed dump so, and libkdumpfile knows that
 * form from version 0.5.3 on (Debian 12 has 0.5.1).
 */
#ifndef TPROF_DUMP_DUMP_FILE_H
#define TPROF_DUMP_DUMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Of 16 KiB each, as QEMU has them, these are 64 GiB. */
#define DUMP_WRITES_MAX (4u << 20)

struct dump_write {
    uint64_t start, size; /* of what was meant */
    uint64_t at;          /* in the file */
};

struct dump_file {
    int fd;
    uint64_t size;             /* of what was meant, with holes */
    uint64_t there;            /* bytes of that which are in the file */
    struct dump_write *writes; /* by (start), none in another; NULL: as it is */
    size_t count, room;
    size_t last; /* the write that was read last */
};

/* Begin with (fd), a regular file, which stays the caller's. Returns 0; -1 with
 * (e) filled, and (f) needs dump_file_fini() all the same. */
int dump_file_init(struct dump_file *f, int fd, struct err *e);

void dump_file_fini(struct dump_file *f);

/* Read the (size) bytes at (at). False: not all of them are there. */
bool dump_file_read(struct dump_file *f, uint64_t at, void *to, size_t size);

#endif

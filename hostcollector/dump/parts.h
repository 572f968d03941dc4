/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of guest memory that a dump file contains. */
#ifndef TPROF_DUMP_PARTS_H
#define TPROF_DUMP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump_file.h"
#include "util/err.h"

#define DUMP_PARTS_MAX 4096u

struct dump_part {
    /* in the file, never beyond its end; in a compressed dump: a place for
     * dump_kdump_read() */
    uint64_t at, size;
    uint64_t physical;
    uint64_t virtual;
    bool has_virtual;
};

struct dump_parts {
    struct dump_part *list; /* to be released by free() */
    size_t count;
    uint64_t notes_at, notes_size; /* notes of a core; size 0: none */
    /* bytes of memory that are missing at the end of a core file */
    uint64_t cut;
};

/* Find the parts of memory in a file. dump_parts_elf() reads (f), which begins
 * like ELF: a core, or raw memory with an image at address 0. dump_parts_raw()
 * is for (size) bytes of raw memory from address 0 on. Both return 0; -1 with
 * (e) filled. */
int dump_parts_elf(struct dump_parts *p, struct dump_file *f, struct err *e);
int dump_parts_raw(struct dump_parts *p, uint64_t size, struct err *e);

#endif

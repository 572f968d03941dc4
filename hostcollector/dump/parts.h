/* SPDX-License-Identifier: BSD-2-Clause */
/* Which parts of a file are which parts of a guest's memory. */
#ifndef TPROF_DUMP_PARTS_H
#define TPROF_DUMP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump_file.h"
#include "util/err.h"

#define DUMP_PARTS_MAX 4096u

struct dump_part {
    uint64_t at, size; /* in the file, never beyond its end; of a compressed
                        * dump: in its pages (kdump.h) */
    uint64_t physical;
    uint64_t virtual;
    bool has_virtual;
};

struct dump_parts {
    struct dump_part *list; /* to be released by free() */
    size_t count;
    uint64_t notes_at, notes_size; /* of a core, in the file; size 0: none */
    uint64_t cut; /* bytes of a core's memory that the file ends before */
};

/* The parts of (f), which begins like ELF: of a core, or of
 * memory with an image at address 0; of (size) bytes that are memory from
 * address 0 on. Return 0; -1 with (e) filled. */
int dump_parts_elf(struct dump_parts *p, struct dump_file *f, struct err *e);
int dump_parts_raw(struct dump_parts *p, uint64_t size, struct err *e);

#endif

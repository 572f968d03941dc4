/* SPDX-License-Identifier: BSD-2-Clause */
/* State of an open ELF file, shared by elf.c, elf_sections.c and loading.c.
 * Only these three include this header. */
#ifndef TPROF_IMAGE_FILE_ELF_READER_H
#define TPROF_IMAGE_FILE_ELF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gelf.h>
#include <libelf.h>

#include "image/file/object.h"

/* Uncompressed sections. All zero: none. */
struct decompressed {
    struct unpacked_part *list;
    size_t count, room;
    uint64_t size; /* bytes of all parts */
    bool failed;   /* a section could not be uncompressed */
};

/* Release all parts of (u). */
void decompressed_fini(struct decompressed *u);

/* The type behind object.reader of an ELF file. */
struct elf_reader {
    Elf *elf;
    struct decompressed unpacked;
};

static inline Elf *elf_of(const struct object *o)
{
    const struct elf_reader *r = o->reader;

    return r->elf;
}

/* As object_ops.section and object_ops.packed. */
struct image_part elf_section(const struct object *o, const char *name);
bool elf_packed(const struct object *o);

/* As image_note() and image_find_named(), in loading.h. */
const uint8_t *elf_segment_note(const struct object *o, const char *owner,
                                uint32_t type, size_t *len);
bool elf_find_named(const struct object *o, const char *prefix, uint64_t low,
                    uint64_t high, uint64_t *address);

#endif

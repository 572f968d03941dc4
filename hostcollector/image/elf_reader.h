/* SPDX-License-Identifier: BSD-2-Clause */
/* What elf.c and elf_sections.c share of an ELF file; only these two include
 * this header. */
#ifndef TPROF_IMAGE_ELF_READER_H
#define TPROF_IMAGE_ELF_READER_H

#include <stdbool.h>

#include <gelf.h>
#include <libelf.h>

#include "image/object.h"
#include "image/unpack.h"

/* What object.reader points to. */
struct elf_reader {
    Elf *elf;
    struct unpacked unpacked;
};

static inline Elf *elf_of(const struct object *o)
{
    const struct elf_reader *r = o->reader;

    return r->elf;
}

/* As object_ops.section and object_ops.packed. */
struct image_part elf_section(const struct object *o, const char *name);
bool elf_packed(const struct object *o);

#endif

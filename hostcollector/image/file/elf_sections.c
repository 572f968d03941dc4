/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of an ELF file's sections, uncompressed. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "image/file/elf_reader.h"
#include "util/bytes.h"

#define ZDEBUG_HEAD 12u /* "ZLIB", and a big-endian size of 8 bytes */

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *sh)
{
    size_t names;
    Elf_Scn *scn = NULL;

    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        const char *found;

        if (gelf_getshdr(scn, sh) == NULL)
            continue;
        found = elf_strptr(elf, names, sh->sh_name);
        if (found != NULL && strcmp(found, name) == 0)
            return scn;
    }
    return NULL;
}

/* The bytes in the file of the section (sh), up to the first hole. */
static struct image_part raw(const struct object *o, const GElf_Shdr *sh)
{
    struct image_part part = {.address = sh->sh_addr};

    if (sh->sh_type != SHT_NOBITS)
        part.bytes = file_at(&o->file, sh->sh_offset, sh->sh_size, &part.size);
    return part.size != 0 ? part : (struct image_part){0};
}

/* What (head) bytes into (part) is compressed, and (size) bytes without. */
static struct image_part inflate(const struct object *o,
                                 const struct image_part *part, size_t head,
                                 uint32_t method, uint64_t size)
{
    struct elf_reader *r = o->reader;
    struct packed p = {method, size, part->bytes + head, part->size - head};
    const uint8_t *bytes = decompress(&r->unpacked, &p);

    return bytes != NULL && size != 0
               ? (struct image_part){part->address, size, bytes}
               : (struct image_part){0};
}

/* ".zdebug_info" for ".debug_info": how it was done until 2014, and by Go. */
static struct image_part zdebug(const struct object *o, const char *name)
{
    char old[64];
    GElf_Shdr sh;
    struct image_part part = {0};
    uint64_t size = 0;

    (void)snprintf(old, sizeof old, ".z%s", name + 1);
    if (find_section(elf_of(o), old, &sh) != NULL)
        part = raw(o, &sh);
    if (part.size < ZDEBUG_HEAD || memcmp(part.bytes, "ZLIB", 4) != 0)
        return (struct image_part){0};
    for (size_t i = 4; i < ZDEBUG_HEAD; i++)
        size = size << 8 | part.bytes[i];
    return inflate(o, &part, ZDEBUG_HEAD, UNPACK_ZLIB, size);
}

struct image_part elf_section(const struct object *o, const char *name)
{
    GElf_Shdr sh;
    struct image_part part;

    if (find_section(elf_of(o), name, &sh) == NULL)
        return zdebug(o, name);
    part = raw(o, &sh);
    if ((sh.sh_flags & SHF_COMPRESSED) == 0)
        return part;
    if (part.size < sizeof(Elf64_Chdr))
        return (struct image_part){0};
    return inflate(o, &part, sizeof(Elf64_Chdr),
                   load_u32(part.bytes + offsetof(Elf64_Chdr, ch_type)),
                   load_u64(part.bytes + offsetof(Elf64_Chdr, ch_size)));
}

bool elf_packed(const struct object *o)
{
    const struct elf_reader *r = o->reader;

    return r->unpacked.failed;
}

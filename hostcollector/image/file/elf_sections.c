/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and uncompresses the sections of an ELF file. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "image/file/elf_reader.h"
#include "util/bytes.h"
#include "util/vec.h"

#define ZDEBUG_HEAD 12u /* "ZLIB", and a big-endian size of 8 bytes */

/* Numbered as in ELF files (ELFCOMPRESS_*). */
enum decompress_method { UNPACK_ZLIB = 1, UNPACK_ZSTD = 2 };

/* A compressed section: its header, and its bytes in the file. */
struct packed {
    uint32_t method; /* enum decompress_method, or an unknown method */
    uint64_t size;   /* uncompressed size */
    const uint8_t *bytes;
    uint64_t packed_size;
};

/* DWARF compresses to a third or less. A higher ratio is an attack. */
#define MAX_INFLATION 64u
/* Limit for all sections together. */
#define MAX_UNPACKED  ((uint64_t)4 << 30)

struct unpacked_part {
    const uint8_t *packed;
    uint8_t *bytes; /* NULL: failed */
};

static bool fill(uint8_t *out, const struct packed *p)
{
    uLongf size = (uLongf)p->size;

    switch (p->method) {
    case UNPACK_ZLIB:
        return uncompress(out, &size, p->bytes, (uLong)p->packed_size) ==
                   Z_OK &&
               size == p->size;
    case UNPACK_ZSTD:
        return ZSTD_decompress(out, (size_t)p->size, p->bytes,
                               (size_t)p->packed_size) == p->size;
    default:
        return false;
    }
}

static uint8_t *take_apart(struct decompressed *u, const struct packed *p)
{
    uint8_t *out;

    if (p->size / MAX_INFLATION > p->packed_size ||
        p->size > MAX_UNPACKED - u->size)
        return NULL;
    out = malloc((size_t)p->size + 1);
    if (out == NULL || fill(out, p)) {
        u->size += p->size;
        return out;
    }
    free(out);
    return NULL;
}

/*
 * Uncompress (p) to its (p->size) bytes. Each section is uncompressed once; the
 * bytes live as long as (u). NULL if the method is unknown, the bytes are
 * damaged, the size is over the limit, or there is no memory.
 */
static const uint8_t *decompress(struct decompressed *u, const struct packed *p)
{
    struct unpacked_part part = {.packed = p->bytes};

    for (size_t i = 0; i < u->count; i++)
        if (u->list[i].packed == p->bytes)
            return u->list[i].bytes;
    if (vec_grow(&u->list, &u->room, u->count, sizeof *u->list) == 0) {
        part.bytes = take_apart(u, p);
        u->list[u->count++] = part;
    }
    u->failed |= part.bytes == NULL;
    return part.bytes;
}

void decompressed_fini(struct decompressed *u)
{
    for (size_t i = 0; i < u->count; i++)
        free(u->list[i].bytes);
    free(u->list);
    *u = (struct decompressed){0};
}

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

/* Uncompress (part) to (size) bytes. Its first (head) bytes are a header. */
static struct image_part unpack_section(const struct object *o,
                                        const struct image_part *part,
                                        size_t head, uint32_t method,
                                        uint64_t size)
{
    struct elf_reader *r = o->reader;
    struct packed p = {method, size, part->bytes + head, part->size - head};
    const uint8_t *bytes = decompress(&r->unpacked, &p);

    return bytes != NULL && size != 0
               ? (struct image_part){part->address, size, bytes}
               : (struct image_part){0};
}

/* Find ".zdebug_info" in place of ".debug_info": the old form of compression,
 * used until 2014 and by Go. */
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
    return unpack_section(o, &part, ZDEBUG_HEAD, UNPACK_ZLIB, size);
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
    return unpack_section(o, &part, sizeof(Elf64_Chdr),
                          load_u32(part.bytes + offsetof(Elf64_Chdr, ch_type)),
                          load_u64(part.bytes + offsetof(Elf64_Chdr, ch_size)));
}

bool elf_packed(const struct object *o)
{
    const struct elf_reader *r = o->reader;

    return r->unpacked.failed;
}

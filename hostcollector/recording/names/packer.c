/* SPDX-License-Identifier: BSD-2-Clause */
/* Packs the data of a names chunk. */
#include "recording/names/packer.h"

#include <stdlib.h>
#include <string.h>

#define LEVEL 6 /* level of compression */

bool packer_init(struct packer *p)
{
    p->block = malloc(NAMED_BLOCK_MAX);
    p->packed_room = ZSTD_compressBound(NAMED_BLOCK_MAX);
    p->packed = malloc(p->packed_room);
    p->compressor = ZSTD_createCCtx();
    return p->block != NULL && p->packed != NULL && p->compressor != NULL &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(
               p->compressor, ZSTD_c_compressionLevel, LEVEL)) &&
           !ZSTD_isError(
               ZSTD_CCtx_setParameter(p->compressor, ZSTD_c_checksumFlag, 1));
}

void packer_fini(struct packer *p)
{
    (void)ZSTD_freeCCtx(p->compressor);
    map_fini(&p->texts);
    free(p->block);
    free(p->packed);
}

void packer_byte(struct packer *p, unsigned value)
{
    if (p->used == NAMED_BLOCK_MAX)
        p->failed = true;
    else
        p->block[p->used++] = (uint8_t)value;
}

void packer_number(struct packer *p, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        packer_byte(p, 0x80 | (value & 0x7f));
    packer_byte(p, (unsigned)value);
}

void packer_bytes(struct packer *p, const void *bytes, size_t size)
{
    if (size > NAMED_BLOCK_MAX - p->used) {
        p->failed = true;
        return;
    }
    if (size != 0)
        memcpy(p->block + p->used, bytes, size);
    p->used += size;
}

void packer_text(struct packer *p, const char *text)
{
    uint32_t *number;

    if (text == NULL) {
        packer_number(p, 0);
        return;
    }
    number = map_put(&p->texts, (uintptr_t)text, 0);
    if (number == NULL) {
        p->failed = true;
        return;
    }
    if (*number != MAP_NOTHING) {
        packer_number(p, *number);
        return;
    }
    *number = (uint32_t)p->texts.count;
    packer_number(p, *number);
    packer_bytes(p, text, strlen(text) + 1);
}

void packer_begin(struct packer *p, enum named_block kind)
{
    p->used = 0;
    p->previous = 0;
    map_fini(&p->texts);
    packer_byte(p, kind);
}

size_t packer_squeeze(struct packer *p, struct err *e)
{
    size_t size;

    if (p->failed) {
        (void)err_set(e, "names: a text is too long, or there is no memory");
        return 0;
    }
    size = ZSTD_compress2(p->compressor, p->packed, p->packed_room, p->block,
                          p->used);
    if (!ZSTD_isError(size))
        return size;
    (void)err_set(e, "names: %s", ZSTD_getErrorName(size));
    return 0;
}

int packer_end(struct packer *p, struct err *e)
{
    size_t size = packer_squeeze(p, e);

    return size != 0 ? p->job->keep(p->job->context, p->packed, size, e) : -1;
}

bool packer_is_dwarf(const struct symbol *s)
{
    while (s->inlined_into != NULL)
        s = s->inlined_into;
    return s->kind == SYMBOL_DWARF;
}

void packer_chain(struct packer *p, uint64_t address, const struct symbol *s)
{
    const uint64_t start = s->start, extent = s->size;
    size_t count = 0, i = 0;

    for (const struct symbol *c = s; c != NULL; c = c->inlined_into)
        count++;
    packer_number(p, count < NAMED_CHAIN_MAX ? count : NAMED_CHAIN_MAX);
    for (; s != NULL; s = s->inlined_into) {
        if (++i >= NAMED_CHAIN_MAX && s->inlined_into != NULL)
            continue;
        packer_text(p, s->function);
        packer_text(p, s->file);
        packer_text(p, s->home);
        packer_number(p, s->line);
    }
    packer_number(p, address - start);
    packer_number(p, extent);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the memory of a dead guest from a file. */
#include "dump/dump_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump_file.h"
#include "dump/parts.h"
#include "guard/magic.h"
#include "util/text.h"

#define BLOCK 65536u /* bytes that are searched at a time */

struct dump_memory {
    struct dump_file file;
    struct dump_kdump *kdump; /* NULL: the file is not compressed */
    uint64_t size;            /* bytes of memory in all parts */
    struct dump_parts parts;
    char cut[96]; /* text of dump_memory_cut(); "": none */
    size_t last;  /* the part that was used last */
    uint8_t block[BLOCK];
};

static int read_parts(struct dump_memory *m, struct err *e)
{
    uint8_t start[MAGIC_SIZE];

    if (!dump_file_read(&m->file, 0, start, sizeof start))
        return err_set(e, "is too short for the memory of a guest");
    if (dump_kdump_is(start)) {
        m->kdump = dump_kdump_new(&m->file, &m->parts, e);
        return m->kdump != NULL ? 0 : -1;
    }
    enum magic magic = magic_of(start, sizeof start);

    if (magic == MAGIC_ELF || magic == MAGIC_CORE)
        return dump_parts_elf(&m->parts, &m->file, e);
    return dump_parts_raw(&m->parts, m->file.size, e);
}

static void tell_cut(struct dump_memory *m)
{
    char there[TEXT_NUMBER], all[TEXT_NUMBER];

    if (m->parts.cut != 0)
        (void)snprintf(m->cut, sizeof m->cut,
                       "is cut: %s of %s bytes of memory are in it",
                       text_count(there, m->size),
                       text_count(all, m->size + m->parts.cut));
}

struct dump_memory *dump_memory_new(int fd, struct err *e)
{
    struct dump_memory *m = calloc(1, sizeof *m);

    if (m == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    if (dump_file_init(&m->file, fd, e) != 0 || read_parts(m, e) != 0) {
        dump_memory_free(m);
        return NULL;
    }
    for (size_t i = 0; i < m->parts.count; i++)
        m->size += m->parts.list[i].size;
    if (m->kdump == NULL && m->size > m->file.there)
        m->size = m->file.there; /* a flattened file may have holes */
    tell_cut(m);
    return m;
}

void dump_memory_free(struct dump_memory *m)
{
    if (m == NULL)
        return;
    dump_kdump_free(m->kdump);
    dump_file_fini(&m->file);
    free(m->parts.list);
    free(m);
}

uint64_t dump_memory_size(const struct dump_memory *m)
{
    return m->size;
}

bool dump_memory_has_virtual(const struct dump_memory *m)
{
    return m->parts.count != 0 && m->parts.list[0].has_virtual;
}

uint64_t dump_memory_notes_size(const struct dump_memory *m)
{
    return m->parts.notes_size;
}

const char *dump_memory_trouble(const struct dump_memory *m)
{
    return m->kdump != NULL ? dump_kdump_trouble(m->kdump) : NULL;
}

const char *dump_memory_cut(const struct dump_memory *m)
{
    return m->cut[0] != '\0' ? m->cut : NULL;
}

size_t dump_memory_notes(struct dump_memory *m, uint64_t offset, void *to,
                         size_t size)
{
    if (offset >= m->parts.notes_size)
        return 0;
    if (size > m->parts.notes_size - offset)
        size = (size_t)(m->parts.notes_size - offset);
    return dump_file_read(&m->file, m->parts.notes_at + offset, to, size) ? size
                                                                          : 0;
}

/* Read (size) bytes from the place (at) on. Returns false if not all of them
 * are there. */
static bool read_place(struct dump_memory *m, uint64_t at, void *to,
                       size_t size)
{
    return m->kdump != NULL ? dump_kdump_read(m->kdump, at, to, size)
                            : dump_file_read(&m->file, at, to, size);
}

static bool holds(const struct dump_part *p, enum dump_way way,
                  uint64_t address)
{
    if (way == DUMP_BY_PARTS)
        return p->has_virtual && address - p->virtual < p->size;
    return address - p->physical < p->size;
}

/* The part that contains (address); NULL if none does. Neighbouring reads use
 * the same part, so the last one is tried first. */
static const struct dump_part *part_of(struct dump_memory *m, enum dump_way way,
                                       uint64_t address)
{
    const struct dump_part *list = m->parts.list;

    if (m->last < m->parts.count && holds(&list[m->last], way, address))
        return &list[m->last];
    for (size_t i = 0; i < m->parts.count; i++) {
        if (holds(&list[i], way, address)) {
            m->last = i;
            return &list[i];
        }
    }
    return NULL;
}

size_t dump_memory_some(struct dump_memory *m, const struct dump_view *v,
                        uint64_t address, void *to, size_t size)
{
    uint8_t *p = to;
    size_t done = 0;

    if (v->way == DUMP_BY_OFFSET)
        address += v->offset;
    while (done < size) {
        const struct dump_part *part = part_of(m, v->way, address);

        if (part == NULL)
            break;
        uint64_t into = address - (v->way == DUMP_BY_PARTS ? part->virtual
                                                           : part->physical);
        size_t n = size - done;

        if (n > part->size - into)
            n = (size_t)(part->size - into);
        if (!read_place(m, part->at + into, p + done, n))
            break;
        address += n;
        done += n;
    }
    return done;
}

bool dump_memory_read(struct dump_memory *m, const struct dump_view *v,
                      uint64_t address, void *to, size_t size)
{
    return dump_memory_some(m, v, address, to, size) == size;
}

/* Offset of (pattern) in (block), at a multiple of 8 from (from) on; (size) if
 * it is not there. */
static size_t find_in(const uint8_t *block, size_t size, size_t from,
                      const void *pattern, size_t length)
{
    uint64_t first, word;

    memcpy(&first, pattern, sizeof first);
    for (size_t i = from; i + length <= size; i += sizeof word) {
        memcpy(&word, block + i, sizeof word);
        if (word == first && memcmp(block + i, pattern, length) == 0)
            return i;
    }
    return size;
}

/* Search (part) from (into) on. Blocks overlap by 16 bytes, since a pattern may
 * lie across the end of a block. */
static bool find_in_part(struct dump_memory *m, const struct dump_part *part,
                         uint64_t *into, const void *pattern, size_t size)
{
    while (*into + size <= part->size) {
        uint64_t left = part->size - *into;
        size_t n = left < BLOCK ? (size_t)left : BLOCK;

        if (!read_place(m, part->at + *into, m->block, n))
            return false;
        size_t found = find_in(m->block, n, 0, pattern, size);

        if (found < n) {
            *into += found;
            return true;
        }
        if (n < BLOCK)
            return false;
        *into += BLOCK - 16;
    }
    return false;
}

bool dump_memory_find(struct dump_memory *m, const void *pattern, size_t size,
                      uint64_t *place, uint64_t *physical)
{
    uint64_t before = 0; /* bytes of memory in earlier parts */

    for (size_t i = 0; i < m->parts.count; i++) {
        const struct dump_part *part = &m->parts.list[i];
        uint64_t into = *place > before ? *place - before : 0;

        if (into < part->size && find_in_part(m, part, &into, pattern, size)) {
            *place = before + into + 8;
            *physical = part->physical + into;
            return true;
        }
        before += part->size;
    }
    return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a file that are parts of memory. */
#include "dump/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump/parts.h"
#include "util/magic.h"

#define BLOCK 65536u /* bytes that are searched at a time */

struct dump_memory {
    int fd;
    uint64_t size; /* bytes of memory in all parts */
    struct dump_parts parts;
    size_t last; /* the part that was read last */
    uint8_t block[BLOCK];
};

/* All (size) bytes of the file at (at); false if there are fewer. */
static bool read_file(int fd, uint64_t at, void *to, size_t size)
{
    for (uint8_t *p = to; size > 0;) {
        ssize_t n = pread(fd, p, size, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* Is that how a kdump-compressed file begins, as it is or flattened? Taken for
 * raw memory it would have no agent in it. */
static bool is_compressed(const uint8_t start[MAGIC_SIZE])
{
    return memcmp(start, "KDUMP   ", 8) == 0 ||
           memcmp(start, "makedumpfile", 13) == 0;
}

struct dump_memory *dump_memory_new(int fd, struct err *e)
{
    uint8_t start[MAGIC_SIZE] = {0};
    struct dump_memory *m = calloc(1, sizeof *m);
    struct stat st;
    int result = -1;

    if (m == NULL) {
        (void)err_set(e, "out of memory");
        return NULL;
    }
    m->fd = fd;
    if (fstat(fd, &st) != 0)
        (void)err_sys(e, "stat");
    else if (!S_ISREG(st.st_mode))
        (void)err_set(e, "is no regular file");
    else if (st.st_size < (off_t)sizeof start ||
             !read_file(fd, 0, start, sizeof start))
        (void)err_set(e, "is too short for the memory of a guest");
    else if (is_compressed(start))
        (void)err_set(e, "is compressed (kdump), which is not read: dump it "
                         "without -z, -l and -s");
    else if (magic_of(start, sizeof start) == MAGIC_ELF)
        result = dump_parts_elf(&m->parts, fd, (uint64_t)st.st_size, e);
    else
        result = dump_parts_raw(&m->parts, (uint64_t)st.st_size, e);
    if (result != 0) {
        dump_memory_free(m);
        return NULL;
    }
    for (size_t i = 0; i < m->parts.count; i++)
        m->size += m->parts.list[i].size;
    return m;
}

void dump_memory_free(struct dump_memory *m)
{
    if (m == NULL)
        return;
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

size_t dump_memory_notes(const struct dump_memory *m, uint64_t offset, void *to,
                         size_t size)
{
    if (offset >= m->parts.notes_size)
        return 0;
    if (size > m->parts.notes_size - offset)
        size = (size_t)(m->parts.notes_size - offset);
    return read_file(m->fd, m->parts.notes_at + offset, to, size) ? size : 0;
}

static bool holds(const struct dump_part *p, enum dump_way way,
                  uint64_t address)
{
    if (way == DUMP_BY_PARTS)
        return p->has_virtual && address - p->virtual < p->size;
    return address - p->physical < p->size;
}

/* The part that has (address); NULL: none. Reads are near each other. */
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
        if (!read_file(m->fd, part->at + into, p + done, n))
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

/* The offset in (block) of (pattern), at a multiple of 8 from (from) on; (size)
 * where it is not. */
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

/* Search (part) from (into) on; at the end of a block the pattern may be cut,
 * so blocks overlap by 16 bytes. */
static bool find_in_part(struct dump_memory *m, const struct dump_part *part,
                         uint64_t *into, const void *pattern, size_t size)
{
    while (*into + size <= part->size) {
        uint64_t left = part->size - *into;
        size_t n = left < BLOCK ? (size_t)left : BLOCK;

        if (!read_file(m->fd, part->at + *into, m->block, n))
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
    uint64_t before = 0; /* bytes of memory in the parts before */

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

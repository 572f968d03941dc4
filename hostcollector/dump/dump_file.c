/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a dump file, flattened or not. */
#include "dump/dump_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/magic.h"
#include "util/bounds.h"
#include "util/io.h"
#include "util/vec.h"

/* The flattened form, as makedumpfile and QEMU's dump/dump.c have it; integers
 * are big-endian. */
#define FLAT_SIGNATURE "makedumpfile\0\0\0" /* with a 0 at the end */
#define FLAT_TYPE      16u                  /* u64 1 */
#define FLAT_VERSION   24u                  /* u64 1 */
/* bytes of the header that are read */
#define FLAT_START     32u
#define FLAT_HEADER    4096u
#define WRITE_OFFSET   0u /* u64; all bits are set after the last write */
#define WRITE_SIZE     8u /* u64 */
#define WRITE_HEADER   16u
#define OFFSET_MAX     ((uint64_t)INT64_MAX)

/* Read the (size) bytes at (at) of the file. Returns false if there are fewer.
 */
static bool read_all(int fd, uint64_t at, void *to, size_t size)
{
    return io_read_at(fd, to, size, at) == (ssize_t)size;
}

static uint64_t load_big(const uint8_t *p)
{
    uint64_t value = 0;

    for (size_t i = 0; i < sizeof value; i++)
        value = value << 8 | p[i];
    return value;
}

/* Read the write whose header is at (*at), and move (*at) past its bytes.
 * Returns 1; 0 at the end; -1 with (e) filled. */
static int next_write(const struct dump_file *f, uint64_t *at,
                      struct dump_write *w, struct err *e)
{
    uint8_t head[WRITE_HEADER];

    if (!read_all(f->fd, *at, head, sizeof head))
        return err_set(e, "is cut: the guest was not dumped to the end");
    w->start = load_big(head + WRITE_OFFSET);
    w->size = load_big(head + WRITE_SIZE);
    w->at = *at + sizeof head;
    if (w->start == UINT64_MAX)
        return 0;
    if (w->start > OFFSET_MAX || w->size > OFFSET_MAX - w->start)
        return err_set(e,
                       "is damaged: offset %" PRIu64
                       " has no record of the flattened format",
                       *at);
    if (w->at > f->size || w->size > f->size - w->at)
        return err_set(e, "is cut: the guest was not dumped to the end");
    *at = w->at + w->size;
    return 1;
}

static int by_start(const void *a, const void *b)
{
    const struct dump_write *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Check for overlaps. If two writes go to the same place, the later write
 * counts. Writes that overlap partly are refused: no program that writes dumps
 * makes them. */
static int sort_writes(struct dump_file *f, struct err *e)
{
    size_t kept = 0;

    qsort(f->writes, f->count, sizeof *f->writes, by_start);
    for (size_t i = 0; i < f->count; i++) {
        const struct dump_write w = f->writes[i];
        const struct dump_write *before = &f->writes[kept - (kept > 0)];

        if (kept > 0 && w.start - before->start < before->size) {
            if (w.start != before->start || w.size < before->size)
                return err_set(e,
                               "is damaged: records of the flattened format "
                               "overlap at offset %" PRIu64,
                               w.start);
            kept--;
        }
        f->writes[kept++] = w;
    }
    f->count = kept;
    f->there = 0;
    for (size_t i = 0; i < kept; i++)
        f->there += f->writes[i].size;
    return 0;
}

static int read_writes(struct dump_file *f, struct err *e)
{
    uint64_t at = FLAT_HEADER, end = 0;
    struct dump_write w = {0};
    int more;

    while ((more = next_write(f, &at, &w, e)) > 0) {
        if (w.size == 0)
            continue;
        if (f->count == DUMP_WRITES_MAX)
            return err_set(
                e, "has more than %u parts: convert it with makedumpfile -R",
                DUMP_WRITES_MAX);
        if (vec_grow(&f->writes, &f->room, f->count, sizeof w) != 0)
            return err_memory(e);
        f->writes[f->count++] = w;
        if (end < w.start + w.size)
            end = w.start + w.size;
    }
    if (more < 0)
        return -1;
    if (f->count == 0)
        return err_set(e, "has the flattened format, and is empty");
    f->size = end;
    return sort_writes(f, e);
}

int dump_file_init(struct dump_file *f, int fd, struct err *e)
{
    uint8_t start[MAGIC_SIZE];
    struct stat st;

    *f = (struct dump_file){.fd = fd};
    if (fstat(fd, &st) != 0)
        return err_sys(e, "stat");
    if (!S_ISREG(st.st_mode))
        return err_set(e, "is no regular file");
    if (st.st_size < (off_t)sizeof start ||
        !read_all(fd, 0, start, sizeof start))
        return err_set(e, "is too short for the memory of a guest");
    f->size = f->there = (uint64_t)st.st_size;
    if (memcmp(start, FLAT_SIGNATURE, FLAT_TYPE) != 0)
        return 0;
    if (load_big(start + FLAT_TYPE) != 1 || load_big(start + FLAT_VERSION) != 1)
        return err_set(e, "has an unknown kind of flattened format");
    return read_writes(f, e);
}

void dump_file_fini(struct dump_file *f)
{
    free(f->writes);
    f->writes = NULL;
}

/* The write that contains (at); NULL if none does. Neighbouring reads use the
 * same write, so the last one is tried first. */
static const struct dump_write *write_of(struct dump_file *f, uint64_t at)
{
    size_t end;

    if (at - f->writes[f->last].start < f->writes[f->last].size)
        return &f->writes[f->last];
    end = upper_bound(f->writes, f->count, sizeof *f->writes,
                      offsetof(struct dump_write, start), at);
    if (end == 0 || at - f->writes[end - 1].start >= f->writes[end - 1].size)
        return NULL;
    f->last = end - 1;
    return &f->writes[end - 1];
}

bool dump_file_read(struct dump_file *f, uint64_t at, void *to, size_t size)
{
    uint8_t *p = to;

    if (at > f->size || size > f->size - at)
        return false;
    if (f->writes == NULL)
        return read_all(f->fd, at, to, size);
    while (size > 0) {
        const struct dump_write *w = write_of(f, at);

        if (w == NULL)
            return false;
        uint64_t into = at - w->start;
        size_t n = size < w->size - into ? size : (size_t)(w->size - into);

        if (!read_all(f->fd, w->at + into, p, n))
            return false;
        p += n;
        at += n;
        size -= n;
    }
    return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies a file, except its holes. */
#include "image/file/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/opener.h"
#include "util/io.h"

/* Shorter holes are read as zeros, because a section may contain such a
 * hole. */
#define HOLE_MIN 65536u
/* Larger than any kernel with debug information. The file must fit into
 * memory. */
#define HELD_MAX ((uint64_t)4 << 30)

static int refuse(struct err *e, const char *path, const char *why)
{
    return err_set(e, "%s: %s", path, why);
}

/* Open (path) if it is a regular file. Opening a device can have effects, such
 * as rewinding a tape or waiting for a mount. */
static int open_regular(const char *path, struct err *e)
{
    struct stat s;

    if (stat(path, &s) != 0)
        return err_sys(e, path);
    if (!S_ISREG(s.st_mode))
        return refuse(e, path, "not a file");
    int fd = opener_open(OPENER_READ, path);

    return fd >= 0 ? fd : err_sys(e, path);
}

/* The offset of the first data at or after (at); (size) if only a hole
 * follows. */
static off_t next_data(int fd, off_t at, off_t size)
{
    off_t data = lseek(fd, at, SEEK_DATA);

    if (data < 0)
        return errno == ENXIO ? size : at; /* other errors: the file system does
                                              not report holes */
    return data < size ? data : size;
}

static off_t next_hole(int fd, off_t at, off_t size)
{
    off_t hole = lseek(fd, at, SEEK_HOLE);

    return hole > at && hole < size ? hole : size;
}

static int find_held(struct file *f, int fd)
{
    off_t end = 0, size = (off_t)f->size;

    while (end < size) {
        off_t data = next_data(fd, end, size);
        off_t start = data - end < (off_t)HOLE_MIN ? end : data;

        end = data < size ? next_hole(fd, data, size) : size;
        if (spans_add(&f->held, (uint64_t)start, (uint64_t)end) != 0)
            return -1;
    }
    spans_settle(&f->held);
    return 0;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int copy(struct file *f, int fd, const char *path, struct err *e)
{
    static const char cut[] = "changed while it was read: try again";
    struct stat before, after;

    if (fstat(fd, &before) != 0)
        return err_sys(e, path);
    f->size = (uint64_t)before.st_size;
    if (find_held(f, fd) != 0)
        return err_sys(e, path);
    if (spans_size(&f->held) > HELD_MAX)
        return refuse(e, path, "more than 4 GiB: give the kernel alone");
    /* one byte more, so that an empty file has memory as well */
    f->bytes = calloc(1, (size_t)f->size + 1);
    if (f->bytes == NULL)
        return err_sys(e, path);
    for (size_t i = 0; i < f->held.count; i++) {
        const struct span *s = &f->held.list[i];
        ssize_t n = io_read_at(fd, f->bytes + s->low, s->high - s->low, s->low);

        if (n < 0)
            return err_sys(e, path);
        if ((uint64_t)n != s->high - s->low)
            return refuse(e, path, cut);
    }
    return fstat(fd, &after) == 0 && same(&before, &after)
               ? 0
               : refuse(e, path, cut);
}

int file_read(struct file *f, const char *path, struct err *e)
{
    int fd = open_regular(path, e);
    int status;

    if (fd < 0)
        return -1;
    status = copy(f, fd, path, e);
    (void)close(fd);
    return status;
}

void file_fini(struct file *f)
{
    free(f->bytes);
    spans_fini(&f->held);
    *f = (struct file){0};
}

const uint8_t *file_at(const struct file *f, uint64_t offset, uint64_t size,
                       uint64_t *until_hole)
{
    const struct span *s;

    if (offset > f->size || size > f->size - offset)
        return NULL;
    s = spans_find(&f->held, offset);
    *until_hole = s == NULL || s->low > offset ? 0 : s->high - offset;
    if (*until_hole > size)
        *until_hole = size;
    return f->bytes + offset;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole reads and writes of descriptors. They continue after signals, and after
 * short reads or writes. Leaf. */
#ifndef TPROF_UTIL_IO_H
#define TPROF_UTIL_IO_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Read (size) bytes at (at) of the file (fd). Returns the number of bytes read,
 * which is less at the end of the file; -1 with errno set. */
static inline ssize_t io_read_at(int fd, void *to, size_t size, uint64_t at)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n =
            pread(fd, (char *)to + done, size - done, (off_t)(at + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

/* Write (size) bytes. Returns 0; -1 with errno set. */
static inline int io_write(int fd, const void *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = write(fd, (const char *)bytes + done, size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

/* Does (error), an errno, mean that a disk or a quota is full? */
static inline bool io_no_room(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

#endif

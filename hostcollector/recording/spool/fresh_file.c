/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/spool/fresh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

int fresh_file(int fd, const char *name, const void *bytes, size_t size,
               struct stat *st)
{
    /* O_EXCL: an attacker's link in the folder is not followed */
    int file = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int result, why;

    if (file < 0)
        return -1;
    result = write_all(file, bytes, size);
    if (result == 0 && st != NULL)
        result = fstat(file, st);
    why = errno;
    if (close(file) != 0 && result == 0)
        return -1;
    errno = why;
    return result;
}

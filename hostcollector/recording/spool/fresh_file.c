/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/spool/fresh_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "util/io.h"

int fresh_file(int fd, const char *name, const void *bytes, size_t size,
               struct stat *st)
{
    /* O_EXCL: an attacker's link in the folder is not followed */
    int file = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int result, why;

    if (file < 0)
        return -1;
    result = io_write(file, bytes, size);
    if (result == 0 && st != NULL)
        result = fstat(file, st);
    why = errno;
    if (close(file) != 0 && result == 0)
        return -1;
    errno = why;
    return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The kind of a file, by its first bytes. */
#include "guard/magic.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int begins(const void *bytes, size_t size, const char *with,
                  size_t length)
{
    return size >= length && memcmp(bytes, with, length) == 0;
}

/* Does the ELF file with these (size) first bytes have the type ET_CORE? */
static bool is_core(const unsigned char *bytes, size_t size)
{
    bool big_endian = size > 5 && bytes[5] == 2;

    return size > 17 && bytes[big_endian ? 17 : 16] == 4 &&
           bytes[big_endian ? 16 : 17] == 0;
}

enum magic magic_of(const void *bytes, size_t size)
{
    if (size == 0)
        return MAGIC_EMPTY;
    if (begins(bytes, size, "tprofrec", 8))
        return MAGIC_RECORDING;
    if (begins(bytes, size, "\177ELF", 4))
        return is_core(bytes, size) ? MAGIC_CORE : MAGIC_ELF;
    /* text may begin like this, but has no zero byte */
    if (begins(bytes, size, "MZ", 2) &&
        memchr(bytes, '\0', size < 8 ? size : 8) != NULL)
        return MAGIC_PE;
    return MAGIC_OTHER;
}

enum magic magic_of_file(const char *path)
{
    unsigned char bytes[MAGIC_SIZE];
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return MAGIC_NONE;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0)
        return MAGIC_NONE;
    ssize_t n = read(fd, bytes, sizeof bytes);

    (void)close(fd);
    return n < 0 ? MAGIC_NONE : magic_of(bytes, (size_t)n);
}

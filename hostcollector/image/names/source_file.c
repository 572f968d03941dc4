/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/names/source_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard/opener.h"

#define PATH_SIZE 4096u

/* Returns (path) without its first folder; NULL if (path) has no folder. */
static const char *without_first(const char *path)
{
    const char *slash = strchr(path, '/');

    return slash != NULL ? slash + 1 : NULL;
}

/* Does (path) have a folder ".."? */
static bool goes_up(const char *path)
{
    for (; path != NULL; path = without_first(path))
        if (strncmp(path, "../", 3) == 0)
            return true;
    return false;
}

/* Open (path) below (folder). The first folders of (path) may be missing there.
 * Returns -1 if there is no such file. */
static int open_below(const char *folder, const char *path)
{
    char name[PATH_SIZE];
    int fd = -1;

    for (; fd < 0 && path != NULL; path = without_first(path)) {
        int length = snprintf(name, sizeof name, "%s/%s", folder, path);

        if (length > 0 && (size_t)length < sizeof name)
            fd = opener_open(OPENER_SOURCE, name);
    }
    return fd;
}

static int open_source(const char *folder, const char *path)
{
    int fd = folder != NULL ? open_below(folder, path) : -1;

    return fd >= 0 ? fd : opener_open(OPENER_SOURCE, path);
}

static char *read_text(int fd)
{
    char *text = malloc(SOURCE_FILE_MAX + 1);
    size_t size = 0;
    ssize_t n = 1;

    while (text != NULL && n > 0 && size < SOURCE_FILE_MAX) {
        n = read(fd, text + size, SOURCE_FILE_MAX - size);
        size += n > 0 ? (size_t)n : 0;
    }
    if (text != NULL)
        text[size] = '\0';
    return text;
}

static char *read_and_close(int fd)
{
    char *text = fd >= 0 ? read_text(fd) : NULL;

    if (fd >= 0)
        (void)close(fd);
    return text;
}

char *source_file_read(const char *folder, const char *path)
{
    return read_and_close(open_source(folder, path));
}

char *source_file_read_below(const char *folder, const char *path)
{
    while (path != NULL && goes_up(path))
        path = without_first(path);
    return read_and_close(open_below(folder, path));
}

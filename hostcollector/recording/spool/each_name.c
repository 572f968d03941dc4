/* SPDX-License-Identifier: BSD-2-Clause */
/* The names in a folder that is open. */
#include "recording/spool/each_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The next name; NULL with errno, which is 0 at the end. */
static const char *next_name(DIR *folder)
{
    errno = 0;
    const struct dirent *entry = readdir(folder);

    return entry != NULL ? entry->d_name : NULL;
}

int each_name(int fd, take_name take, void *context, struct err *e)
{
    /* not fd itself: its position is the caller's */
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;
    const char *name;
    int result = 0;

    if (folder == NULL) {
        result = err_sys(e, "spool");
        if (copy >= 0)
            (void)close(copy);
        return result;
    }
    while (result == 0 && (name = next_name(folder)) != NULL)
        result = take(context, name, e);
    if (result == 0 && errno != 0)
        result = err_sys(e, "spool");
    (void)closedir(folder);
    return result;
}

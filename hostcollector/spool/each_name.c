/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder is opened anew, so that its descriptor stays where it is. */
#include "spool/each_name.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

int each_name(int fd, int (*take)(void *context, const char *name),
              void *context, struct err *e)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;
    int result = 0;

    if (folder == NULL) {
        result = err_sys(e, "spool");
        if (copy >= 0)
            (void)close(copy);
        return result;
    }
    while (result == 0 && (entry = readdir(folder)) != NULL)
        result = take(context, entry->d_name);
    (void)closedir(folder);
    return result == 0 ? 0 : err_set(e, "spool: out of memory");
}

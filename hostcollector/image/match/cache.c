/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows libdebuginfod's rules for its folder. */
#include "image/match/cache.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "DEBUGINFOD_CACHE_PATH"
#define OWN_MODE 0700

static const char *value_of(const char *variable)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The name, as libdebuginfod would have it, in (path) of PATH_MAX bytes. */
static void name(char *path)
{
    const char *given = value_of(VARIABLE), *home = value_of("HOME");
    const char *xdg = value_of("XDG_CACHE_HOME");

    if (given != NULL) {
        (void)snprintf(path, PATH_MAX, "%s", given);
        return;
    }
    home = home != NULL ? home : "/";
    (void)snprintf(path, PATH_MAX, "%s/.debuginfod_client_cache", home);
    if (access(path, F_OK) == 0)
        return; /* of older versions of libdebuginfod */
    if (xdg != NULL)
        (void)snprintf(path, PATH_MAX, "%s/debuginfod_client", xdg);
    else
        (void)snprintf(path, PATH_MAX, "%s/.cache/debuginfod_client", home);
}

/* Make (path), and folders above it, where they are missing. */
static int make(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        (void)mkdir(path, OWN_MODE); /* what matters is the last one */
        *at = '/';
    }
    return mkdir(path, OWN_MODE) == 0 || errno == EEXIST ? 0 : -1;
}

int cache_find(struct err *e)
{
    char named[PATH_MAX], path[PATH_MAX];
    struct stat st;

    name(named);
    if (make(named) != 0 || realpath(named, path) == NULL ||
        stat(path, &st) != 0)
        return err_set(e, VARIABLE " %.200s: %s", named, strerror(errno));
    if (!S_ISDIR(st.st_mode) || (st.st_mode & S_IWOTH) != 0 ||
        (st.st_uid != geteuid() && st.st_uid != 0))
        return err_set(e,
                       VARIABLE " %.200s: others may put files there: no "
                                "server is asked. Name a folder of your own",
                       path);
    return setenv(VARIABLE, path, 1) == 0 ? 0 : err_set(e, "out of memory");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What libdebuginfod is told, and what it answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/debuginfod.h>

#include "fetch/fetch.h"

#define STALLED_S "10"
#define MAXTIME_S "60"

static int on_progress(debuginfod_client *client, long done, long all)
{
    bool (*const *gone)(void) = debuginfod_get_user_data(client);

    (void)done, (void)all;
    return (*gone)() ? 1 : 0;
}

void fetch_begin_debuginfod(void)
{
    debuginfod_client *client = debuginfod_begin();

    if (client != NULL)
        debuginfod_end(client);
}

int fetch_by_debuginfod(enum fetch_kind kind, const uint8_t *id, size_t len,
                        bool (*gone)(void), char path[PATH_MAX], struct err *e)
{
    char *name = NULL;

    (void)setenv(DEBUGINFOD_TIMEOUT_ENV_VAR, STALLED_S, 0);
    (void)setenv(DEBUGINFOD_MAXTIME_ENV_VAR, MAXTIME_S, 0);
    debuginfod_client *client = debuginfod_begin();

    if (client == NULL)
        return err_set(e, "libdebuginfod does not start");
    debuginfod_set_user_data(client, &gone);
    debuginfod_set_progressfn(client, on_progress);
    int fd = (kind == FETCH_EXECUTABLE
                  ? debuginfod_find_executable
                  : debuginfod_find_debuginfo)(client, id, (int)len, &name);

    if (fd >= 0)
        (void)snprintf(path, PATH_MAX, "%s", name != NULL ? name : "");
    else
        (void)err_set(e, "%s", strerror(-fd));
    free(name);
    debuginfod_end(client);
    return fd >= 0 ? fd : -1;
}

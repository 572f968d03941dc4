/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for debuginfod.c in a collector built without libdebuginfod. */
#include "image/match/fetch.h"

void fetch_begin_debuginfod(void)
{
}

int fetch_limit(struct err *e)
{
    (void)e;
    return 0;
}

int fetch_by_debuginfod(enum fetch_kind kind, const uint8_t *id, size_t len,
                        bool (*gone)(void), char path[PATH_MAX], struct err *e)
{
    (void)kind, (void)id, (void)len, (void)gone, (void)path;
    return err_set(e, "this collector was built without libdebuginfod "
                      "(Debian: libdebuginfod-dev)");
}

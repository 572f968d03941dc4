/* SPDX-License-Identifier: BSD-2-Clause */
/* What all sources have in common. */
#include "source/source.h"

#include <time.h>
#include <unistd.h>

void source_close(struct source *s)
{
    if (s)
        s->ops->close(s);
}

void source_drop(struct source *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

uint64_t source_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that all kinds of sources share. */
#include "guest/source/source.h"

#include <sys/stat.h>
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

double source_part(const struct source *s)
{
    struct stat st;
    off_t at;

    if (s->live || s->fd < 0)
        return 0;
    at = lseek(s->fd, 0, SEEK_CUR);
    if (at < 0 || fstat(s->fd, &st) != 0 || at >= st.st_size)
        return at > 0;
    return (double)at / (double)st.st_size;
}

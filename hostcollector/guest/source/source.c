/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that all kinds of sources share. */
#include "guest/source/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *source_new(size_t size, const struct source_ops *ops, const char *path,
                 struct err *e)
{
    struct source *s = calloc(1, size);
    char *given = strdup(path);

    if (s == NULL || given == NULL) {
        (void)err_memory(e);
        free(s);
        free(given);
        return NULL;
    }
    s->ops = ops;
    s->fd = -1;
    s->path = s->given = given;
    return s;
}

void source_free(struct source *s)
{
    if (s->fd > STDIN_FILENO)
        (void)close(s->fd);
    free(s->given);
    free(s);
}

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

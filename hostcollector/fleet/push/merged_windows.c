/* SPDX-License-Identifier: BSD-2-Clause */
/* Merged files of a spool, and the windows that they hold. */
#include "fleet/push/queue.h"

#include <stdlib.h>
#include <string.h>

#include "recording/spool/spool_name.h"
#include "util/text.h"
#include "util/vec.h"

/* A merged file. It holds all windows of its time span with this path
 * prefix. */
struct merged_windows_file {
    char *prefix; /* path up to and including the guest's name */
    struct spool_name n;
};

int merged_windows_note(struct merged_windows *s, const char *path)
{
    const char *name = text_base_name(path);
    struct spool_name n;

    if (!spool_name_parse(name, &n) || n.last_ms == 0)
        return 0;
    if (vec_grow(&s->files, &s->room, s->count, sizeof *s->files) != 0)
        return -1;
    struct merged_windows_file *f = &s->files[s->count];

    f->n = n;
    f->prefix = strndup(path, (size_t)(name - path) + n.guest_length);
    if (f->prefix == NULL)
        return -1;
    s->count++;
    return 0;
}

/* Compare by prefix, then by time. */
static int in_order(const void *a, const void *b)
{
    const struct merged_windows_file *x = a, *y = b;
    int prefix = strcmp(x->prefix, y->prefix);

    return prefix != 0 ? prefix
                       : (x->n.start_ms > y->n.start_ms) -
                             (x->n.start_ms < y->n.start_ms);
}

void merged_windows_sort(struct merged_windows *s)
{
    if (s->count != 0)
        qsort(s->files, s->count, sizeof *s->files, in_order);
}

/* Compare the window (a) with the files by its start. */
static int find(const void *a, const void *b)
{
    const struct merged_windows_file *x = a, *y = b;
    int prefix = strcmp(x->prefix, y->prefix);

    return prefix != 0                     ? prefix
           : x->n.start_ms < y->n.start_ms ? -1
                                           : x->n.start_ms > y->n.last_ms;
}

int merged_windows_contain(const struct merged_windows *s, const char *path)
{
    const char *name = text_base_name(path);
    struct merged_windows_file key = {.prefix = NULL};
    bool found;

    if (s->count == 0 || !spool_name_parse(name, &key.n) || key.n.last_ms != 0)
        return 0;
    key.prefix = strndup(path, (size_t)(name - path) + key.n.guest_length);
    if (key.prefix == NULL)
        return -1;
    found = bsearch(&key, s->files, s->count, sizeof key, find) != NULL;
    free(key.prefix);
    return found;
}

void merged_windows_clear(struct merged_windows *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->files[i].prefix);
    s->count = 0;
}

void merged_windows_fini(struct merged_windows *s)
{
    merged_windows_clear(s);
    free(s->files);
    *s = (struct merged_windows){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists a folder's recordings, and those that a receiver is done with. */
#include "fleet/push/listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

#define SUFFIX ".tprof"
#define SENT   ".sent-"

static bool ends_in(const char *name, size_t length, const char *end)
{
    size_t own = strlen(end);

    return length > own && memcmp(name + length - own, end, own) == 0;
}

bool listing_is_recording(const char *name)
{
    return name[0] != '.' && ends_in(name, strlen(name), SUFFIX);
}

/* Length of the recording's name in (name), if (name) is its mark of (tag);
 * else 0. */
static size_t is_mark(const char *name, const char *tag)
{
    size_t length = strlen(name);

    if (name[0] == '.' || !ends_in(name, length, tag))
        return 0;
    length -= strlen(tag);
    return ends_in(name, length, SUFFIX SENT) ? length - strlen(SENT) : 0;
}

int listing_add(struct listing_names *n, const char *name, size_t length)
{
    char *own = strndup(name, length);

    if (own == NULL ||
        vec_grow(&n->list, &n->room, n->count, sizeof *n->list) != 0) {
        free(own);
        return -1;
    }
    n->list[n->count++] = own;
    return 0;
}

static int in_order(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

void listing_sort(struct listing_names *n)
{
    if (n->count != 0)
        qsort(n->list, n->count, sizeof *n->list, in_order);
}

void listing_free(struct listing_names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->list[i]);
    free(n->list);
    *n = (struct listing_names){0};
}

static int add_entry(struct listing *l, const char *name, const char *tag)
{
    size_t length = is_mark(name, tag);

    if (length != 0)
        return listing_add(&l->marks, name, length);
    return listing_is_recording(name)
               ? listing_add(&l->recordings, name, strlen(name))
               : 0;
}

int listing_read(struct listing *l, const char *path, const char *tag)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int result = 0;

    if (folder == NULL)
        return -1;
    while (result == 0 && (entry = readdir(folder)) != NULL)
        result = add_entry(l, entry->d_name, tag);
    (void)closedir(folder);
    listing_sort(&l->recordings);
    listing_sort(&l->marks);
    if (result != 0)
        errno = ENOMEM;
    return result;
}

void listing_fini(struct listing *l)
{
    listing_free(&l->recordings);
    listing_free(&l->marks);
}

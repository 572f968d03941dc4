/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports new and changed recordings in folders. */
#include "fleet/push/listing.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Events by which recordings appear: they are closed after writing, renamed,
 * or linked, as a spool does. Marks are created, too, but are no recordings. */
#define CHANGES (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE)

struct watch {
    int fd;
    int *numbers; /* inotify's numbers of the watched paths */
    const char *const *paths;
    size_t count;
    struct listing_names taken;
};

struct watch *watch_open(const char *const *paths, size_t count)
{
    struct watch *w = calloc(1, sizeof *w);

    if (w == NULL)
        return NULL;
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    w->numbers = calloc(count, sizeof *w->numbers);
    w->paths = paths;
    for (; w->fd >= 0 && w->numbers != NULL && w->count < count; w->count++) {
        w->numbers[w->count] =
            inotify_add_watch(w->fd, paths[w->count], CHANGES);
        if (w->numbers[w->count] < 0)
            break;
    }
    if (w->count == count)
        return w;
    watch_close(w);
    return NULL;
}

void watch_close(struct watch *w)
{
    if (w == NULL)
        return;
    if (w->fd >= 0)
        (void)close(w->fd);
    listing_free(&w->taken);
    free(w->numbers);
    free(w);
}

int watch_fd(const struct watch *w)
{
    return w != NULL ? w->fd : -1;
}

/* Handle (event). Returns as watch_take(). */
static bool take(struct watch *w, const struct inotify_event *event)
{
    char path[PATH_MAX];
    size_t i = 0;

    if (event->len != 0 && !listing_is_recording(event->name))
        return true;
    while (i < w->count && w->numbers[i] != event->wd)
        i++;
    if (i == w->count || event->len == 0)
        return false; /* events were lost, or a single file is watched */
    int length = snprintf(path, sizeof path, "%s/%s", w->paths[i], event->name);

    return length > 0 && (size_t)length < sizeof path &&
           listing_add(&w->taken, path, (size_t)length) == 0;
}

/* Drop repeated names. */
static void drop_doubles(struct listing_names *n)
{
    size_t kept = 0;

    listing_sort(n);
    for (size_t i = 0; i < n->count; i++)
        if (kept != 0 && strcmp(n->list[kept - 1], n->list[i]) == 0)
            free(n->list[i]);
        else
            n->list[kept++] = n->list[i];
    n->count = kept;
}

bool watch_take(struct watch *w, const struct listing_names **taken)
{
    _Alignas(struct inotify_event) char buf[1 << 14];
    bool all = true;
    ssize_t size;

    listing_free(&w->taken);
    *taken = &w->taken;
    while ((size = read(w->fd, buf, sizeof buf)) > 0)
        for (const char *at = buf; at < buf + size;) {
            const struct inotify_event *event = (const void *)at;

            all &= take(w, event);
            at += sizeof *event + event->len;
        }
    drop_doubles(&w->taken);
    return all;
}

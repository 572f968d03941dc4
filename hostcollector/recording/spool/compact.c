/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges finished windows of a spool into files of several windows. */
#include "recording/spool/compact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "recording/spool/compact_parts.h"
#include "recording/spool/each_name.h"
#include "recording/spool/spool_marks.h"
#include "util/vec.h"

#define OVER_MS 30000u /* a window may be written this long after its end */

struct compaction {
    int fd, lock;
    const struct compact_config *config;
    struct compact_sums *sums;
    /* sorted by guest and start, merged files first */
    struct spool_entry *entries;
    size_t count, room;
    struct spool_tags tags;
    struct merged_file *file;
    struct replace replace;
};

static int by_guest_and_start(const void *a, const void *b)
{
    const struct spool_entry *x = a, *y = b;
    size_t n = x->n.guest_length < y->n.guest_length ? x->n.guest_length
                                                     : y->n.guest_length;
    int guests = memcmp(x->name, y->name, n);

    if (guests != 0 || x->n.guest_length != y->n.guest_length)
        return guests != 0                             ? guests
               : x->n.guest_length < y->n.guest_length ? -1
                                                       : 1;
    if (x->n.start_ms != y->n.start_ms)
        return x->n.start_ms < y->n.start_ms ? -1 : 1;
    return (x->n.last_ms < y->n.last_ms) - (x->n.last_ms > y->n.last_ms);
}

static int take_file(void *context, const char *name, struct err *e)
{
    struct compaction *c = context;
    struct spool_entry entry = {.name = NULL};

    if (spool_mark_is_left(c->fd, name)) {
        (void)unlinkat(c->fd, name, 0);
        return 0;
    }
    if (!spool_name_parse(name, &entry.n) ||
        entry.n.guest_length > SPOOL_GUEST_MAX)
        return spool_tags_take(&c->tags, c->fd, name, e);
    entry.name = strdup(name);
    if (entry.name == NULL ||
        vec_grow(&c->entries, &c->room, c->count, sizeof entry) != 0) {
        free(entry.name);
        return err_set(e, "spool: out of memory");
    }
    c->entries[c->count++] = entry;
    return 0;
}

/* Make a file of windows (from) to (to), which were added to the merger.
 * Returns 0; -1 with (e) filled. */
static int put_file(struct compaction *c, size_t from, size_t to, struct err *e)
{
    size_t size = 0;
    uint8_t *bytes = merged_file_end(c->file, &size, e);
    int result = bytes != NULL ? replace_add(&c->replace, &c->entries[from],
                                             to - from, bytes, size, e)
                               : -1;

    free(bytes);
    return result;
}

/* End the file of windows (*from) to (to), if merging is worth it. The next
 * file begins at (next). */
static int end_file(struct compaction *c, size_t *from, size_t to, size_t next,
                    struct err *e)
{
    struct err ignored;
    size_t size, begin = *from;

    *from = next;
    if (to - begin > 1)
        return put_file(c, begin, to, e);
    if (to - begin == 1) /* a single window stays as it is */
        free(merged_file_end(c->file, &size, &ignored));
    return 0;
}

/* Merge windows (from) to (to), which are of one guest and span. */
static int merge_windows(struct compaction *c, size_t from, size_t to,
                         struct err *e)
{
    int result = 0;

    if (to - from < 2)
        return 0;
    if (!replace_all_sent(c->fd, &c->entries[from], to - from, &c->tags)) {
        c->sums->unsent += to - from;
        return 0;
    }
    for (size_t i = from; result == 0 && i < to;) {
        const struct spool_entry *entry = &c->entries[i];
        int fd = openat(c->fd, entry->name,
                        O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        enum merged_took took =
            fd >= 0 ? merged_file_add(c->file, fd, entry->n.start_ms)
                    : MERGED_UNUSABLE;

        if (fd >= 0)
            (void)close(fd);
        if (took == MERGED_OTHER && i == from)
            took = MERGED_UNUSABLE;
        if (took == MERGED_UNUSABLE)
            c->sums->unusable++;
        if (took != MERGED_TOOK)
            result = end_file(c, &from, i, took == MERGED_OTHER ? i : i + 1, e);
        i += took != MERGED_OTHER;
    }
    return result == 0 ? end_file(c, &from, to, to, e) : result;
}

/* Finish the work of a killed process: remove windows that are also in a merged
 * file. */
static int remove_merged(struct compaction *c, struct err *e)
{
    const struct spool_entry *several = NULL;
    size_t kept = 0;

    if (flock(c->fd, LOCK_EX) != 0)
        return err_sys(e, "spool: lock");
    for (size_t i = 0; i < c->count; i++) {
        struct spool_entry *entry = &c->entries[i];

        if (several != NULL && entry->n.last_ms == 0 &&
            replace_same_guest(several, entry) &&
            spool_name_covers(&several->n, entry->n.start_ms)) {
            replace_remove(c->fd, entry->name, &c->tags);
            free(entry->name);
            continue;
        }
        c->entries[kept] = *entry;
        if (entry->n.last_ms != 0)
            several = &c->entries[kept];
        kept++;
    }
    c->count = kept;
    (void)flock(c->fd, LOCK_UN);
    return 0;
}

/* Count the windows that wait for each receiver. */
static void count_waits(const struct compaction *c)
{
    for (size_t k = 0; k < c->tags.count; k++) {
        struct compact_wait *wait = &c->sums->waits[k];

        memcpy(wait->tag, c->tags.list[k], sizeof wait->tag);
        for (size_t i = 0; i < c->count; i++) {
            const struct spool_entry *entry = &c->entries[i];

            if (spool_is_marked(c->fd, entry->name, wait->tag))
                continue;
            if (wait->files++ == 0 || entry->n.start_ms < wait->oldest_ms)
                wait->oldest_ms = entry->n.start_ms;
        }
    }
    c->sums->wait_count = c->tags.count;
}

/* Do windows (a) and (b) belong into one file? */
static bool go_together(const struct compaction *c, const struct spool_entry *a,
                        const struct spool_entry *b)
{
    uint64_t span = c->config->span_ms;

    return replace_same_guest(a, b) && b->n.last_ms == 0 &&
           a->n.start_ms / span == b->n.start_ms / span;
}

static int merge_all(struct compaction *c, struct err *e)
{
    uint64_t span = c->config->span_ms;
    int result = 0;

    for (size_t i = 0, end; i < c->count && result == 0; i = end) {
        const struct spool_entry *entry = &c->entries[i];

        end = i + 1;
        /* a merged file, or a name that no collector writes? */
        if (entry->n.last_ms != 0 || entry->n.start_ms < 1000000000000 ||
            entry->n.start_ms > 9999999999999)
            continue;
        if ((entry->n.start_ms / span + 1) * span + OVER_MS >
            c->config->now_ms) {
            c->sums->early++;
            continue;
        }
        while (end < c->count && go_together(c, entry, &c->entries[end]))
            end++;
        result = merge_windows(c, i, end, e);
    }
    return result == 0 ? replace_all(&c->replace, e) : result;
}

/* Take the lock of merging processes. Fails if another process merges here.
 * The lock's file stays. */
static int take_lock(struct compaction *c, struct err *e)
{
    c->lock = openat(c->fd, SPOOL_MERGING,
                     O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (c->lock < 0)
        return err_sys(e, "spool: " SPOOL_MERGING);
    if (flock(c->lock, LOCK_EX | LOCK_NB) == 0)
        return 0;
    return errno == EWOULDBLOCK
               ? err_set(e, "spool: another process merges its windows")
               : err_sys(e, "spool: lock");
}

int spool_compact(int fd, const struct compact_config *config,
                  struct compact_sums *sums, struct err *e)
{
    struct compaction c = {
        .fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        .lock = -1,
        .config = config,
        .sums = sums,
        .file = merged_file_new()};
    int result = -1;

    *sums = (struct compact_sums){0};
    if (c.fd < 0)
        (void)err_sys(e, "spool");
    else if (c.file == NULL)
        (void)err_memory(e);
    else if (take_lock(&c, e) == 0 && each_name(c.fd, take_file, &c, e) == 0) {
        if (c.count != 0)
            qsort(c.entries, c.count, sizeof *c.entries, by_guest_and_start);
        replace_init(&c.replace, c.fd, c.lock, sums);
        result = remove_merged(&c, e);
        count_waits(&c);
        if (result == 0)
            result = merge_all(&c, e);
    }
    for (size_t i = 0; i < c.count; i++)
        free(c.entries[i].name);
    free(c.entries);
    merged_file_free(c.file);
    if (c.lock >= 0)
        (void)close(c.lock);
    if (c.fd >= 0)
        (void)close(c.fd);
    return result;
}

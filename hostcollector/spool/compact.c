/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks through a folder, has files made, and puts them in place of windows. */
#include "spool/compact.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/merged_file.h"
#include "spool/spool_marks.h"
#include "util/clock.h"
#include "util/vec.h"

#define FRESH    ".merge-fresh" /* how a file is called until it is whole */
#define OVER_MS  30000u         /* a window may come so late */
#define NS_PER_S 1000000000
#define TELL_NS  NS_PER_S

struct entry {
    char *name;
    struct spool_name n;
};

struct compact {
    int fd, lock;
    const struct compact_config *config;
    struct compact_sums *sums;
    struct entry *entries; /* by guest and start, files of several first */
    size_t count, room;
    struct spool_tags tags;
    struct merged_file *file;
    /* What is to become a file, and how many windows lie within. */
    const struct entry *first, *last;
    size_t within;
    uint64_t told_ns; /* see tell_limits() */
};

static int order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
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

static bool same_guest(const struct entry *a, const struct entry *b)
{
    return a->n.guest_length == b->n.guest_length &&
           memcmp(a->name, b->name, a->n.guest_length) == 0;
}

static int take_name(struct compact *c, const char *name)
{
    struct entry entry = {.name = NULL};

    if (!spool_name_parse(name, &entry.n) ||
        entry.n.guest_length > SPOOL_GUEST_MAX)
        return spool_tags_take(&c->tags, name);
    entry.name = strdup(name);
    if (entry.name == NULL ||
        vec_grow(&c->entries, &c->room, c->count, sizeof entry) != 0) {
        free(entry.name);
        return -1;
    }
    c->entries[c->count++] = entry;
    return 0;
}

/* Call (take) with all names in the folder. */
static int look_through(struct compact *c,
                        int (*take)(struct compact *, const char *),
                        struct err *e)
{
    int copy = openat(c->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;
    int result = 0;

    if (folder == NULL) {
        result = err_sys(e, "spool");
        if (copy >= 0)
            (void)close(copy);
        return result;
    }
    while (result == 0 && (entry = readdir(folder)) != NULL)
        result = take(c, entry->d_name);
    (void)closedir(folder);
    return result == 0 ? 0 : err_set(e, "spool: out of memory");
}

/* Remove (name), which is in a file of several, and what push keeps beside it:
 * that first, so that nothing is left over without its window. */
static void remove_window(const struct compact *c, const char *name)
{
    (void)spool_marks_remove(c->fd, name, &c->tags);
    (void)unlinkat(c->fd, name, 0);
}

/* Have all receivers (from) to (to)? */
static bool all_sent(const struct compact *c, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        for (size_t k = 0; k < c->tags.count; k++)
            if (!spool_is_marked(c->fd, c->entries[i].name, c->tags.list[k]))
                return false;
    return true;
}

/* Are (from) to (to) still there, or have the limits taken one? */
static bool all_there(const struct compact *c, size_t from, size_t to,
                      uint64_t *bytes)
{
    struct stat st;

    *bytes = 0;
    for (size_t i = from; i < to; i++) {
        if (fstatat(c->fd, c->entries[i].name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return false;
        *bytes += (uint64_t)st.st_size;
    }
    return true;
}

/* (bytes) as the file (name), for the user alone, on the disk. Returns 0; -1
 * with errno. */
static int write_file(const struct compact *c, const char *name,
                      const void *bytes, size_t size, struct stat *st)
{
    int fd =
        openat(c->fd, name,
               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    size_t done = 0;
    bool good = fd >= 0;

    while (good && done < size) {
        ssize_t n = write(fd, (const uint8_t *)bytes + done, size - done);

        good = n >= 0 || errno == EINTR;
        done += n > 0 ? (size_t)n : 0;
    }
    good = good && fsync(fd) == 0 && fstat(fd, st) == 0;
    if (fd >= 0)
        (void)close(fd);
    return good ? 0 : -1;
}

/* The merged file (name), which (st) is to be, counts as sent: push/queue.c
 * asks for its size and time. */
static int mark_file(const struct compact *c, const char *name,
                     const struct stat *st)
{
    char mark[SPOOL_MARK], text[128];
    struct stat ignored;
    int result = 0;

    (void)snprintf(text, sizeof text, "merged %" PRIu64 " %" PRId64 " 0 -\n",
                   (uint64_t)st->st_size,
                   (int64_t)st->st_mtim.tv_sec * NS_PER_S +
                       st->st_mtim.tv_nsec);
    for (size_t i = 0; i < c->tags.count && result == 0; i++)
        result = write_file(c, spool_mark_name(mark, name, c->tags.list[i]),
                            text, strlen(text), &ignored);
    return result;
}

/* Count marks, and windows that the file would cover. */
static int look_again(struct compact *c, const char *name)
{
    struct entry entry = {.name = strdup(name)};

    if (entry.name == NULL)
        return -1;
    bool window = spool_name_parse(name, &entry.n);

    if (window && same_guest(&entry, c->first) &&
        entry.n.start_ms >= c->first->n.start_ms &&
        entry.n.start_ms <= c->last->n.start_ms)
        c->within++;
    free(entry.name);
    return window ? 0 : spool_tags_take(&c->tags, name);
}

/* The lock's time tells the process that keeps the limits, which looks the
 * whole folder through then: now and then, and at the (end). */
static void tell_limits(struct compact *c, bool end)
{
    uint64_t now = clock_ns();

    if (now - c->told_ns < TELL_NS && !end)
        return;
    c->told_ns = now;
    (void)futimens(c->lock, NULL);
}

/* Put the file in place of windows (from) to (to), if they are all there and
 * sent; the folder is locked. Returns 0; -1 with (e) filled. */
static int replace(struct compact *c, size_t from, size_t to, const char *name,
                   const struct stat *st, struct err *e)
{
    uint64_t bytes;

    c->tags.count = 0;
    c->first = &c->entries[from];
    c->last = &c->entries[to - 1];
    c->within = 0;
    if (look_through(c, look_again, e) != 0)
        return -1;
    /* has a clock that was set back brought one more? */
    if (c->within != to - from || !all_there(c, from, to, &bytes))
        return 0;
    if (!all_sent(c, from, to)) {
        c->sums->unsent += to - from;
        return 0;
    }
    if (mark_file(c, name, st) != 0 ||
        linkat(c->fd, FRESH, c->fd, name, 0) != 0 || fsync(c->fd) != 0)
        return err_sys(e, name);
    for (size_t i = from; i < to; i++)
        remove_window(c, c->entries[i].name);
    c->sums->files++;
    c->sums->windows += to - from;
    c->sums->bytes_before += bytes;
    c->sums->bytes += (uint64_t)st->st_size;
    tell_limits(c, false);
    return 0;
}

/* A file of what was added: windows (from) to (to). Returns as replace(). */
static int put_file(struct compact *c, size_t from, size_t to, struct err *e)
{
    const struct entry *first = &c->entries[from], *last = &c->entries[to - 1];
    char name[SPOOL_NAME];
    struct stat st;
    size_t size = 0;
    uint8_t *bytes = merged_file_end(c->file, &size, e);
    int result = -1;

    if (bytes == NULL)
        return -1;
    (void)snprintf(name, sizeof name, "%.*s.%013" PRIu64 "-%013" PRIu64 "%s",
                   (int)first->n.guest_length, first->name, first->n.start_ms,
                   last->n.start_ms, SPOOL_SUFFIX);
    (void)unlinkat(c->fd, FRESH, 0); /* it may be another file's, still */
    if (write_file(c, FRESH, bytes, size, &st) != 0) {
        (void)err_sys(e, "spool");
    } else if (flock(c->fd, LOCK_EX) != 0) {
        (void)err_sys(e, "spool: lock");
    } else {
        result = replace(c, from, to, name, &st, e);
        (void)flock(c->fd, LOCK_UN);
    }
    (void)unlinkat(c->fd, FRESH, 0);
    free(bytes);
    return result;
}

/* What was added from (*from) to (to) becomes a file, if it is worth one; the
 * next one begins at (next). */
static int end_file(struct compact *c, size_t *from, size_t to, size_t next,
                    struct err *e)
{
    struct err ignored;
    size_t size, begin = *from;

    *from = next;
    if (to - begin > 1)
        return put_file(c, begin, to, e);
    free(to - begin == 1 ? merged_file_end(c->file, &size, &ignored) : NULL);
    return 0;
}

/* Windows (from) to (to), of one guest and span. */
static int merge_windows(struct compact *c, size_t from, size_t to,
                         struct err *e)
{
    int result = 0;

    if (to - from < 2)
        return 0;
    if (!all_sent(c, from, to)) {
        c->sums->unsent += to - from;
        return 0;
    }
    for (size_t i = from; result == 0 && i < to;) {
        const struct entry *entry = &c->entries[i];
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

/* Finish what a killed process has begun: remove windows that are in a file of
 * several, too. */
static int remove_merged(struct compact *c, struct err *e)
{
    const struct entry *several = NULL;
    size_t kept = 0;

    if (flock(c->fd, LOCK_EX) != 0)
        return err_sys(e, "spool: lock");
    for (size_t i = 0; i < c->count; i++) {
        struct entry *entry = &c->entries[i];

        if (several != NULL && entry->n.last_ms == 0 &&
            same_guest(several, entry) &&
            spool_name_covers(&several->n, entry->n.start_ms)) {
            remove_window(c, entry->name);
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

/* What waits for which receiver? */
static void count_waits(const struct compact *c)
{
    for (size_t k = 0; k < c->tags.count; k++) {
        struct compact_wait *wait = &c->sums->waits[k];

        memcpy(wait->tag, c->tags.list[k], sizeof wait->tag);
        for (size_t i = 0; i < c->count; i++) {
            const struct entry *entry = &c->entries[i];

            if (spool_is_marked(c->fd, entry->name, wait->tag))
                continue;
            if (wait->files++ == 0 || entry->n.start_ms < wait->oldest_ms)
                wait->oldest_ms = entry->n.start_ms;
        }
    }
    c->sums->wait_count = c->tags.count;
}

/* Do windows (a) and (b) go into one file? */
static bool go_together(const struct compact *c, const struct entry *a,
                        const struct entry *b)
{
    uint64_t span = c->config->span_ms;

    return same_guest(a, b) && b->n.last_ms == 0 &&
           a->n.start_ms / span == b->n.start_ms / span;
}

static int merge_all(struct compact *c, struct err *e)
{
    uint64_t span = c->config->span_ms;
    int result = 0;

    for (size_t i = 0, end; i < c->count && result == 0; i = end) {
        const struct entry *entry = &c->entries[i];

        end = i + 1;
        /* a file of several, or not over, or not like any of ours? */
        if (entry->n.last_ms != 0 || entry->n.start_ms < 1000000000000 ||
            entry->n.start_ms > 9999999999999 ||
            (entry->n.start_ms / span + 1) * span + OVER_MS > c->config->now_ms)
            continue;
        while (end < c->count && go_together(c, entry, &c->entries[end]))
            end++;
        result = merge_windows(c, i, end, e);
    }
    return result;
}

/* Is nobody else merging here? The lock's file stays. */
static int take_lock(struct compact *c, struct err *e)
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
    struct compact c = {.fd =
                            openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                        .lock = -1,
                        .config = config,
                        .sums = sums,
                        .file = merged_file_new()};
    int result = -1;

    *sums = (struct compact_sums){0};
    if (c.fd < 0)
        (void)err_sys(e, "spool");
    else if (c.file == NULL)
        (void)err_set(e, "out of memory");
    else if (take_lock(&c, e) == 0 && look_through(&c, take_name, e) == 0) {
        if (c.count != 0)
            qsort(c.entries, c.count, sizeof *c.entries, order);
        result = remove_merged(&c, e);
        count_waits(&c);
        if (result == 0)
            result = merge_all(&c, e);
        if (sums->files != 0)
            tell_limits(&c, true);
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

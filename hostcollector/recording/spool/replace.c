/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts merged files in place of the windows that they hold. */
#include "recording/spool/compact_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "recording/spool/each_name.h"
#include "recording/spool/fresh_file.h"

#define NS_PER_S 1000000000
#define FRESH    40 /* size of a temporary name */

/* The temporary name of the (i)th file. */
static const char *fresh_name(char buf[FRESH], size_t i)
{
    (void)snprintf(buf, FRESH, ".merge-fresh-%zu", i);
    return buf;
}

/* Remove the temporary names. The file may have its final name as well. */
static void remove_fresh(const struct replace *r, size_t count)
{
    char fresh[FRESH];

    for (size_t i = 0; i < count; i++)
        (void)unlinkat(r->fd, fresh_name(fresh, i), 0);
}

void replace_init(struct replace *r, int fd, int lock,
                  struct compact_sums *sums)
{
    r->fd = fd;
    r->lock = lock;
    r->sums = sums;
    r->count = 0;
    remove_fresh(r, REPLACE_FILES);
}

bool replace_same_guest(const struct spool_entry *a,
                        const struct spool_entry *b)
{
    return a->n.guest_length == b->n.guest_length &&
           memcmp(a->name, b->name, a->n.guest_length) == 0;
}

bool replace_all_sent(int fd, const struct spool_entry *entries, size_t count,
                      const struct spool_tags *tags)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < tags->count; k++)
            if (!spool_is_marked(fd, entries[i].name, tags->list[k]))
                return false;
    return true;
}

/* The marks go first, so that no mark is left without its window. */
void replace_remove(int fd, const char *name, const struct spool_tags *tags)
{
    (void)spool_marks_remove(fd, name, tags);
    (void)unlinkat(fd, name, 0);
}

/* Call (step) for each file that may replace its windows. Returns 0; -1 with
 * errno. */
static int for_each(struct replace *r, int (*step)(struct replace *r, size_t i))
{
    for (size_t i = 0; i < r->count; i++)
        if (r->files[i].good && step(r, i) != 0)
            return -1;
    return 0;
}

/* Count marks, and windows that a file would cover. */
static int look_again(void *context, const char *name, struct err *e)
{
    struct replace *r = context;
    struct spool_entry entry;

    if (!spool_name_parse(name, &entry.n))
        return spool_tags_take(&r->tags, r->fd, name, e);
    entry.name = (char *)(uintptr_t)name;
    for (size_t i = 0; i < r->count; i++) {
        struct replace_file *f = &r->files[i];

        if (entry.n.start_ms >= f->windows[0].n.start_ms &&
            entry.n.start_ms <= f->windows[f->count - 1].n.start_ms &&
            replace_same_guest(&entry, f->windows))
            f->within++;
    }
    return 0;
}

/* Do all windows of (f) exist, or have the limits removed some? */
static bool all_there(const struct replace *r, struct replace_file *f)
{
    struct stat st;

    for (size_t i = 0; i < f->count; i++) {
        if (fstatat(r->fd, f->windows[i].name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return false;
        f->bytes += (uint64_t)st.st_size;
    }
    return true;
}

/* Decide whether the (i)th file may replace its windows. */
static int check_file(struct replace *r, size_t i)
{
    struct replace_file *f = &r->files[i];

    /* does the folder have another window, since the clock was set back? */
    f->good = f->within == f->count && all_there(r, f);
    if (f->good && !replace_all_sent(r->fd, f->windows, f->count, &r->tags)) {
        r->sums->unsent += f->count;
        f->good = false;
    }
    return 0;
}

/* Create a mark. An older mark of the name is of another file, because an
 * earlier process was killed before its file got the name. The older mark is
 * replaced. */
static int mark_one(const struct replace *r, const char *name, const char *text)
{
    (void)unlinkat(r->fd, name, 0);
    return fresh_file(r->fd, name, text, strlen(text), NULL);
}

/* Mark the (i)th file as sent. fleet/push/queue.c compares its size and
 * time. */
static int mark(struct replace *r, size_t i)
{
    const struct replace_file *f = &r->files[i];
    char name[SPOOL_MARK], text[128];

    (void)snprintf(text, sizeof text, "merged %" PRIu64 " %" PRId64 " 0 -\n",
                   (uint64_t)f->st.st_size,
                   (int64_t)f->st.st_mtim.tv_sec * NS_PER_S +
                       f->st.st_mtim.tv_nsec);
    for (size_t k = 0; k < r->tags.count; k++)
        if (mark_one(r, spool_mark_name(name, f->name, r->tags.list[k]),
                     text) != 0)
            return -1;
    return 0;
}

static int give_name(struct replace *r, size_t i)
{
    char fresh[FRESH];

    return linkat(r->fd, fresh_name(fresh, i), r->fd, r->files[i].name, 0);
}

static int remove_windows(struct replace *r, size_t i)
{
    const struct replace_file *f = &r->files[i];

    for (size_t k = 0; k < f->count; k++)
        replace_remove(r->fd, f->windows[k].name, &r->tags);
    r->sums->files++;
    r->sums->windows += f->count;
    r->sums->bytes_before += f->bytes;
    r->sums->bytes += (uint64_t)f->st.st_size;
    return 0;
}

/* Put the files in place in the locked folder. Returns as replace_all(). */
static int put_in_place(struct replace *r, struct err *e)
{
    r->tags.count = 0;
    if (each_name(r->fd, look_again, r, e) != 0)
        return -1;
    if (for_each(r, check_file) != 0 || for_each(r, mark) != 0)
        return err_sys(e, "spool");
    /* a file without its marks would be sent again */
    if (r->tags.count != 0 && spool_settle(r->fd, e) != 0)
        return -1;
    if (for_each(r, give_name) != 0 || fsync(r->fd) != 0)
        return err_sys(e, "spool");
    (void)for_each(r, remove_windows);
    (void)futimens(r->lock, NULL);
    return 0;
}

int replace_all(struct replace *r, struct err *e)
{
    int result = -1;

    if (r->count == 0)
        return 0;
    if (spool_settle(r->fd, e) != 0) {
        /* nothing to do: the windows stay as they are */
    } else if (flock(r->fd, LOCK_EX) != 0) {
        (void)err_sys(e, "spool: lock");
    } else {
        result = put_in_place(r, e);
        (void)flock(r->fd, LOCK_UN);
    }
    remove_fresh(r, r->count);
    r->count = 0;
    return result;
}

int replace_add(struct replace *r, const struct spool_entry *windows,
                size_t count, const void *bytes, size_t size, struct err *e)
{
    const struct spool_entry *last = &windows[count - 1];
    const size_t i = r->count++;
    struct replace_file *f = &r->files[i];
    char fresh[FRESH];

    *f =
        (struct replace_file){.windows = windows, .count = count, .good = true};
    (void)snprintf(f->name, sizeof f->name,
                   "%.*s.%013" PRIu64 "-%013" PRIu64 "%s",
                   (int)windows->n.guest_length, windows->name,
                   windows->n.start_ms, last->n.start_ms, SPOOL_SUFFIX);
    if (fresh_file(r->fd, fresh_name(fresh, i), bytes, size, &f->st) != 0) {
        (void)err_sys(e, "spool");
        remove_fresh(r, r->count);
        r->count = 0;
        return -1;
    }
    return r->count == REPLACE_FILES ? replace_all(r, e) : 0;
}

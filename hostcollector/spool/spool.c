/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a folder, the oldest first in a list. */
#include "spool/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/spool_name.h"
#include "util/clock.h"
#include "util/vec.h"

#define FRESH ".fresh-" /* how a file is called until it is whole */
#define SENT  ".sent-"  /* what push keeps beside X is X.sent-TAG */
#define TAGS  32u       /* files beside a window, at most */

struct spool_file {
    char *name;
    uint64_t bytes;
    struct spool_name n;
};

struct spool {
    int fd;
    struct spool_limits limits;
    struct spool_file *files; /* the oldest first */
    size_t count, room;
    struct spool_sums sums;
    uint32_t fresh;         /* counts temporary names */
    uint64_t covered_ms;    /* files of several windows begin and end before */
    struct timespec merged; /* when windows were merged last, if ever */
};

static int older(const void *a, const void *b)
{
    const struct spool_file *x = a, *y = b;

    return x->n.start_ms != y->n.start_ms ? (x->n.start_ms > y->n.start_ms) -
                                                (x->n.start_ms < y->n.start_ms)
                                          : strcmp(x->name, y->name);
}

/* Put (name) where it belongs: nearly always at the end. */
static int add(struct spool *s, const char *name, uint64_t bytes)
{
    struct spool_file file = {strdup(name), bytes, {0}};
    size_t at = s->count;

    if (file.name == NULL || !spool_name_parse(name, &file.n) ||
        vec_grow(&s->files, &s->room, s->count, sizeof file) != 0) {
        free(file.name);
        return -1;
    }
    while (at > 0 && older(&s->files[at - 1], &file) > 0)
        at--;
    memmove(s->files + at + 1, s->files + at, (s->count - at) * sizeof file);
    s->files[at] = file;
    s->count++;
    s->sums.files++;
    s->sums.bytes += bytes;
    return 0;
}

/* What is in the folder counts. */
static int take_entry(struct spool *s, const char *name)
{
    struct spool_name n;
    struct stat st;

    if (!spool_name_parse(name, &n) ||
        fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
        return 0;
    struct spool_file file = {strdup(name), (uint64_t)st.st_size, n};

    if (n.last_ms > s->covered_ms)
        s->covered_ms = n.last_ms;

    if (file.name == NULL ||
        vec_grow(&s->files, &s->room, s->count, sizeof file) != 0) {
        free(file.name);
        return -1;
    }
    s->files[s->count++] = file;
    s->sums.files++;
    s->sums.bytes += file.bytes;
    return 0;
}

/* The folder, to be read from its beginning; NULL with errno. */
static DIR *open_folder(int fd)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);

    if (folder == NULL && copy >= 0)
        close(copy);
    return folder;
}

/* Forget the files, which stay. */
static void forget(struct spool *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->files[i].name);
    s->count = 0;
    s->sums.files = s->sums.bytes = 0;
}

/* Look what is in the folder; at the (start), what was not finished goes. */
static int look(struct spool *s, bool start, struct err *e)
{
    DIR *folder = open_folder(s->fd);
    const struct dirent *entry;
    int result = 0;

    if (folder == NULL)
        return err_sys(e, "spool");
    forget(s);
    while (result == 0 && (entry = readdir(folder)) != NULL)
        if (start && strncmp(entry->d_name, FRESH, sizeof FRESH - 1) == 0)
            (void)unlinkat(s->fd, entry->d_name, 0);
        else
            result = take_entry(s, entry->d_name);
    (void)closedir(folder);
    if (s->count != 0)
        qsort(s->files, s->count, sizeof *s->files, older);
    return result == 0 ? 0 : err_set(e, "spool: out of memory");
}

/* When were windows merged last? */
static struct timespec last_merged(const struct spool *s)
{
    struct stat st;

    return fstatat(s->fd, SPOOL_MERGING, &st, AT_SYMLINK_NOFOLLOW) == 0
               ? st.st_mtim
               : (struct timespec){0};
}

/* Another process has windows merged: see which are left. What cannot be looked
 * at now is looked at when the next ones are. */
static void look_again(struct spool *s)
{
    struct timespec now = last_merged(s);
    struct err ignored;

    if (now.tv_sec == s->merged.tv_sec && now.tv_nsec == s->merged.tv_nsec)
        return;
    s->merged = now;
    (void)look(s, false, &ignored);
}

struct spool *spool_open(int fd, const struct spool_limits *limits,
                         struct err *e)
{
    struct spool *s = calloc(1, sizeof *s);

    if (s == NULL) {
        (void)err_set(e, "spool: out of memory");
        return NULL;
    }
    s->fd = fd;
    s->limits = *limits;
    s->merged = last_merged(s);
    if (look(s, true, e) == 0)
        return s;
    spool_close(s);
    return NULL;
}

void spool_close(struct spool *s)
{
    if (s == NULL)
        return;
    forget(s);
    free(s->files);
    free(s);
}

/* Remove the first (count) files; what push keeps beside them goes first, so
 * that nothing is left over without its window. */
static void remove_oldest(struct spool *s, size_t count)
{
    DIR *folder = count != 0 ? open_folder(s->fd) : NULL;
    const struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *sent = strstr(entry->d_name, SPOOL_SUFFIX SENT);
        size_t length = sent != NULL ? (size_t)(sent - entry->d_name) +
                                           sizeof SPOOL_SUFFIX - 1
                                     : 0;

        for (size_t i = 0; sent != NULL && i < count; i++)
            if (strlen(s->files[i].name) == length &&
                strncmp(s->files[i].name, entry->d_name, length) == 0)
                (void)unlinkat(s->fd, entry->d_name, 0);
    }
    if (folder != NULL)
        (void)closedir(folder);
    for (size_t i = 0; i < count; i++) {
        (void)unlinkat(s->fd, s->files[i].name, 0);
        s->sums.files--;
        s->sums.bytes -= s->files[i].bytes;
        s->sums.removed++;
        s->sums.removed_bytes += s->files[i].bytes;
        free(s->files[i].name);
    }
    s->count -= count;
    memmove(s->files, s->files + count, s->count * sizeof *s->files);
}

/* Past the limit by size, a 16th more goes, so that a folder is not looked
 * through for each window. */
static size_t count_too_much(const struct spool *s)
{
    uint64_t bytes = s->sums.bytes, limit = s->limits.bytes;
    size_t count = 0;

    if (limit == 0 || bytes <= limit)
        return 0;
    while (count < s->count && bytes > limit - limit / 16)
        bytes -= s->files[count++].bytes;
    return count;
}

void spool_expire(struct spool *s, uint64_t now_ms)
{
    uint64_t age_ms = s->limits.age_s * 1000;
    size_t count = 0;

    look_again(s);
    while (s->limits.age_s != 0 && count < s->count &&
           s->files[count].n.start_ms < now_ms &&
           now_ms - s->files[count].n.start_ms > age_ms)
        count++;
    if (count != 0)
        remove_oldest(s, count);
}

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

/* The bytes in a file called (fresh). They are not flushed to the disk: that
 * took 0.2 ms, or 10 on a slow one, and 1000 windows may come in a second. A
 * window whose bytes a loss of power took is damaged to its reader. Returns 0;
 * -1 with errno. */
static int write_fresh(const struct spool *s, const char *fresh,
                       const void *bytes, size_t size)
{
    int fd =
        openat(s->fd, fresh,
               O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    int result;

    if (fd < 0)
        return -1;
    result = write_all(fd, bytes, size);
    int why = errno;

    if (close(fd) != 0 && result == 0)
        return -1;
    errno = why;
    return result;
}

/* A time from (start_ms) on that no file of several windows of (guest) has:
 * what lies there is not read. A clock that was set back may ask for such a
 * one. */
static uint64_t after_merged(const struct spool *s, const char *guest,
                             uint64_t start_ms)
{
    size_t length = strlen(guest);

    if (start_ms > s->covered_ms) /* nearly always */
        return start_ms;
    for (size_t i = 0; i < s->count; i++) { /* the oldest first */
        const struct spool_file *f = &s->files[i];

        if (f->n.last_ms != 0 && f->n.guest_length == length &&
            memcmp(f->name, guest, length) == 0 &&
            spool_name_covers(&f->n, start_ms))
            start_ms = f->n.last_ms + 1;
    }
    return start_ms;
}

/* Give (fresh) the first free name from (*start_ms) on, in (name). */
static int link_fresh(const struct spool *s, const char *fresh,
                      const char *guest, uint64_t *start_ms, char *name)
{
    for (unsigned i = 0; i < 1000; i++, ++*start_ms) {
        (void)snprintf(name, SPOOL_NAME, "%s.%013" PRIu64 SPOOL_SUFFIX, guest,
                       *start_ms);
        if (linkat(s->fd, fresh, s->fd, name, 0) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

int spool_put(struct spool *s, const char *guest, uint64_t start_ms,
              const void *bytes, size_t size, struct err *e)
{
    char fresh[64], name[SPOOL_NAME];
    int result = -1;

    if (!spool_name_is_guest(guest))
        return err_set(e, "spool: a guest's name has other characters than "
                          "letters, digits, '.', '_' and '-'");
    look_again(s);
    start_ms = after_merged(s, guest, start_ms);
    (void)snprintf(fresh, sizeof fresh, FRESH "%ld-%" PRIu32, (long)getpid(),
                   s->fresh++);
    if (write_fresh(s, fresh, bytes, size) != 0 ||
        link_fresh(s, fresh, guest, &start_ms, name) != 0)
        (void)err_sys(e, "spool");
    else if (add(s, name, size) != 0)
        result = err_set(e, "spool: out of memory");
    else
        result = 0;
    (void)unlinkat(s->fd, fresh, 0);
    if (count_too_much(s) != 0)
        remove_oldest(s, count_too_much(s));
    spool_expire(s, clock_wall_ns() / 1000000);
    return result;
}

struct spool_sums spool_sums(const struct spool *s)
{
    struct spool_sums sums = s->sums;

    sums.oldest_ms = s->count != 0 ? s->files[0].n.start_ms : 0;
    return sums;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* A spool: a folder with one file for each window. */
#include "recording/spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/spool/each_name.h"
#include "recording/spool/fresh_file.h"
#include "recording/spool/spool_name.h"
#include "recording/spool/spool_parts.h"
#include "util/host_clock.h"
#include "util/io.h"
#include "util/vec.h"

#define FRESH    ".fresh-" /* beginning of temporary names */
#define ATTEMPTS 3u        /* tries to write a window to a full disk */

static int older(const void *a, const void *b)
{
    const struct spool_file *x = a, *y = b;

    return x->n.start_ms != y->n.start_ms ? (x->n.start_ms > y->n.start_ms) -
                                                (x->n.start_ms < y->n.start_ms)
                                          : strcmp(x->name, y->name);
}

/* Count (file) for its guest. Returns 0; -1 if there is no memory. */
static int count_file(struct spool *s, struct spool_file *file)
{
    file->guest =
        spool_guests_get(&s->guests, file->name, file->n.guest_length);
    if (file->guest == NULL)
        return -1;
    file->guest->bytes += file->bytes;
    s->sums.files++;
    s->sums.bytes += file->bytes;
    return 0;
}

/* Insert (name) in order of start, which is nearly always at the end. */
static int add_file(struct spool *s, const char *name, uint64_t bytes,
                    uint64_t samples)
{
    struct spool_file file = {
        .name = strdup(name), .bytes = bytes, .samples = samples};
    size_t at = s->count;

    if (file.name == NULL || !spool_name_parse(name, &file.n) ||
        vec_grow(&s->files, &s->room, s->count, sizeof file) != 0 ||
        count_file(s, &file) != 0) {
        free(file.name);
        return -1;
    }
    while (at > 0 && older(&s->files[at - 1], &file) > 0)
        at--;
    memmove(s->files + at + 1, s->files + at, (s->count - at) * sizeof file);
    s->files[at] = file;
    s->count++;
    return 0;
}

/* The result of reading the folder. */
struct found {
    int fd;     /* the folder */
    bool start; /* remove unfinished files */
    struct spool_file *files;
    size_t count, room;
};

static int take_file(void *context, const char *name, struct err *e)
{
    struct found *found = context;
    struct spool_file file = {.name = NULL};

    if (found->start && strncmp(name, FRESH, sizeof FRESH - 1) == 0)
        (void)unlinkat(found->fd, name, 0);
    if (!spool_name_parse(name, &file.n))
        return 0;
    file.name = strdup(name);
    if (file.name == NULL ||
        vec_grow(&found->files, &found->room, found->count, sizeof file) != 0) {
        free(file.name);
        return err_set(e, "spool: out of memory");
    }
    found->files[found->count++] = file;
    return 0;
}

static void free_files(struct spool_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(files[i].name);
    free(files);
}

/* Complete (file) by its size. Returns false if the file does not count. A file
 * never changes, so files among the (count) known files at (old) keep their
 * size; stat() is called only for others. (*at) is the next position in (old),
 * because both lists are sorted. */
static bool know(const struct spool *s, struct spool_file *file, size_t *at)
{
    struct stat st;

    while (*at < s->count && older(&s->files[*at], file) < 0)
        ++*at;
    if (*at < s->count && older(&s->files[*at], file) == 0) {
        file->bytes = s->files[*at].bytes;
        file->samples = s->files[*at].samples;
        return true;
    }
    if (fstatat(s->fd, file->name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
        return false;
    file->bytes = (uint64_t)st.st_size;
    return true;
}

/* Replace the list of files by (found). */
static void adopt(struct spool *s, struct found *found)
{
    size_t kept = 0, at = 0;

    spool_guests_fini(&s->guests);
    if (found->count != 0)
        qsort(found->files, found->count, sizeof *found->files, older);
    s->sums.files = s->sums.bytes = 0;
    for (size_t i = 0; i < found->count; i++) {
        struct spool_file *file = &found->files[i];

        if (!know(s, file, &at) || count_file(s, file) != 0) {
            free(file->name);
            continue;
        }
        if (file->n.last_ms > s->covered_ms)
            s->covered_ms = file->n.last_ms;
        found->files[kept++] = *file;
    }
    free_files(s->files, s->count);
    s->files = found->files;
    s->count = kept;
    s->room = found->room;
}

/* Read the folder. With (start), remove unfinished files. */
static int read_folder(struct spool *s, bool start, struct err *e)
{
    struct found found = {.fd = s->fd, .start = start};

    if (each_name(s->fd, take_file, &found, e) != 0) {
        free_files(found.files, found.count);
        return -1;
    }
    adopt(s, &found);
    return 0;
}

/* The time of the last merge by any process. */
static struct timespec last_merged(const struct spool *s)
{
    struct stat st;

    return fstatat(s->fd, SPOOL_MERGING, &st, AT_SYMLINK_NOFOLLOW) == 0
               ? st.st_mtim
               : (struct timespec){0};
}

/* After an error the folder is read at the next merge. */
void spool_look_again(struct spool *s)
{
    struct timespec now = last_merged(s);
    struct err ignored;

    if (now.tv_sec == s->merged.tv_sec && now.tv_nsec == s->merged.tv_nsec)
        return;
    s->merged = now;
    (void)read_folder(s, false, &ignored);
}

static struct spool_now time_now(void)
{
    return (struct spool_now){clock_wall_ns() / 1000000,
                              clock_up_ns() / 1000000};
}

struct spool *spool_open(int fd, const struct spool_limits *limits,
                         struct err *e)
{
    struct spool *s = calloc(1, sizeof *s);
    struct spool_now now;

    if (s == NULL) {
        (void)err_set(e, "spool: out of memory");
        return NULL;
    }
    s->fd = fd;
    s->limits = *limits;
    s->merged = last_merged(s);
    now = time_now();
    /* the first time, with which later ones are compared */
    (void)spool_is_steady(s, &now);
    if (read_folder(s, true, e) == 0)
        return s;
    spool_close(s);
    return NULL;
}

void spool_close(struct spool *s)
{
    if (s == NULL)
        return;
    free_files(s->files, s->count);
    spool_guests_fini(&s->guests);
    free(s);
}

/* Returns the first time from (start_ms) on that is in no merged file of
 * (guest), because readers ignore a window whose time is in one. Such times
 * occur if a clock was set back. */
static uint64_t after_merged(const struct spool *s, const char *guest,
                             uint64_t start_ms)
{
    size_t length = strlen(guest);

    if (start_ms > s->covered_ms) /* nearly always true */
        return start_ms;
    for (size_t i = 0; i < s->count; i++) { /* in order of start */
        const struct spool_file *f = &s->files[i];

        if (f->n.last_ms != 0 && f->n.guest_length == length &&
            memcmp(f->name, guest, length) == 0 &&
            spool_name_covers(&f->n, start_ms))
            start_ms = f->n.last_ms + 1;
    }
    return start_ms;
}

/* Link (fresh) to the first free name from (*start_ms) on. Store that time in
 * (*start_ms), and the name in (name). */
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

/* Write the file and give it a name, which is stored in (name). Does not wait
 * for the disk, which takes 0.2 ms, or 10 ms on a slow disk, while 1000
 * windows may come each second; spool_settle() waits for all. Returns 0; -1
 * with errno. */
static int put_file(struct spool *s, const char *guest, uint64_t *start_ms,
                    const void *bytes, size_t size, char *name)
{
    char fresh[64];
    int result, why;

    (void)snprintf(fresh, sizeof fresh, FRESH "%ld-%" PRIu32, (long)getpid(),
                   s->fresh++);
    result = fresh_file(s->fd, fresh, bytes, size, NULL);
    if (result == 0)
        result = link_fresh(s, fresh, guest, start_ms, name);
    why = errno;
    (void)unlinkat(s->fd, fresh, 0);
    errno = why;
    return result;
}

int spool_put(struct spool *s, const char *guest, uint64_t start_ms,
              const void *bytes, size_t size, uint64_t samples, struct err *e)
{
    const struct spool_now now = time_now();
    char name[SPOOL_NAME];
    unsigned attempts = 0;
    int result, why;

    if (!spool_name_is_guest(guest))
        return err_set(e, "spool: a guest's name has other characters than "
                          "letters, digits, '.', '_' and '-'");
    spool_look_again(s);
    start_ms = after_merged(s, guest, start_ms);
    do {
        result = put_file(s, guest, &start_ms, bytes, size, name);
        why = errno;
    } while (result != 0 && io_no_room(why) && ++attempts < ATTEMPTS &&
             spool_make_room(s, size, &now));
    errno = why;
    if (result != 0)
        (void)err_sys(e, "spool");
    else if (add_file(s, name, size, samples) != 0)
        result = err_set(e, "spool: out of memory");
    spool_keep_size(s, &now);
    spool_expire(s, &now);
    return result;
}

int spool_settle(int fd, struct err *e)
{
    return syncfs(fd) == 0
               ? 0
               : err_sys(e, "spool: cannot write the files to the disk");
}

struct spool_totals spool_sums(const struct spool *s)
{
    struct spool_totals sums = s->sums;

    sums.oldest_ms = s->count != 0 ? s->files[0].n.start_ms : 0;
    return sums;
}

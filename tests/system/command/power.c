/* SPDX-License-Identifier: BSD-2-Clause */
#include "power.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define CHANGES 8192
#define FDS     1024
#define NAME    256

enum what { BYTES, NAMED, UNNAMED, SETTLED_FILE, SETTLED_NAMES, SETTLED_ALL };

struct change {
    enum what what;
    unsigned name; /* NAMED, UNNAMED: its number */
    unsigned file; /* likewise, from 1 on */
    uint64_t time_ms;
    bool kept; /* for the folder that is made */
};

uint64_t power_now_ms = 1764000000000;

static bool noting;
static struct change changes[CHANGES];
static size_t count;
static char names[CHANGES][NAME];
static unsigned name_count;
static unsigned has[CHANGES];    /* which file has a name; 0: none */
static unsigned files;           /* that were made */
static bool settled[CHANGES];    /* files; */
static bool part[CHANGES];       /* of which bytes are missing */
static unsigned file_of_fd[FDS]; /* 0: none of ours */

/* The file whose bytes are those of (file), all of them; bytes of one are noted
 * once, as they are written by one call. */
static const char *bytes_path(char path[64], unsigned file)
{
    (void)snprintf(path, 64, "bytes/%u", file);
    return path;
}

static unsigned number_of(const char *name)
{
    unsigned i = 0;

    while (i < name_count && strcmp(names[i], name) != 0)
        i++;
    if (i == name_count) {
        CHECK(name_count < CHANGES);
        (void)snprintf(names[name_count++], NAME, "%s", name);
    }
    return i;
}

static void note(enum what what, const char *name, unsigned file)
{
    if (!noting)
        return;
    CHECK(count < CHANGES);
    changes[count] =
        (struct change){.what = what, .file = file, .time_ms = power_now_ms};
    if (name != NULL) {
        changes[count].name = number_of(name);
        has[changes[count].name] = file;
    }
    count++;
}

/* The calls. */

int __real_openat(int fd, const char *name, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_close(int fd);
int __real_linkat(int fd, const char *from, int to_fd, const char *to, int f);
int __real_unlinkat(int fd, const char *name, int flags);
int __real_fsync(int fd);
int __wrap_openat(int fd, const char *name, int flags, ...);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_close(int fd);
int __wrap_linkat(int fd, const char *from, int to_fd, const char *to, int f);
int __wrap_unlinkat(int fd, const char *name, int flags);
int __wrap_fsync(int fd);
int __wrap_syncfs(int fd);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_openat(int fd, const char *name, int flags, ...)
{
    va_list rest;
    mode_t mode = 0;

    if ((flags & O_CREAT) != 0) {
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    unsigned had = noting && (flags & O_CREAT) != 0 ? has[number_of(name)] : 0;
    int opened = __real_openat(fd, name, flags, mode);

    if (opened < 0 || opened >= FDS || !noting || (flags & O_CREAT) == 0)
        return opened;
    CHECK((flags & O_TRUNC) == 0); /* nothing is written over */
    file_of_fd[opened] = had;
    if (had == 0) {
        char path[64];
        int bytes = __real_openat(AT_FDCWD, bytes_path(path, ++files),
                                  O_WRONLY | O_CREAT | O_TRUNC, 0600);

        CHECK(bytes >= 0 && __real_close(bytes) == 0);
        file_of_fd[opened] = files;
        note(NAMED, name, files);
    }
    return opened;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    ssize_t n = __real_write(fd, bytes, size);
    char path[64];

    if (noting && n > 0 && fd < FDS && file_of_fd[fd] != 0) {
        int to = __real_openat(AT_FDCWD, bytes_path(path, file_of_fd[fd]),
                               O_WRONLY | O_APPEND);

        CHECK(to >= 0 && __real_write(to, bytes, (size_t)n) == n);
        CHECK_EQ(__real_close(to), 0);
        note(BYTES, NULL, file_of_fd[fd]);
    }
    return n;
}

int __wrap_close(int fd)
{
    if (fd >= 0 && fd < FDS)
        file_of_fd[fd] = 0;
    return __real_close(fd);
}

int __wrap_linkat(int fd, const char *from, int to_fd, const char *to, int f)
{
    int result = __real_linkat(fd, from, to_fd, to, f);

    if (noting && result == 0)
        note(NAMED, to, has[number_of(from)]);
    return result;
}

int __wrap_unlinkat(int fd, const char *name, int flags)
{
    int result = __real_unlinkat(fd, name, flags);

    if (noting && result == 0)
        note(UNNAMED, name, 0);
    return result;
}

int __wrap_fsync(int fd)
{
    struct stat st;

    CHECK_EQ(fstat(fd, &st), 0);
    if (S_ISDIR(st.st_mode))
        note(SETTLED_NAMES, NULL, 0);
    else if (noting && file_of_fd[fd] != 0)
        note(SETTLED_FILE, NULL, file_of_fd[fd]);
    return 0;
}

int __wrap_syncfs(int fd)
{
    (void)fd;
    note(SETTLED_ALL, NULL, 0);
    return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock; /* which nobody sets */
    t->tv_sec = (time_t)(power_now_ms / 1000);
    t->tv_nsec = (long)(power_now_ms % 1000 * 1000000);
    return 0;
}

/* What was noted. */

void power_begin(void)
{
    CHECK_EQ(mkdir("bytes", 0700), 0);
    noting = true;
}

void power_end(void)
{
    noting = false;
}

size_t power_count(void)
{
    return count;
}

uint64_t power_time_ms(size_t i)
{
    return changes[i < count ? i : count - 1].time_ms;
}

const char *power_named(size_t i)
{
    return changes[i].what == NAMED ? names[changes[i].name] : NULL;
}

static bool is_name(const struct change *c)
{
    return c->what == NAMED || c->what == UNNAMED;
}

/* Keep what was settled before (end). */
static void keep_settled(size_t end)
{
    bool all = false, all_names = false;

    memset(settled, 0, sizeof settled);
    for (size_t i = end; i-- > 0;) {
        struct change *c = &changes[i];

        all |= c->what == SETTLED_ALL;
        all_names |= c->what == SETTLED_NAMES;
        settled[c->file] |= c->what == SETTLED_FILE;
        c->kept |= all || (all_names && is_name(c)) ||
                   (c->what == BYTES && settled[c->file]);
    }
}

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* Which of the changes before (end) does the disk have? */
static void choose(size_t end, enum power_kept kept, uint32_t *state)
{
    uint32_t percent = draw(state, 100); /* of each change */

    for (size_t i = 0; i < end; i++) {
        struct change *c = &changes[i];

        c->kept = kept == POWER_ALL || (kept == POWER_NAMES && is_name(c)) ||
                  (kept == POWER_BYTES && !is_name(c)) ||
                  (kept == POWER_SOME && draw(state, 100) < percent);
    }
    keep_settled(end);
}

/* Which file has each name, and which files have not all of their bytes? */
static void replay(size_t end)
{
    memset(has, 0, sizeof has);
    memset(part, 0, sizeof part);
    for (size_t i = 0; i < count; i++) {
        const struct change *c = &changes[i];

        if (c->what == BYTES && (i >= end || !c->kept))
            part[c->file] = true;
        if (is_name(c) && i < end && c->kept)
            has[c->name] = c->what == NAMED ? c->file : 0;
    }
}

static void clear(const char *path)
{
    DIR *d = opendir(path);
    const struct dirent *entry;

    if (d == NULL) {
        CHECK_EQ(mkdir(path, 0700), 0);
        return;
    }
    while ((entry = readdir(d)) != NULL)
        if (entry->d_name[0] != '.' || entry->d_name[1] > '.')
            CHECK_EQ(__real_unlinkat(dirfd(d), entry->d_name, 0), 0);
    closedir(d);
}

/* A file at (path) of which not all bytes are there: none, some, or others. */
static void put_part(const char *path, unsigned file, uint32_t lot)
{
    char from[64];
    static char bytes[1 << 16];
    int fd = __real_openat(AT_FDCWD, bytes_path(from, file), O_RDONLY);
    ssize_t n = read(fd, bytes, sizeof bytes);

    CHECK(n >= 0 && __real_close(fd) == 0);
    if (lot % 3 == 0)
        n = 0;
    else if (lot % 3 == 1)
        n /= 2;
    else
        memset(bytes, 0, (size_t)n);
    fd = __real_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && __real_write(fd, bytes, (size_t)n) == n);
    CHECK_EQ(__real_close(fd), 0);
}

void power_cut(const char *path, size_t end, enum power_kept kept,
               uint32_t seed)
{
    char to[NAME + 64], from[64];

    choose(end, kept, &seed);
    replay(end);
    clear(path);
    for (unsigned i = 0; i < name_count; i++) {
        (void)snprintf(to, sizeof to, "%s/%s", path, names[i]);
        if (has[i] != 0 && part[has[i]])
            put_part(to, has[i], kept == POWER_SOME ? draw(&seed, 3) : 0);
        else if (has[i] != 0)
            CHECK_EQ(__real_linkat(AT_FDCWD, bytes_path(from, has[i]), AT_FDCWD,
                                   to, 0),
                     0);
    }
}

bool power_is_there(const char *name)
{
    return has[number_of(name)] != 0;
}

bool power_is_whole(const char *name)
{
    return power_is_there(name) && !part[has[number_of(name)]];
}

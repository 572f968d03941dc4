/* SPDX-License-Identifier: BSD-2-Clause */
/* Claims output files: one process writes each file. */
#include "guard/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/magic.h"
#include "util/vec.h"

#define FLAGS      (O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY)
#define START_SIZE 4096 /* bytes that are searched for our formats */
#define SAMPLES    1024 /* bytes: a smaller recording has hardly any samples */

struct file_id {
    dev_t device;
    ino_t inode;
};

static bool any; /* files that tprof did not write may be replaced */
struct file_list {
    struct file_id *files;
    size_t count, room;
};
static struct file_list made; /* files that claim_file() created for reports */

/* A recording that claim_file() created in place of another file. If the other
 * file was removed, this is its copy. */
struct replacing {
    struct file_id id;
    mode_t mode;
    size_t size; /* 0: it has the name PATH.old */
    char bytes[SAMPLES];
};
static struct {
    struct replacing *list;
    size_t count, room;
} replacements;

bool claim_same(const char *a, const char *b)
{
    struct stat one, other;

    return a != NULL && b != NULL && stat(a, &one) == 0 &&
           stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

void claim_force(void)
{
    any = true;
}

/* The beginning of a format: (first) at the start, and (then) somewhere after.
 */
struct beginning {
    const char *first, *then;
};

static const struct beginning beginnings[] = {
    {"{\"", "tprof"}, /* JSON of all kinds */
    {"<!DOCTYPE html>\n<!-- made by tprof", ""},
    {"<svg ", " by tprof\""},
    {"<!-- made by tprof", ""}, /* Markdown */
    {"guest,core,", ""},
    {"# callgrind format\n", "creator: tprof"},
    {"PERFILE2", ""},
    {"\n\x11\xda\x03\n\xa2\x06\a\n\x05tprof", ""}, /* Perfetto */
    {"core 0 1000/", " cpu-clock:u: "},            /* perf script */
    {"no_lbr\n", ""},
};

/* gzip: magic number, deflate, and the flag for a comment. */
#define GZIP_BEGINNING "\x1f\x8b\x08\x10"
#define GZIP_COMMENT   10u

/* Is (line) one of folded stacks? Those have "core0;main" or
 * "blocked;Ping", after the guest's name if there are several guests. */
static bool is_folded(const char *line)
{
    if (strstr(line, "blocked;") != NULL)
        return true;
    while ((line = strstr(line, "core")) != NULL) {
        line += strlen("core");
        size_t digits = strspn(line, "0123456789");

        if (digits > 0 && line[digits] == ';')
            return true;
    }
    return false;
}

/* Does (line) begin as our texts do: "app.elf: 1,384 samples of 2 cores"? */
static bool is_text(const char *line)
{
    const char *name = strstr(line, ": ");

    return name != NULL && (strstr(name, " samples") != NULL ||
                            strncmp(line, "core ", strlen("core ")) == 0);
}

/* Does the file (path) begin like one of our formats? */
static bool is_ours(const char *path)
{
    char bytes[START_SIZE + 1] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, START_SIZE);

    if (fd >= 0)
        (void)close(fd);
    bytes[n < 0 ? 0 : n] = '\0';
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        const struct beginning *b = &beginnings[i];

        if (strncmp(bytes, b->first, strlen(b->first)) == 0 &&
            strstr(bytes, b->then) != NULL)
            return true;
    }
    if (memcmp(bytes, GZIP_BEGINNING, strlen(GZIP_BEGINNING)) == 0)
        return strcmp(bytes + GZIP_COMMENT, "tprof") == 0;
    bytes[strcspn(bytes, "\n")] = '\0';
    return is_folded(bytes) || is_text(bytes);
}

/* The kind of a file that must not be replaced, by its first bytes; NULL if it
 * may be replaced. */
static const char *precious(const char *path, enum claim how)
{
    switch (magic_of_file(path)) {
    case MAGIC_ELF:
        return "an image (ELF)";
    case MAGIC_PE:
        return "an image (PE)";
    case MAGIC_CORE:
        return "a guest's memory (ELF)";
    case MAGIC_RECORDING:
        return how == CLAIM_REPORT ? "a recording" : NULL;
    case MAGIC_OTHER:
        if (any || (how == CLAIM_REPORT && is_ours(path)))
            return NULL;
        return how == CLAIM_REPORT ? "not a file that tprof wrote (add --force)"
                                   : "not a recording (add --force)";
    default:
        return NULL;
    }
}

static int fail_claim(int fd, const char *path, const char *what, struct err *e)
{
    (void)err_set(e, "%s: %s: name another file by -o", path, what);
    (void)close(fd);
    return -1;
}

/* Lock (fd), which was opened as (path). Returns (fd), or -1. */
static int lock(int fd, const char *path, struct err *e)
{
    struct stat file, named;

    /* some file systems have no locks; go on without one */
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return fail_claim(fd, path,
                          "in use by another collector, or named "
                          "twice",
                          e);
    /* another process may have renamed the file meanwhile */
    if (fstat(fd, &file) != 0 || stat(path, &named) != 0 ||
        file.st_ino != named.st_ino || file.st_dev != named.st_dev)
        return fail_claim(fd, path, "in use by another collector", e);
    return fd;
}

/* Remember the file. If there is no memory, the file is not remembered: it may
 * stay behind empty, or in place of an older one. */
static void remember(struct file_list *list, int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && vec_grow(&list->files, &list->room, list->count,
                                        sizeof list->files[0]) == 0)
        list->files[list->count++] = (struct file_id){st.st_dev, st.st_ino};
}

static bool is_file(const struct file_id *id, const struct stat *st)
{
    return id->device == st->st_dev && id->inode == st->st_ino;
}

static bool is_listed(const struct file_list *list, const struct stat *st)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_file(&list->files[i], st))
            return true;
    return false;
}

/* Is the file too small to replace PATH.old? Two failed attempts in a row must
 * not destroy the last recording with samples. */
static bool has_less(int fd, const char *old)
{
    struct stat now, before;

    return fstat(fd, &now) == 0 && stat(old, &before) == 0 &&
           now.st_size < SAMPLES && before.st_size >= SAMPLES;
}

/* Write into (target) the file that (path) names or links to, and into (fresh)
 * the name of the file that will replace it; PATH_MAX bytes each. */
static int name_fresh(const char *path, char *target, char *fresh)
{
    const char *slash;
    int folder;

    if (realpath(path, target) == NULL)
        return -1;
    slash = strrchr(target, '/');
    folder = (int)(slash - target) + 1;
    if (snprintf(fresh, PATH_MAX, "%.*s.%s.%d.tmp", folder, target, slash + 1,
                 (int)getpid()) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

/* Keep the bytes of the file (path) in (copy). */
static int copy_small(const char *path, struct replacing *copy)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 || fstat(fd, &st) != 0
                    ? -1
                    : read(fd, copy->bytes, sizeof copy->bytes);

    if (fd >= 0)
        (void)close(fd);
    if (n < 0)
        return -1;
    copy->mode = st.st_mode & 0777;
    copy->size = (size_t)n;
    return 0;
}

/* Remember the recording. As in remember(), a lack of memory goes unnoticed. */
static void remember_replacing(int fd, struct replacing *other)
{
    struct stat st;

    if (fstat(fd, &st) != 0 ||
        vec_grow(&replacements.list, &replacements.room, replacements.count,
                 sizeof *replacements.list) != 0)
        return;
    other->id = (struct file_id){st.st_dev, st.st_ino};
    replacements.list[replacements.count++] = *other;
}

/* Rename (path) to (aside), and return a new file at (path). If there is none,
 * the other file has its name again. */
static int open_instead(const char *path, const char *aside, mode_t mode,
                        struct err *e)
{
    if (rename(path, aside) != 0)
        return err_set(e, "%s: cannot be renamed to %s: %s", path, aside,
                       strerror(errno));
    int fresh = open(path, FLAGS | O_EXCL, mode);

    if (fresh >= 0)
        return fresh;
    bool is_there = errno == EEXIST; /* made by another process since */

    (void)err_sys(e, path);
    if (!is_there)
        (void)rename(aside, path);
    return -1;
}

/* Put the file (path) away, which is open as (fd) and locked, and return a new
 * file there. */
static int put_away(int fd, const char *path, mode_t mode, struct err *e)
{
    char old[PATH_MAX + 8], same[PATH_MAX], small[PATH_MAX];
    struct replacing other = {.size = 0};
    int fresh = -1;

    (void)snprintf(old, sizeof old, "%s.old", path);
    if (!has_less(fd, old))
        fresh = open_instead(path, old, mode, e);
    else if (name_fresh(path, same, small) != 0 ||
             copy_small(path, &other) != 0)
        (void)err_sys(e, path);
    else if ((fresh = open_instead(path, small, mode, e)) >= 0)
        (void)unlink(small);
    if (fresh >= 0)
        fresh = lock(fresh, path, e);
    if (fresh >= 0)
        remember_replacing(fresh, &other);
    (void)close(fd);
    return fresh;
}

/* Is (path) an empty file that claim_file() created? */
static bool still_empty(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size == 0 && is_listed(&made, &st);
}

static int open_claimed(const char *path, mode_t mode, enum claim how)
{
    int fd = open(path, FLAGS | O_EXCL, mode);

    if (fd >= 0 && how == CLAIM_REPORT)
        remember(&made, fd);
    return fd >= 0 || errno != EEXIST ? fd : open(path, FLAGS, mode);
}

int claim_file(const char *path, mode_t mode, enum claim how, struct err *e)
{
    char target[PATH_MAX];
    struct stat st;
    int fd = open_claimed(path, mode, how);

    if (fd < 0)
        return err_sys(e, path);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return fd;
    const char *what = st.st_size > 0 ? precious(path, how) : NULL;

    if (what != NULL) {
        (void)close(fd);
        return err_set(e,
                       "%s: is %s, and would be overwritten: name another "
                       "file by -o",
                       path, what);
    }
    fd = lock(fd, path, e);
    if (fd < 0 || how != CLAIM_RECORDING)
        return fd;
    if (st.st_size == 0) {
        (void)fchmod(fd, mode); /* the file of another user keeps its mode */
        return fd;
    }
    if (realpath(path, target) == NULL)
        return fail_claim(fd, path, strerror(errno), e);
    return put_away(fd, target, mode, e);
}

int claim_fresh(const char *path, struct err *e)
{
    char target[PATH_MAX], fresh[PATH_MAX];
    struct stat st;

    if (name_fresh(path, target, fresh) != 0 || stat(target, &st) != 0)
        return err_sys(e, path);
    (void)unlink(fresh); /* left by a killed process with our process id */
    int fd = open(fresh, FLAGS | O_EXCL, st.st_mode & 0777);

    if (fd < 0) /* the folder belongs to another user */
        fd = open(target, FLAGS | O_TRUNC, 0666);
    else
        (void)fchmod(fd, st.st_mode & 0777);
    return fd < 0 ? err_sys(e, path) : fd;
}

int claim_settle(const char *path, bool keep)
{
    char target[PATH_MAX], fresh[PATH_MAX];

    if (name_fresh(path, target, fresh) != 0)
        return -1;
    int result = keep ? rename(fresh, target) : unlink(fresh);

    if (result != 0 && errno == ENOENT)
        result = 0;
    if (result == 0 && !keep && still_empty(target))
        result = unlink(target);
    return result;
}

/* Replace the file (target) by the (copy) of another one. */
static int write_copy(const char *target, const struct replacing *copy)
{
    char same[PATH_MAX], fresh[PATH_MAX];
    int fd = -1;

    if (name_fresh(target, same, fresh) == 0)
        fd = open(fresh, FLAGS | O_EXCL, copy->mode);
    if (fd < 0)
        return -1;
    bool whole = fchmod(fd, copy->mode) == 0 &&
                 write(fd, copy->bytes, copy->size) == (ssize_t)copy->size;

    if (close(fd) == 0 && whole && rename(fresh, target) == 0)
        return 0;
    (void)unlink(fresh);
    return -1;
}

int claim_undo(const char *path)
{
    char target[PATH_MAX], old[PATH_MAX + 8];
    struct stat st;

    if (realpath(path, target) == NULL || stat(target, &st) != 0)
        return -1;
    for (size_t i = 0; i < replacements.count; i++) {
        const struct replacing *other = &replacements.list[i];

        if (!is_file(&other->id, &st))
            continue;
        if (other->size != 0)
            return write_copy(target, other);
        (void)snprintf(old, sizeof old, "%s.old", target);
        return rename(old, target);
    }
    errno = ENOENT;
    return -1;
}

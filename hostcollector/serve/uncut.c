/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of cores and counts in a mapped file. A place is written anew before
 * it counts, so that whatever a process is killed at, a count is its core's. */
#include "serve/uncut.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/vec.h"

#define NAME       ".uncut"   /* no window is called so */
#define PLACES_MAX (1u << 22) /* more than --memory admits */
#define MAGIC      "tprof open cores"

struct file {
    char magic[sizeof MAGIC - 1];
    struct uncut_core core[];
};

struct uncut {
    int fd;
    size_t places;
    struct file *file;
    size_t taken;   /* places from here on were never taken */
    uint32_t *free; /* those before that are given back */
    size_t free_count, free_room;
    struct uncut_core *left; /* by an earlier process, in order */
    size_t left_count, left_room;
};

static size_t size_of(size_t places)
{
    return sizeof(struct file) + places * sizeof(struct uncut_core);
}

/* The file, locked for as long as this process lives: its children do not hold
 * that lock. */
static int open_file(struct uncut *u, int folder, struct err *e)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    u->fd =
        openat(folder, NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (u->fd < 0)
        return err_sys(e, NAME);
    if (fcntl(u->fd, F_SETLK, &whole) == 0)
        return 0;
    return errno == EAGAIN || errno == EACCES
               ? err_set(e, "another collector serve keeps windows in that "
                            "folder: give each a folder of its own")
               : err_sys(e, NAME);
}

static int by_core(const void *a, const void *b)
{
    const struct uncut_core *left = a, *right = b;
    int order = strcmp(left->guest, right->guest);

    return order != 0 ? order
                      : (left->core > right->core) - (left->core < right->core);
}

/* Set aside what an earlier process left, which may have had more places, or
 * fewer: behind those that it took there is nothing. A file of another kind
 * says nothing. */
static int take_left(struct uncut *u, struct err *e)
{
    char magic[sizeof MAGIC - 1];
    struct uncut_core core;
    size_t at = sizeof magic;

    if (pread(u->fd, magic, sizeof magic, 0) != sizeof magic ||
        memcmp(magic, MAGIC, sizeof magic) != 0)
        return 0;
    for (; at < size_of(PLACES_MAX) &&
           pread(u->fd, &core, sizeof core, (off_t)at) == sizeof core &&
           core.guest[0] != '\0';
         at += sizeof core) {
        if (core.samples == 0)
            continue;
        if (vec_grow(&u->left, &u->left_room, u->left_count, sizeof core) != 0)
            return err_set(e, "out of memory");
        core.guest[sizeof core.guest - 1] = '\0';
        u->left[u->left_count++] = core;
    }
    if (u->left_count != 0)
        qsort(u->left, u->left_count, sizeof *u->left, by_core);
    return 0;
}

/* Begin with nothing: (u->places) places, of which none was ever taken. */
static int map_file(struct uncut *u, struct err *e)
{
    size_t size = size_of(u->places);

    if (ftruncate(u->fd, 0) != 0 || ftruncate(u->fd, (off_t)size) != 0)
        return err_sys(e, NAME);

    void *file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, 0);

    if (file == MAP_FAILED)
        return err_sys(e, NAME);
    u->file = file;
    memcpy(u->file->magic, MAGIC, sizeof u->file->magic);
    return 0;
}

struct uncut *uncut_open(int fd, size_t places, struct err *e)
{
    struct uncut *u = calloc(1, sizeof *u);

    if (u == NULL) {
        (void)err_set(e, "out of memory");
        return NULL;
    }
    u->places = places;
    if (open_file(u, fd, e) == 0 && take_left(u, e) == 0 && map_file(u, e) == 0)
        return u;
    uncut_close(u);
    return NULL;
}

void uncut_close(struct uncut *u)
{
    if (u == NULL)
        return;
    if (u->file != NULL)
        (void)munmap(u->file, size_of(u->places));
    if (u->fd >= 0)
        (void)close(u->fd);
    free(u->left);
    free(u->free);
    free(u);
}

/* Where the cores of guests from (name) on begin. */
static size_t find_left(const struct uncut *u, const char *name)
{
    size_t low = 0, high = u->left_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(u->left[middle].guest, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct uncut_lost uncut_lost(const struct uncut *u)
{
    struct uncut_lost lost = {.cores = u->left, .count = u->left_count};

    for (size_t i = 0; i < u->left_count; i++) {
        const struct uncut_core *core = &u->left[i];

        lost.samples += core->samples;
        lost.guests += i == 0 || strcmp(core[-1].guest, core->guest) != 0;
    }
    return lost;
}

uint64_t uncut_lost_of(const struct uncut *u, const char *name)
{
    uint64_t samples = 0;

    for (size_t i = find_left(u, name);
         i < u->left_count && strcmp(u->left[i].guest, name) == 0; i++)
        samples += u->left[i].samples;
    return samples;
}

uint32_t uncut_take(struct uncut *u, const char *name, uint32_t core)
{
    struct uncut_core *c;
    size_t place;

    if (u->free_count != 0)
        place = u->free[--u->free_count];
    else if (u->taken < u->places &&
             vec_grow(&u->free, &u->free_room, u->taken, sizeof *u->free) == 0)
        place = u->taken++; /* and there is room for it in the list of free */
    else
        return UNCUT_NONE;
    c = &u->file->core[place];
    c->core = core;
    strncpy(c->guest, name, sizeof c->guest - 1);
    return (uint32_t)place;
}

void uncut_add(struct uncut *u, uint32_t place, uint64_t samples)
{
    if (place < u->taken)
        u->file->core[place].samples += samples;
}

uint64_t uncut_clear(struct uncut *u, uint32_t place)
{
    uint64_t samples = 0;

    if (place < u->taken) {
        samples = u->file->core[place].samples;
        u->file->core[place].samples = 0;
    }
    return samples;
}

void uncut_give_back(struct uncut *u, uint32_t place)
{
    (void)uncut_clear(u, place);
    if (place < u->taken)
        u->free[u->free_count++] = place;
}

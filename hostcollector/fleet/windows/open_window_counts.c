/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the samples of each core in open windows. */
#include "fleet/windows/open_window_counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/descriptor.h"
#include "util/vec.h"

#define NAME       ".uncut"   /* a name that no window has */
#define PLACES_MAX (1u << 22) /* more than --memory admits */
#define MAGIC      "tprof open cores"

struct file {
    char magic[sizeof MAGIC - 1];
    struct open_window_core core[];
};

struct open_window_counts {
    int fd;
    size_t places;
    struct file *file; /* mapped if (mapped); else in memory only */
    bool mapped;
    size_t taken;   /* places from this one on were never used */
    uint32_t *free; /* freed places before (taken) */
    size_t free_count, free_room;
    struct open_window_core *before; /* counts of an earlier process, sorted */
    size_t before_count, before_room;
};

static size_t size_of(size_t places)
{
    return sizeof(struct file) + places * sizeof(struct open_window_core);
}

/* Open the file and lock it for the life of this process. Children do not hold
 * the lock. */
static int open_file(struct open_window_counts *u, int folder, struct err *e)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    u->fd =
        openat(folder, NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (u->fd < 0 || descriptor_own(u->fd) != 0)
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
    const struct open_window_core *left = a, *right = b;
    int order = strcmp(left->guest, right->guest);

    return order != 0 ? order
                      : (left->core > right->core) - (left->core < right->core);
}

/* Read the counts of an earlier process, whose table may have another size.
 * Places that it never used are empty. A file of another format has no
 * counts. */
static int read_before(struct open_window_counts *u, struct err *e)
{
    char magic[sizeof MAGIC - 1];
    struct open_window_core core;

    if (pread(u->fd, magic, sizeof magic, 0) != sizeof magic ||
        memcmp(magic, MAGIC, sizeof magic) != 0)
        return 0;
    for (size_t i = 0;
         i < PLACES_MAX &&
         pread(u->fd, &core, sizeof core, (off_t)size_of(i)) == sizeof core &&
         core.guest[0] != '\0';
         i++) {
        if (core.samples == 0)
            continue;
        if (vec_grow(&u->before, &u->before_room, u->before_count,
                     sizeof core) != 0)
            return err_memory(e);
        core.guest[sizeof core.guest - 1] = '\0';
        u->before[u->before_count++] = core;
    }
    return 0;
}

/* Sort the counts. Add up two places of the same core, which occur if a guest
 * left while another guest of its name came. */
static void sort_before(struct open_window_counts *u)
{
    struct open_window_core *before = u->before;
    size_t count = 0;

    if (u->before_count != 0)
        qsort(before, u->before_count, sizeof *before, by_core);
    for (size_t i = 0; i < u->before_count; i++)
        if (count != 0 && by_core(&before[count - 1], &before[i]) == 0)
            before[count - 1].samples += before[i].samples;
        else
            before[count++] = before[i];
    u->before_count = count;
}

struct open_window_counts *open_window_counts_open(int fd, size_t places,
                                                   struct err *e)
{
    struct open_window_counts *u = calloc(1, sizeof *u);
    struct file *file = calloc(1, size_of(places));

    if (u == NULL || file == NULL) {
        free(u);
        free(file);
        (void)err_memory(e);
        return NULL;
    }
    memcpy(file->magic, MAGIC, sizeof file->magic);
    u->file = file;
    u->places = places;
    if (open_file(u, fd, e) != 0 || read_before(u, e) != 0) {
        open_window_counts_close(u);
        return NULL;
    }
    sort_before(u);
    return u;
}

/* Write the table to the file, so that each page has a block. Without a block,
 * a later write to the mapping would kill the process. */
static int write_file(const struct open_window_counts *u)
{
    const char *from = (const char *)u->file;
    size_t size = size_of(u->places), at = 0;

    if (ftruncate(u->fd, 0) != 0)
        return -1;
    while (at < size) {
        ssize_t n = pwrite(u->fd, from + at, size - at, (off_t)at);

        if (n <= 0)
            return -1;
        at += (size_t)n;
    }
    return 0;
}

int open_window_counts_begin(struct open_window_counts *u, struct err *e)
{
    size_t size = size_of(u->places);
    void *file = MAP_FAILED;

    if (write_file(u) == 0)
        file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, 0);
    if (file == MAP_FAILED) {
        (void)err_sys(e, NAME);
        (void)!ftruncate(u->fd, 0);
        return -1;
    }
    (void)madvise(file, size, MADV_DONTFORK);
    free(u->file);
    u->file = file;
    u->mapped = true;
    return 0;
}

void open_window_counts_close(struct open_window_counts *u)
{
    if (u == NULL)
        return;
    if (u->fd >= 0)
        descriptor_close(u->fd);
    if (u->mapped)
        (void)munmap(u->file, size_of(u->places));
    else
        free(u->file);
    free(u->before);
    free(u->free);
    free(u);
}

/* The index of the first core of guests from (name) on. */
static size_t find_before(const struct open_window_counts *u, const char *name)
{
    size_t low = 0, high = u->before_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(u->before[middle].guest, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct open_window_losses
open_window_counts_lost(const struct open_window_counts *u)
{
    struct open_window_losses lost = {.cores = u->before,
                                      .count = u->before_count};

    for (size_t i = 0; i < u->before_count; i++) {
        const struct open_window_core *core = &u->before[i];

        lost.samples += core->samples;
        lost.guests += i == 0 || strcmp(core[-1].guest, core->guest) != 0;
    }
    return lost;
}

uint64_t open_window_counts_lost_of(const struct open_window_counts *u,
                                    const char *name)
{
    uint64_t samples = 0;

    for (size_t i = find_before(u, name);
         i < u->before_count && strcmp(u->before[i].guest, name) == 0; i++)
        samples += u->before[i].samples;
    return samples;
}

uint32_t open_window_counts_reserve(struct open_window_counts *u,
                                    const char *name, uint32_t core)
{
    struct open_window_core *c;
    size_t place;

    if (u->free_count != 0)
        place = u->free[--u->free_count];
    else if (u->taken < u->places &&
             vec_grow(&u->free, &u->free_room, u->taken, sizeof *u->free) == 0)
        /* and there is room for it in the list of freed places */
        place = u->taken++;
    else
        return OPEN_WINDOW_COUNTS_NONE;
    c = &u->file->core[place];
    c->core = core;
    strncpy(c->guest, name, sizeof c->guest - 1);
    return (uint32_t)place;
}

void open_window_counts_add(struct open_window_counts *u, uint32_t place,
                            uint64_t samples)
{
    if (place < u->taken)
        u->file->core[place].samples += samples;
}

uint64_t open_window_counts_clear(struct open_window_counts *u, uint32_t place)
{
    uint64_t samples = 0;

    if (place < u->taken) {
        samples = u->file->core[place].samples;
        u->file->core[place].samples = 0;
    }
    return samples;
}

void open_window_counts_give_back(struct open_window_counts *u, uint32_t place)
{
    (void)open_window_counts_clear(u, place);
    if (place < u->taken)
        u->free[u->free_count++] = place;
}

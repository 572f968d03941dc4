/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of names and counts in a mapped file. */
#include "serve/uncut.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool/spool.h"

#define NAME ".uncut" /* no window is called so */

struct row {
    char name[SPOOL_GUEST_MAX + 8]; /* the NUL included */
    uint64_t samples;
};

struct uncut {
    int fd;
    size_t rows;
    struct row *row;
    struct row *left; /* by an earlier process: those with samples */
    size_t left_count;
};

/* The file, of (u->rows) rows, locked for as long as this process lives: its
 * children do not hold that lock. */
static int open_file(struct uncut *u, int folder, struct err *e)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat about;

    u->fd =
        openat(folder, NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (u->fd < 0 || fstat(u->fd, &about) != 0)
        return err_sys(e, NAME);
    if (fcntl(u->fd, F_SETLK, &whole) != 0)
        return errno == EAGAIN || errno == EACCES
                   ? err_set(e, "another collector serve keeps windows in that "
                                "folder: give each a folder of its own")
                   : err_sys(e, NAME);
    if ((uint64_t)about.st_size != u->rows * sizeof *u->row &&
        (ftruncate(u->fd, 0) != 0 ||
         ftruncate(u->fd, (off_t)(u->rows * sizeof *u->row)) != 0))
        return err_sys(e, NAME);
    return 0;
}

static struct row *map_file(const struct uncut *u, struct err *e)
{
    void *rows = mmap(NULL, u->rows * sizeof *u->row, PROT_READ | PROT_WRITE,
                      MAP_SHARED, u->fd, 0);

    if (rows != MAP_FAILED)
        return rows;
    (void)err_sys(e, NAME);
    return NULL;
}

/* Set aside what is there, and begin with nothing. */
static int take_left(struct uncut *u, struct err *e)
{
    size_t count = 0;

    for (size_t i = 0; i < u->rows; i++)
        count += u->row[i].samples != 0;
    u->left = calloc(count + 1, sizeof *u->left);
    if (u->left == NULL)
        return err_set(e, "out of memory");
    for (size_t i = 0; i < u->rows && u->left_count < count; i++)
        if (u->row[i].samples != 0) {
            struct row *r = &u->left[u->left_count++];

            *r = u->row[i];
            r->name[sizeof r->name - 1] = '\0';
            u->row[i].samples = 0;
        }
    return 0;
}

struct uncut *uncut_open(int fd, size_t rows, struct err *e)
{
    struct uncut *u = calloc(1, sizeof *u);

    if (u == NULL) {
        (void)err_set(e, "out of memory");
        return NULL;
    }
    u->rows = rows;
    if (open_file(u, fd, e) == 0)
        u->row = map_file(u, e);
    if (u->row != NULL && take_left(u, e) == 0)
        return u;
    uncut_close(u);
    return NULL;
}

void uncut_close(struct uncut *u)
{
    if (u == NULL)
        return;
    if (u->row != NULL)
        (void)munmap(u->row, u->rows * sizeof *u->row);
    if (u->fd >= 0)
        (void)close(u->fd);
    free(u->left);
    free(u);
}

struct uncut_lost uncut_lost(const struct uncut *u)
{
    struct uncut_lost lost = {.guests = u->left_count};

    for (size_t i = 0; i < u->left_count; i++)
        lost.samples += u->left[i].samples;
    return lost;
}

uint64_t uncut_lost_of(const struct uncut *u, const char *name)
{
    for (size_t i = 0; i < u->left_count; i++)
        if (strcmp(u->left[i].name, name) == 0)
            return u->left[i].samples;
    return 0;
}

void uncut_put(struct uncut *u, size_t row, const char *name, uint64_t samples)
{
    struct row *r;

    if (row >= u->rows)
        return;
    r = &u->row[row];
    if (strncmp(r->name, name, sizeof r->name) != 0) {
        r->samples = 0;
        strncpy(r->name, name, sizeof r->name - 1);
    }
    r->samples = samples;
}

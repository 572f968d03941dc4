/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps images beside the windows of a spool. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/spool/each_name.h"
#include "recording/spool/fresh_file.h"
#include "recording/spool/spool.h"

/* Begins as the temporary names of spool.c, which removes those that a killed
 * process has left. */
#define FRESH ".fresh-image"

/* The images in a folder. */
struct kept {
    int fd;
    const char *suffix;
    size_t count;
    char oldest[NAME_MAX + 1];
    struct timespec when; /* of (oldest) */
};

static int see_name(void *context, const char *name, struct err *e)
{
    struct kept *k = context;
    size_t length = strlen(name), end = strlen(k->suffix);
    struct stat st;

    (void)e;
    if (length < end || strcmp(name + length - end, k->suffix) != 0 ||
        fstatat(k->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    if (k->count++ == 0 || st.st_mtim.tv_sec < k->when.tv_sec ||
        (st.st_mtim.tv_sec == k->when.tv_sec &&
         st.st_mtim.tv_nsec < k->when.tv_nsec)) {
        k->when = st.st_mtim;
        (void)snprintf(k->oldest, sizeof k->oldest, "%s", name);
    }
    return 0;
}

/* Make room for one more file with this (suffix). */
static int make_room(int fd, const char *suffix, struct err *e)
{
    struct kept k = {.fd = fd, .suffix = suffix};

    if (each_name(fd, see_name, &k, e) != 0)
        return -1;
    return k.count < SPOOL_IMAGES || unlinkat(fd, k.oldest, 0) == 0
               ? 0
               : err_sys(e, k.oldest);
}

int spool_image_keep(int fd, const char *name, const uint8_t *bytes,
                     uint64_t size, struct err *e)
{
    const char *suffix = strrchr(name, '.');
    struct stat st;

    if (size > SPOOL_IMAGE_MAX || suffix == NULL ||
        fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    (void)unlinkat(fd, FRESH, 0);
    if (make_room(fd, suffix, e) != 0)
        return -1;
    int result = fresh_file(fd, FRESH, bytes, (size_t)size, NULL);

    if (result == 0)
        result = linkat(fd, FRESH, fd, name, 0);
    if (result != 0)
        (void)err_sys(e, name);
    (void)unlinkat(fd, FRESH, 0);
    return result;
}

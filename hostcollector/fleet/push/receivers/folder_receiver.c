/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder: a file for each window, written whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fleet/push/receivers/receiver_kinds.h"
#include "guard/parents.h"
#include "util/io.h"

static int copy(FILE *from, int to)
{
    char buf[1 << 16];
    size_t n;

    rewind(from);
    while ((n = fread(buf, 1, sizeof buf, from)) > 0)
        if (io_write(to, buf, n) != 0)
            return -1;
    return ferror(from) != 0 || fsync(to) != 0 ? -1 : 0;
}

/* Write (from) to (fresh), and rename it to (path). On a full disk (fresh) is
 * removed. */
static int store_part(FILE *from, const char *fresh, const char *path)
{
    int to = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int result = to < 0 ? -1 : copy(from, to), error;

    if (to >= 0)
        (void)close(to);
    if (result == 0 && rename(fresh, path) == 0)
        return 0;
    error = errno;
    (void)unlink(fresh);
    errno = error;
    return -1;
}

static enum receiver_answer send_file(struct receiver *r,
                                      const struct parcel *p, size_t part,
                                      struct err *e)
{
    char name[PARCEL_NAME], path[RECEIVER_URL + PARCEL_NAME];
    char fresh[sizeof path + 1];

    (void)snprintf(path, sizeof path, "%s/%s", r->url, parcel_name(name, p));
    (void)snprintf(fresh, sizeof fresh, "%s~", path);
    r->away = false;
    if (parents_make(path, 0777) == 0 &&
        store_part(p->parts[part], fresh, path) == 0)
        return RECEIVER_TOOK;
    r->away = io_no_room(errno); /* all other windows would fail as well */
    if (!r->away) {
        (void)err_sys(e, path);
        return RECEIVER_WRONG;
    }
    (void)err_set(e, "%s: %s; recordings wait until there is room", r->url,
                  strerror(errno));
    return RECEIVER_LATER;
}

const struct receiver_kind receiver_folder = {
    .name = "folder",
    .send = send_file,
};

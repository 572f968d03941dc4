/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges windows of a spool in a separate process. */
#include "fleet/serve/merge_process.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/confine/confine.h"
#include "fleet/respawn.h"
#include "recording/spool/spool.h"
#include "util/host_clock.h"

/* span of a merged file: longer ones save no more bytes */
#define SPAN_MS   600000u
#define LOOK_MS   60000u /* time between two merges */
#define SETTLE_MS 15000  /* windows older than this survive a loss of power */
#define MS        1000000u
#define NICE      10

/* Open the folder, and confine the process to it. -1 with (e) filled. */
static int enter(enum sandbox_mode mode, const char *folder, const char *name,
                 struct err *e)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return err_sys(e, folder);
    /* the process that serves guests has priority */
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    if (confine_compact(mode, folder, e) != 0) {
        (void)close(fd);
        return -1;
    }
    if (e->text[0] != '\0')
        (void)fprintf(stderr, "%s: %s\n", name, e->text);
    e->text[0] = '\0';
    return fd;
}

static int merge_once(int fd, struct compact_sums *sums, struct err *e)
{
    const struct compact_config config = {.span_ms = SPAN_MS,
                                          .now_ms = clock_wall_ns() / MS};

    return spool_compact(fd, &config, sums, e);
}

int merge_process_once(enum sandbox_mode mode, const char *folder,
                       const char *name, struct compact_sums *sums,
                       struct err *e)
{
    int fd = enter(mode, folder, name, e);
    int result = fd >= 0 ? merge_once(fd, sums, e) : -1;

    if (fd >= 0)
        (void)close(fd);
    return result;
}

static const char words[] = "collector serve: merging windows";

struct kept {
    enum sandbox_mode mode;
    const char *folder;
    struct status *status;
};

/* Put the windows that wait for collector push into the status table. */
static void show_waits(struct status *s, const struct compact_sums *sums)
{
    for (size_t i = 0; i < STATUS_TAGS; i++) {
        struct status_wait wait = {.windows = 0};

        if (i < sums->wait_count) {
            const struct compact_wait *w = &sums->waits[i];

            wait.windows = w->files;
            wait.oldest_ms = w->oldest_ms;
            (void)snprintf(wait.tag, sizeof wait.tag, "%s", w->tag);
        }
        status_put_wait(s, i, &wait);
    }
}

/* Show an error, unless it was shown since the last success. */
static void tell_once(bool *told, const struct err *e)
{
    if (!*told)
        (void)fprintf(stderr, "%s: %s\n", words, e->text);
    *told = true;
}

/* State of waiting for the disk. */
struct settling {
    struct timespec changed; /* time of the folder's last change */
    bool again, told;
};

/* Wait for the disk if the folder (fd) has changed, and then once more, because
 * a change after the last wait may have the same time as a change before it. */
static void settle_folder(int fd, struct settling *s)
{
    struct stat st = {.st_mtim = {0}};
    struct timespec before = s->changed;
    struct err e;

    (void)fstat(fd, &st);
    s->changed = st.st_mtim;
    bool changed = before.tv_sec != st.st_mtim.tv_sec ||
                   before.tv_nsec != st.st_mtim.tv_nsec;

    if ((changed || s->again) && spool_settle(fd, &e) != 0)
        tell_once(&s->told, &e);
    s->again = changed;
}

/* Merge and wait for the disk until (stop) is readable, when the serving
 * process has exited. The disk is waited for here, so that the serving process
 * never does. */
static _Noreturn void merge_until(const struct kept *k, int stop)
{
    struct pollfd end = {.fd = stop, .events = POLLIN};
    struct settling settling = {.again = false};
    struct compact_sums sums;
    struct err e = {""};
    bool told = false;
    int fd = enter(k->mode, k->folder, words, &e);
    uint64_t next_ns = 0;

    if (fd < 0) {
        tell_once(&told, &e);
        _exit(1);
    }
    do {
        settle_folder(fd, &settling);
        if (clock_ns() < next_ns)
            continue;
        next_ns = clock_ns() + (uint64_t)LOOK_MS * MS;
        bool merged = merge_once(fd, &sums, &e) == 0;

        if (merged || sums.wait_count != 0)
            show_waits(k->status, &sums);
        if (!merged)
            tell_once(&told, &e);
    } while (poll(&end, 1, SETTLE_MS) == 0);
    settle_folder(fd, &settling);
    _exit(0);
}

static pid_t start_merging(void *kept, int stop, struct err *e)
{
    pid_t child = fork();

    if (child == 0)
        merge_until(kept, stop);
    if (child < 0)
        (void)err_sys(e, "fork");
    return child;
}

static void again(void *kept)
{
    status_again(((const struct kept *)kept)->status, STATUS_MERGING);
}

int merge_process_start(enum sandbox_mode mode, const char *folder,
                        struct status *s, struct err *e)
{
    struct kept kept = {mode, folder, s};
    const struct respawner k = {"the process that merges windows", &kept,
                                start_merging, again, NULL};

    return respawn_start(&k, e);
}

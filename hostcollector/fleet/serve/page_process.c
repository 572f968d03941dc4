/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that runs collector report to write a guest's page. */
#include "fleet/serve/web_process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fleet/web/reports.h"
#include "fleet/web/web_gate.h"
#include "guard/descriptor.h"
#include "guard/side_process.h"
#include "recording/spool/spool_name.h"
#include "util/host_clock.h"

#define PATIENCE_S 8             /* less than a client may take (web.c) */
#define SECOND     1000000000ull /* in nanoseconds */
/* time between two checks whether a report is ready */
#define LOOK_NS    10000000
#define ELFS       64u
/* Appended to a page: lines.js then says why there is no code. */
#define WITHHELD   "<meta name=\"tprof-code\" content=\"withheld\">\n"

struct reporter {
    const struct serve_config *o;
    struct status *status;
    const struct serve_images *images;
};

/* Images of a guest. */
struct elfs {
    const char *paths[ELFS];
    size_t count;
};

/* Add the images that the guest (name) runs, or has run last. */
static bool add_running(struct elfs *elfs, const struct reporter *r,
                        const char *name)
{
    struct status_guest g = {0};
    size_t row = 0;

    while (row < status_rows(r->status) &&
           (!status_get(r->status, row, &g) || strcmp(g.name, name) != 0))
        row++;
    if (row == status_rows(r->status))
        return false;
    for (size_t i = 0; i < STATUS_IMAGES && g.images[i] != 0; i++)
        /* the number is checked, since the writer reads untrusted bytes */
        if (g.images[i] <= r->images->count)
            elfs->paths[elfs->count++] = r->images->paths[g.images[i] - 1];
    return elfs->count != 0;
}

/* Images that the guest may run. */
static struct elfs find_elfs(const struct reporter *r, const char *name)
{
    const struct guests *guests = &r->o->from.guests;
    const struct elf_path *elf = guests->elfs;
    struct elfs elfs = {.count = 0};

    if (add_running(&elfs, r, name))
        return elfs;
    for (size_t i = 0; i < guests->count; i++)
        if (strcmp(guests->list[i].name, name) == 0)
            elf = guests->list[i].elfs;
    for (; elf != NULL && elfs.count < ELFS; elf = elf->next)
        elfs.paths[elfs.count++] = elf->path;
    return elfs;
}

/* May every client see source lines and code? Only if all clients have the
 * token, or are the user that runs collector serve. */
static bool shows_code(const struct serve_config *o)
{
    return o->shows_code || o->token_file != NULL ||
           web_gate_path(o->listen) != NULL;
}

/* Become the process that writes the page to (page), and errors to (why). It
 * keeps nothing that leads to other processes: no descriptor, no shared memory,
 * no token. */
static _Noreturn void be_writer(const struct reporter *r,
                                const struct reports_question *q,
                                const struct elfs *elfs, int page, int why)
{
    const struct serve_page wanted = {
        .spool = r->o->spool,
        .guest = q->guest,
        .since = q->since,
        .until = q->until[0] != '\0' ? q->until : NULL,
        .build = q->build[0] != '\0' ? q->build : NULL,
        .elfs = elfs->paths,
        .elf_count = elfs->count,
        .from = &r->o->from,
        .has_code = shows_code(r->o),
    };

    if (dup2(page, STDOUT_FILENO) < 0 || dup2(why, STDERR_FILENO) < 0)
        _exit(1);
    side_process_keep(STDERR_FILENO);
    status_free(r->status);
    int result = r->o->write_page(&wanted);

    _exit(fflush(NULL) == 0 ? result : 1);
}

/* Wait for (child), at most until (until). Returns whether it succeeded. If
 * not, (why) has a text. */
static bool succeeds(pid_t child, uint64_t until, int why)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    int status = -1;
    bool killed = false; /* the end of a large process takes time */

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!killed && clock_ns() > until) {
            killed = true;
            (void)kill(child, SIGKILL);
            (void)dprintf(why,
                          "the page took longer than %d s: choose a shorter "
                          "time with ?since=\n",
                          PATIENCE_S);
        }
        (void)nanosleep(&look, NULL);
    }
    return status == 0;
}

/* Have the page written to (page), or the reason of a failure to (why). */
static bool write_page(const struct reporter *r,
                       const struct reports_question *q, int page, int why)
{
    uint64_t until = clock_ns() + PATIENCE_S * SECOND;
    struct elfs elfs = find_elfs(r, q->guest);

    for (;; elfs.count = 0) {
        (void)fflush(NULL); /* otherwise both would write the buffers */
        pid_t child = fork();

        if (child == 0)
            be_writer(r, q, &elfs, page, why);
        if (child < 0 || succeeds(child, until, why))
            return child > 0;
        /* the spool may have windows of other builds than the guest runs now; a
         * report refuses the images for these windows, so try again without
         * images */
        if (elfs.count == 0 || clock_ns() > until || ftruncate(page, 0) != 0 ||
            lseek(page, 0, SEEK_SET) != 0 || ftruncate(why, 0) != 0 ||
            lseek(why, 0, SEEK_SET) != 0)
            return false;
    }
}

static int answer(const struct reporter *r, const struct reports_question *q,
                  int socket)
{
    struct reports_answer a = {0};
    int page = memfd_create("page", MFD_CLOEXEC);
    int why = memfd_create("why", MFD_CLOEXEC);

    a.done = page >= 0 && why >= 0 && write_page(r, q, page, why) &&
             (shows_code(r->o) || dprintf(page, WITHHELD) > 0);
    int result = descriptor_send(socket, &a, sizeof a, a.done ? page : why);

    if (page >= 0)
        (void)close(page);
    if (why >= 0)
        (void)close(why);
    return result;
}

void page_process_run(const struct serve_config *o, struct status *s,
                      const struct serve_images *images, int socket)
{
    const struct reporter r = {o, s, images};
    struct reports_question q;
    int scrap;

    while (descriptor_receive(socket, &q, sizeof q, &scrap) == sizeof q) {
        q.guest[sizeof q.guest - 1] = q.since[sizeof q.since - 1] = '\0';
        q.until[sizeof q.until - 1] = q.build[sizeof q.build - 1] = '\0';
        if (scrap >= 0 || !spool_name_is_guest(q.guest) ||
            answer(&r, &q, socket) != 0)
            return;
    }
}

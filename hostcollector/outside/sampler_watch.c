/* SPDX-License-Identifier: BSD-2-Clause */
#include "outside/sampler_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/confine/confine.h"

/* a stub that sends nothing for so long has sent its whole answer */
#define SILENCE_MS 250
#define HEARD_MAX  1000 /* limit of reads */

/* Send (words) to the guest's socket and read the answers. QEMU drops an order
 * that it has not begun when the order's socket is closed, so wait for the
 * answers to this order and to earlier ones. */
static void say_and_hear(int fd, const char *words)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char heard[4096];
    int patience = OUTSIDE_WAIT_MS;

    if (send(fd, words, strlen(words), MSG_NOSIGNAL) < 0)
        return;
    for (unsigned i = 0; i < HEARD_MAX && poll(&p, 1, patience) > 0 &&
                         recv(fd, heard, sizeof heard, MSG_DONTWAIT) > 0;
         i++)
        patience = SILENCE_MS;
}

/* The watch waits for the end of the sampling process, which closes (pipe) but
 * never writes to it. Then it releases a guest that the process had stopped,
 * but not a guest that another program has stopped. */
static _Noreturn void watch_sampler(enum sandbox_mode mode,
                                    const struct sampler_last *last, int pipe,
                                    int fd,
                                    const struct outside_watched *watched)
{
    const char *const *words = last->loose;
    struct err ignored;
    char c;

    (void)confine_reader(mode, &ignored);
    while (read(pipe, &c, 1) < 0 && errno == EINTR)
        continue;
    if (atomic_load(&watched->held))
        words = last->held;
    else if (!atomic_load(&watched->started))
        _exit(0);
    for (unsigned i = 0; i < 2 && words[i] != NULL; i++)
        say_and_hear(fd, words[i]);
    _exit(0);
}

struct outside_watched *sampler_watch(enum sandbox_mode mode,
                                      const struct sampler_last *last, int fd,
                                      const int ends[2], struct err *e)
{
    struct outside_watched *watched =
        mmap(NULL, sizeof *watched, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends_of[2];
    pid_t child;

    if (watched == MAP_FAILED) {
        (void)err_sys(e, "mmap");
        return NULL;
    }
    atomic_init(&watched->held, last->stops);
    atomic_init(&watched->started, false);
    if (pipe2(ends_of, O_CLOEXEC) != 0) {
        (void)err_sys(e, "pipe");
        return NULL;
    }
    child = fork();
    if (child == 0) {
        (void)close(ends_of[1]);
        (void)close(ends[0]);
        (void)close(ends[1]);
        watch_sampler(mode, last, ends_of[0], fd, watched);
    }
    (void)close(ends_of[0]);
    if (child < 0) {
        (void)err_sys(e, "fork");
        return NULL;
    }
    return watched; /* the pipe's other end is closed when this process ends */
}

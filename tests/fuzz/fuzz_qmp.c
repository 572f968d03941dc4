/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What QEMU says, by its monitor and by the stub that the monitor starts, while
 * the guest behind it is looked at. A line of the input that begins with '$' is
 * the body of a packet of the stub's, and one with '!' comes from the stub as
 * it is, without that. All others are the monitor's.
 *
 * Each wait brings the next line, and of the monitor's those behind it that
 * begin with '+', without that: events that nobody has waited for. Behind the
 * last line QEMU has ended.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "looked.h"
#include "outside/outside_guest.h"

#define FD_MONITOR 100000 /* no file has these descriptors */
#define FD_STUB    100001

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One of the two that speak. */
struct speaker {
    uint8_t *lines;
    size_t size, at;
    size_t ready; /* bytes from (at) on that have come */
    bool open;
};

static struct speaker monitor, stub;

static void must(bool promise)
{
    if (!promise)
        abort();
}

static struct speaker *of(int fd)
{
    struct speaker *s = fd == FD_MONITOR ? &monitor : &stub;

    must((fd == FD_MONITOR || fd == FD_STUB) && s->open);
    return s;
}

static void put(struct speaker *s, const void *bytes, size_t size)
{
    memcpy(s->lines + s->size, bytes, size);
    s->size += size;
}

/* Give (line), which has its end, to the one that says it. */
static void deal(const uint8_t *line, size_t size)
{
    size_t end = line[size - 1] == '\n';

    if (*line == '$') {
        put(&stub, line, size - end);
        put(&stub, "#00\n", 4);
    } else if (*line == '!') {
        put(&stub, line + 1, size - 1);
    } else {
        put(&monitor, line, size);
    }
}

/* --- The kernel's side ---------------------------------------------------- */

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
    struct speaker *s = of(fds->fd);

    must(count == 1 && ms >= 0);
    fds->revents = fds->events;
    if (fds->events != POLLIN)
        return 1;
    do {
        const uint8_t *line = s->lines + s->at + s->ready;
        size_t left = s->size - s->at - s->ready;
        const uint8_t *end = left > 0 ? memchr(line, '\n', left) : NULL;

        s->ready += end != NULL ? (size_t)(end - line) + 1 : left;
    } while (s == &monitor && s->at + s->ready < s->size &&
             s->lines[s->at + s->ready] == '+');
    return 1;
}

ssize_t __wrap_recv(int fd, void *to, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags)
{
    struct speaker *s = of(fd);

    must(flags == MSG_DONTWAIT && size > 0);
    if (s->at == s->size)
        return 0;
    if (s->ready == 0) {
        errno = EAGAIN;
        return -1;
    }
    if (size > s->ready)
        size = s->ready;
    memcpy(to, s->lines + s->at, size);
    if (s == &monitor)
        for (uint8_t *plus = to, *end = plus + size;
             (plus = memchr(plus, '+', (size_t)(end - plus))) != NULL;)
            *plus = ' '; /* JSON does not mind */
    s->at += size;
    s->ready -= size;
    return (ssize_t)size;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
    must((flags & MSG_NOSIGNAL) != 0 && size > 0);
    if (of(fd) == &monitor) /* whole lines, or a stub is told to go */
        must(((const char *)bytes)[size - 1] == '\n');
    return (ssize_t)size;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
    of(fd)->open = false;
    return 0;
}

/* --- The looks ------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outside_guest *g;
    struct err e = {""};

    monitor = (struct speaker){.lines = malloc(size + 1), .open = true};
    stub = (struct speaker){.lines = malloc(4 * size + 4), .open = true};
    must(monitor.lines != NULL && stub.lines != NULL);
    for (size_t at = 0, length; at < size; at += length) {
        const uint8_t *end = memchr(data + at, '\n', size - at);

        length = end != NULL ? (size_t)(end - data) + 1 - at : size - at;
        deal(data + at, length);
    }
    g = outside_qmp(FD_MONITOR, FD_STUB, &e);
    must(g != NULL || e.text[0] != '\0');
    if (g != NULL)
        looked(g);
    must(!monitor.open && !stub.open);
    free(monitor.lines);
    free(stub.lines);
    return 0;
}

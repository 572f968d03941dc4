/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a debugger's stub answers, while the guest behind it is looked at. Each
 * wait brings the next line of the input, as the body of a packet; a line that
 * begins with '!' comes as it is, without that. Behind the last line the guest
 * has ended.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "looked.h"
#include "outside/outside_guest.h"

#define FD_STUB 100000 /* no file has this descriptor */
#define LINE    8192u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    const uint8_t *data;
    size_t size, at;
    uint8_t line[LINE + 8]; /* that has come and is not read yet */
    size_t ready;
    bool open;
} world;

static void must(bool promise)
{
    if (!promise)
        abort();
}

/* --- The kernel's side ---------------------------------------------------- */

/* The next line comes. */
static void bring(void)
{
    const uint8_t *line = world.data + world.at;
    size_t left = world.size - world.at;
    const uint8_t *end = left > 0 ? memchr(line, '\n', left) : NULL;
    size_t length = end != NULL ? (size_t)(end - line) : left;
    bool raw = length > 0 && *line == '!';

    world.at += length + (end != NULL);
    if (raw) {
        line++;
        length--;
    }
    if (length > LINE)
        length = LINE;
    if (!raw)
        world.line[world.ready++] = '$';
    memcpy(world.line + world.ready, line, length);
    world.ready += length;
    if (!raw) {
        memcpy(world.line + world.ready, "#00", 3);
        world.ready += 3;
    }
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
    must(count == 1 && fds->fd == FD_STUB && ms >= 0 && world.open);
    fds->revents = fds->events;
    if (fds->events == POLLIN && world.ready == 0 && world.at < world.size)
        bring();
    return 1;
}

ssize_t __wrap_recv(int fd, void *to, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags)
{
    must(fd == FD_STUB && flags == MSG_DONTWAIT && size > 0 && world.open);
    if (world.ready == 0 && world.at == world.size)
        return 0;
    if (world.ready == 0) {
        errno = EAGAIN;
        return -1;
    }
    if (size > world.ready)
        size = world.ready;
    memcpy(to, world.line, size);
    world.ready -= size;
    memmove(world.line, world.line + size, world.ready);
    return (ssize_t)size;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
    (void)bytes;
    must(fd == FD_STUB && (flags & MSG_NOSIGNAL) != 0 && world.open);
    return (ssize_t)size;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
    must(fd == FD_STUB && world.open);
    world.open = false;
    return 0;
}

/* --- The looks ------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outside_guest *g;
    struct err e = {""};

    if (size == 0)
        return 0;
    world.data = data;
    world.size = size;
    world.at = world.ready = 0;
    world.open = true;
    g = outside_gdb(FD_STUB, &e);
    must(g != NULL || e.text[0] != '\0');
    if (g != NULL)
        looked(g);
    must(!world.open);
    return 0;
}

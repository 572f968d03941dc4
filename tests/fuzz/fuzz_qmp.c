/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes by QEMU's monitor, while a guest behind it is looked at. Each wait
 * brings the next line of the input, and with it those behind it that begin
 * with '+', without that: events that nobody has waited for. Behind the last
 * line QEMU has ended.
 *
 * The guest's shared memory is a file (--wrap, CMakeLists.txt) that has the
 * input's own bytes, over and over: page tables and stacks of any kind.
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
#include "outside/guest.h"
#include "outside/memory_file.h"

#define FD_MONITOR 100000 /* no file has these descriptors */
#define FD_MEMORY  100001
#define FILE_SIZE  (UINT64_C(1) << 40)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    const uint8_t *data;
    size_t size, at;
    size_t ready; /* bytes from (at) on that have come */
    unsigned memories;
    bool open;
} world;

static void must(bool promise)
{
    if (!promise)
        abort();
}

/* --- The kernel's side ---------------------------------------------------- */

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
    must(count == 1 && fds->fd == FD_MONITOR && ms >= 0 && world.open);
    fds->revents = fds->events;
    if (fds->events != POLLIN)
        return 1;
    do {
        const uint8_t *line = world.data + world.at + world.ready;
        size_t left = world.size - world.at - world.ready;
        const uint8_t *end = left > 0 ? memchr(line, '\n', left) : NULL;

        world.ready += end != NULL ? (size_t)(end - line) + 1 : left;
    } while (world.at + world.ready < world.size &&
             world.data[world.at + world.ready] == '+');
    return 1;
}

ssize_t __wrap_recv(int fd, void *to, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags)
{
    must(fd == FD_MONITOR && flags == MSG_DONTWAIT && size > 0 && world.open);
    if (world.at == world.size)
        return 0;
    if (world.ready == 0) {
        errno = EAGAIN;
        return -1;
    }
    if (size > world.ready)
        size = world.ready;
    memcpy(to, world.data + world.at, size);
    for (uint8_t *plus = to, *end = plus + size;
         (plus = memchr(plus, '+', (size_t)(end - plus))) != NULL;)
        *plus = ' '; /* JSON does not mind */
    world.at += size;
    world.ready -= size;
    return (ssize_t)size;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
    must(fd == FD_MONITOR && (flags & MSG_NOSIGNAL) != 0 && world.open);
    must(size > 1 && memchr(bytes, '\n', size) ==
                         (const char *)bytes + size - 1); /* one whole line */
    return (ssize_t)size;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
    if (fd == FD_MEMORY) {
        must(world.memories-- > 0);
        return 0;
    }
    must(fd == FD_MONITOR && world.open);
    world.open = false;
    return 0;
}

int __wrap_memory_file_open(int fd, uint64_t size, const char *path);
int __wrap_memory_file_open(int fd, uint64_t size, const char *path)
{
    must(fd == FD_MONITOR && size > 0);
    (void)path;
    world.memories++;
    return FD_MEMORY;
}

ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset)
{
    must(fd == FD_MEMORY && world.memories > 0 && offset >= 0);
    if ((uint64_t)offset >= FILE_SIZE)
        return 0;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = world.data[((uint64_t)offset + i) % world.size];
    return (ssize_t)size;
}

/* --- The looks ------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outside_guest *g;
    struct err e = {""};

    if (size == 0)
        return 0;
    memset(&world, 0, sizeof world);
    world.data = data;
    world.size = size;
    world.open = true;
    g = outside_qmp(FD_MONITOR, &e);
    must(g != NULL || e.text[0] != '\0');
    if (g != NULL)
        looked(g);
    must(!world.open && world.memories == 0);
    return 0;
}

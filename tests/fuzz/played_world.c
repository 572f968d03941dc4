/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands ask of the machine, as played.h has it. */
#include "played_world.h"

#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/confine/confine.h"
#include "view/code_frames.h"
#include "view/scopes.h"
#include "view/view_build.h"

bool played_terminal, played_tight;

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    return fd >= FD_POLLER ? 0 : __real_close(fd);
}

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size)
{
    return fd == FD_STOP ? 1 : __real_read(fd, buf, size);
}

/* Whether standard error takes words: it does. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    int ready = 0;

    (void)timeout;
    for (nfds_t i = 0; i < count; i++) {
        fds[i].revents = fds[i].events & POLLOUT;
        ready += fds[i].revents != 0;
    }
    return ready;
}

int __wrap_signals_catch(struct err *e);
int __wrap_signals_catch(struct err *e)
{
    (void)e;
    return FD_STOP;
}

void __wrap_signals_release(int fd, uint64_t until_ns);
void __wrap_signals_release(int fd, uint64_t until_ns)
{
    (void)fd;
    (void)until_ns;
}

int __wrap_isatty(int fd);
int __wrap_isatty(int fd)
{
    return fd == STDERR_FILENO && played_terminal;
}

int __wrap_getrlimit(int resource, struct rlimit *limit);
int __wrap_getrlimit(int resource, struct rlimit *limit)
{
    (void)resource;
    *limit = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
    return 0;
}

char *__wrap_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved)
{
    if (resolved == NULL)
        return strdup(path);
    (void)snprintf(resolved, PATH_MAX, "%s", path);
    return resolved;
}

int __wrap_confine_prepare_sampling(const struct guest_config *o,
                                    const struct outputs *out, struct err *e);
int __wrap_confine_prepare_sampling(const struct guest_config *o,
                                    const struct outputs *out, struct err *e)
{
    (void)o;
    (void)out;
    (void)e;
    return 0;
}

int __wrap_confine_prepare_diff(const struct guest_config *o,
                                const struct option_words *inputs,
                                const struct outputs *out, struct err *e);
int __wrap_confine_prepare_diff(const struct guest_config *o,
                                const struct option_words *inputs,
                                const struct outputs *out, struct err *e)
{
    (void)inputs;
    (void)o;
    (void)out;
    (void)e;
    return 0;
}

int __wrap_confine_sampling(const struct guest_config *o, struct err *e);
int __wrap_confine_sampling(const struct guest_config *o, struct err *e)
{
    (void)o;
    *e = (struct err){""}; /* nothing is lacking */
    return 0;
}

/* With the least memory a view still has room for more than an input's bytes
 * can fill. Of that it gets so little that all that folds does. */
#define TIGHT_NAMES 6

struct view *__real_view_new(const struct profile *p,
                             const struct image_map *images, uint64_t memory);
struct view *__wrap_view_new(const struct profile *p,
                             const struct image_map *images, uint64_t memory);
struct view *__wrap_view_new(const struct profile *p,
                             const struct image_map *images, uint64_t memory)
{
    return __real_view_new(p, images, played_tight ? VIEW_MEMORY_MIN : memory);
}

/* Every other path finds no room. */
int __real_scopes_make_room(struct scopes *s, size_t core,
                            const struct path *path, struct budget *b);
int __wrap_scopes_make_room(struct scopes *s, size_t core,
                            const struct path *path, struct budget *b);
int __wrap_scopes_make_room(struct scopes *s, size_t core,
                            const struct path *path, struct budget *b)
{
    static bool refused;

    refused = played_tight && !refused;
    return refused ? -1 : __real_scopes_make_room(s, core, path, b);
}

struct code_frames *__real_code_frames_new(const struct image_map *images,
                                           size_t most, size_t bytes);
struct code_frames *__wrap_code_frames_new(const struct image_map *images,
                                           size_t most, size_t bytes);
struct code_frames *__wrap_code_frames_new(const struct image_map *images,
                                           size_t most, size_t bytes)
{
    return __real_code_frames_new(images, played_tight ? TIGHT_NAMES : most,
                                  bytes);
}

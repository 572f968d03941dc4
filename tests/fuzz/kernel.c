/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors, events, memory and the poller, as kernel.h has them. */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "quick.h"

uint64_t kernel_now_ms;

static struct kernel_file files[KERNEL_FILES];
static struct kernel_file *descriptors[KERNEL_FILES];
static unsigned descriptor_count;
static int mappings = -1; /* the first one is not counted */
static uint8_t memory[KERNEL_MEMORY];

/* What the poller waits for: of a file by the name (fd), as in Linux. */
static struct item {
    struct kernel_file *file;
    int fd;
    struct epoll_event event;
    unsigned seen; /* the file's edge that was told of */
} items[KERNEL_FILES];
static unsigned item_count;

static void must(bool promise)
{
    if (!promise)
        abort();
}

int kernel_fail(int error)
{
    errno = error;
    return -1;
}

/* --- Files and descriptors ------------------------------------------------ */

unsigned kernel_descriptors(void)
{
    return descriptor_count;
}

unsigned kernel_number(const struct kernel_file *f)
{
    return (unsigned)(f - files);
}

struct kernel_file *kernel_new(enum kernel_kind kind)
{
    for (unsigned i = 0; i < KERNEL_FILES; i++) {
        if (files[i].users != 0)
            continue;
        files[i] = (struct kernel_file){.kind = kind, .users = 1};
        return &files[i];
    }
    return NULL;
}

static void forget(const struct kernel_file *f)
{
    for (unsigned i = 0; i < item_count; i++) {
        if (items[i].file == f)
            items[i--] = items[--item_count];
    }
}

void kernel_drop(struct kernel_file *f)
{
    if (--f->users > 0)
        return;
    forget(f);
    if (f->kind >= KERNEL_LISTENER)
        kernel_socket_end(f);
}

int kernel_describe(struct kernel_file *f)
{
    for (int i = 0; f != NULL && i < (int)KERNEL_FILES; i++) {
        if (descriptors[i] != NULL)
            continue;
        descriptors[i] = f;
        descriptor_count++;
        return KERNEL_FD + i;
    }
    if (f != NULL)
        kernel_drop(f);
    return kernel_fail(EMFILE);
}

struct kernel_file *kernel_file(int fd)
{
    if (fd < KERNEL_FD)
        return NULL;
    must(fd < KERNEL_FD + (int)KERNEL_FILES &&
         descriptors[fd - KERNEL_FD] != NULL);
    return descriptors[fd - KERNEL_FD];
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    struct kernel_file *f = kernel_file(fd);

    if (f == NULL)
        return __real_close(fd);
    descriptors[fd - KERNEL_FD] = NULL;
    descriptor_count--;
    kernel_drop(f);
    return 0;
}

int __real_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...)
{
    va_list args;

    if (kernel_file(fd) != NULL) {
        must(what == F_SETFL);
        return 0;
    }
    va_start(args, what);
    int how = va_arg(args, int);

    va_end(args);
    return __real_fcntl(fd, what, how);
}

/* Where sockets get their names: no file is made. */
char *__wrap_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path)
{
    return path;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){.tv_sec = (time_t)(kernel_now_ms / 1000),
                           .tv_nsec = (long)(kernel_now_ms % 1000) * 1000000};
    return 0;
}

/* --- Events --------------------------------------------------------------- */

int __wrap_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags)
{
    struct kernel_file *f = kernel_new(KERNEL_EVENT);

    (void)flags;
    if (f != NULL)
        f->count = count;
    return kernel_describe(f);
}

int __wrap_eventfd_write(int fd, eventfd_t value);
int __wrap_eventfd_write(int fd, eventfd_t value)
{
    struct kernel_file *f = kernel_file(fd);

    if (f == NULL || f->kind != KERNEL_EVENT)
        return kernel_fail(EINVAL);
    f->count += value;
    f->edge++;
    return 0;
}

/* --- Memory --------------------------------------------------------------- */

int kernel_mappings(void)
{
    return mappings;
}

#define HIDDEN (32u * 1024)

void kernel_hide_unmapped(bool hide)
{
    static bool hidden;

    if (hidden != (hide && mappings == 0))
        quick_allow(memory, HIDDEN, hidden);
    hidden = hide && mappings == 0;
}

int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags)
{
    (void)name;
    (void)flags;
    return kernel_describe(kernel_new(KERNEL_MEMFD));
}

/* What is cut off, and comes back, is zero. */
int __wrap_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size)
{
    struct kernel_file *f = kernel_file(fd);

    must(f != NULL && f->kind == KERNEL_MEMFD && size <= (off_t)KERNEL_MEMORY);
    if ((size_t)size < f->count)
        memset(memory + size, 0, f->count - (size_t)size);
    f->count = (uint64_t)size;
    return 0;
}

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
    const struct kernel_file *f = kernel_file(fd);

    if (f == NULL)
        return __real_fstat(fd, st);
    memset(st, 0, sizeof *st);
    st->st_mode = f->kind == KERNEL_MEMFD ? S_IFREG : S_IFSOCK;
    st->st_size = f->kind == KERNEL_MEMFD ? (off_t)f->count : 0;
    return 0;
}

void *__real_mmap(void *at, size_t size, int allow, int how, int fd,
                  off_t from);
void *__wrap_mmap(void *at, size_t size, int allow, int how, int fd,
                  off_t from);
void *__wrap_mmap(void *at, size_t size, int allow, int how, int fd, off_t from)
{
    const struct kernel_file *f = kernel_file(fd);

    if (f == NULL)
        return __real_mmap(at, size, allow, how, fd, from);
    must(f->kind == KERNEL_MEMFD && size <= f->count && from == 0);
    mappings++;
    kernel_hide_unmapped(false);
    return memory;
}

int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size)
{
    if (at != memory)
        return __real_munmap(at, size);
    must(mappings-- > 0);
    return 0;
}

/* --- The poller ----------------------------------------------------------- */

static uint32_t ready(const struct kernel_file *f)
{
    if (f->kind == KERNEL_EVENT && f->count == 0)
        return EPOLLOUT;
    if (f->kind == KERNEL_EVENT)
        return EPOLLOUT | EPOLLIN;
    return kernel_socket_ready(f);
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    const struct kernel_file *f = kernel_file(fds->fd);

    must(count == 1 && timeout == 0 && f != NULL);
    /* the bits of both are the same */
    uint32_t wanted = (uint16_t)fds->events | (uint32_t)(EPOLLHUP | EPOLLERR);

    fds->revents = (short)(ready(f) & wanted);
    return fds->revents != 0;
}

int __wrap_epoll_create1(int flags);
int __wrap_epoll_create1(int flags)
{
    (void)flags;
    return kernel_describe(kernel_new(KERNEL_POLLER));
}

static struct item *find_item(const struct kernel_file *f, int fd)
{
    for (unsigned i = 0; i < item_count; i++) {
        if (items[i].file == f && items[i].fd == fd)
            return &items[i];
    }
    return NULL;
}

static void must_be_poller(int fd)
{
    const struct kernel_file *f = kernel_file(fd);

    must(f != NULL && f->kind == KERNEL_POLLER);
}

int __wrap_epoll_ctl(int poller, int what, int fd, struct epoll_event *event);
int __wrap_epoll_ctl(int poller, int what, int fd, struct epoll_event *event)
{
    struct kernel_file *f = kernel_file(fd);
    struct item *i = find_item(f, fd);

    must_be_poller(poller);
    if (f == NULL) /* the pipe that tells the bridge to end: nothing comes */
        return 0;
    if (f->kind == KERNEL_OTHER || f->kind == KERNEL_MEMFD)
        return kernel_fail(EPERM);
    if (what == EPOLL_CTL_DEL && i != NULL) {
        *i = items[--item_count];
        return 0;
    }
    if (what == EPOLL_CTL_DEL)
        return kernel_fail(ENOENT);
    must(what == EPOLL_CTL_ADD && i == NULL && item_count < KERNEL_FILES);
    items[item_count++] = (struct item){f, fd, *event, f->edge - 1};
    return 0;
}

int __wrap_epoll_wait(int poller, struct epoll_event *events, int max,
                      int timeout);
int __wrap_epoll_wait(int poller, struct epoll_event *events, int max,
                      int timeout)
{
    int n = 0;

    must_be_poller(poller);
    must(timeout == 0);
    for (unsigned i = 0; i < item_count && n < max; i++) {
        struct item *t = &items[i];
        uint32_t wanted = t->event.events | EPOLLHUP | EPOLLERR;
        bool edges = (wanted & EPOLLET) != 0;

        if (edges && t->seen == t->file->edge)
            continue;
        t->seen = t->file->edge;
        events[n] = t->event;
        events[n].events = ready(t->file) & wanted;
        n += events[n].events != 0;
    }
    return n;
}

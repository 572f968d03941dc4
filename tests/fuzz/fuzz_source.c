/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every way to a live guest, on connections that an input describes. What the
 * guest has sent must come out of read() whole, and in order; behind a VMM's
 * socket that is what follows a right answer to CONNECT.
 *
 * The first byte is the way and its options: see make(). Then come acts of two
 * bytes, (what) and (how), and the bytes of ACT_BYTES. The kernel's side is in
 * memory (--wrap, CMakeLists.txt).
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>

#include <linux/vm_sockets.h>

#include "guard/opener.h"
#include "guest/source/source.h"

#define FD_GUEST  100000 /* no file has these descriptors */
#define FD_DEVICE 100001
#define SENT_MAX  8192u

enum act {
    ACT_BYTES,  /* come: (how) of them follow */
    ACT_REFUSE, /* connections fail with errors[how] from now on */
    ACT_END,    /* the guest hangs up, or reading fails with errors[how] */
    ACT_TIME,   /* passes: 2^how ms */
    ACT_WRITE,  /* (how) bytes to the guest */
    ACTS
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int errors[] = {0,         ENOENT,     ECONNREFUSED, EAGAIN,
                             EACCES,    ECONNRESET, EPIPE,        ENOTCONN,
                             EIO,       EINTR,      ENODEV,       ENETUNREACH,
                             ETIMEDOUT, EINVAL,     EINPROGRESS,  ENOTSOCK};

static struct world {
    bool running, open;
    unsigned how; /* the input's first byte */
    int refusal;  /* errno of connecting; 0: it succeeds */
    int end;      /* errno of reading behind all bytes; 0: the guest left */
    bool ended;
    uint64_t now;
    size_t size, at, checked; /* of (sent) */
    uint8_t sent[SENT_MAX];   /* over this connection */
} world;

static void must(bool promise)
{
    if (!promise)
        abort();
}

static int fail(int error)
{
    errno = error;
    return -1;
}

/* --- The kernel's side ---------------------------------------------------- */

static int connected(void)
{
    must(!world.open);
    world.open = true;
    world.ended = false;
    world.size = world.at = world.checked = 0;
    return FD_GUEST;
}

int __wrap_opener_open(enum opener_how how, const char *path);
int __wrap_opener_open(enum opener_how how, const char *path)
{
    if (strcmp(path, SOURCE_VSOCK_DEVICE) == 0)
        return how == OPENER_READ ? FD_DEVICE : fail(EINVAL);
    return world.refusal != 0 ? fail(world.refusal) : connected();
}

int __wrap_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol)
{
    (void)type;
    (void)protocol;
    must(family == AF_VSOCK);
    return world.refusal == EACCES ? fail(EACCES) : connected();
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size);
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    struct sockaddr_vm own;

    must(fd == FD_GUEST && size == sizeof own);
    memcpy(&own, address, sizeof own);
    must(own.svm_port > 0 && own.svm_port < 1024);
    if (world.refusal == EINVAL)
        return fail(EINVAL);
    return own.svm_port % 4 == 0 ? 0 : fail(EADDRINUSE);
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    (void)address;
    must(fd == FD_GUEST && size == sizeof(struct sockaddr_vm));
    return world.refusal != 0 ? fail(world.refusal) : 0;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    must(count == 1 && fds->fd == FD_GUEST && timeout == 0);
    return world.refusal != EINPROGRESS;
}

int __wrap_getsockopt(int fd, int level, int name, void *val, socklen_t *size);
int __wrap_getsockopt(int fd, int level, int name, void *val, socklen_t *size)
{
    struct ucred who = {.uid = world.how & 0x80u ? 4711 : 0};

    must(fd == FD_GUEST && level == SOL_SOCKET);
    if (name == SO_PEERCRED)
        memcpy(val, &who, *size);
    else
        memcpy(val, &world.refusal, *size);
    return 0;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    if (fd < FD_GUEST)
        return __real_close(fd);
    if (fd == FD_GUEST) {
        must(world.open);
        world.open = false;
    }
    return 0;
}

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size)
{
    if (fd != FD_GUEST)
        return __real_read(fd, buf, size);
    must(world.open);
    if (size > world.size - world.at)
        size = world.size - world.at;
    if (size == 0 && !world.ended)
        return fail(EAGAIN);
    if (size == 0)
        return world.end != 0 ? fail(world.end) : 0;
    memcpy(buf, world.sent + world.at, size);
    world.at += size;
    return (ssize_t)size;
}

ssize_t __wrap_recv(int fd, void *buf, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t size, int flags)
{
    (void)flags;
    return __wrap_read(fd, buf, size);
}

ssize_t __wrap_send(int fd, const void *buf, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t size, int flags)
{
    (void)buf;
    must(fd == FD_GUEST && world.open && flags == MSG_NOSIGNAL);
    if ((world.how & 3u) == 1)
        return fail(ENOTSOCK);
    return world.ended && world.end != 0 ? fail(world.end) : (ssize_t)size / 2;
}

ssize_t __real_write(int fd, const void *buf, size_t size);
ssize_t __wrap_write(int fd, const void *buf, size_t size);
ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
    if (fd != FD_GUEST)
        return __real_write(fd, buf, size);
    return world.ended && world.end != 0 ? fail(world.end) : (ssize_t)size;
}

int __real_stat(const char *path, struct stat *s);
int __wrap_stat(const char *path, struct stat *s);
int __wrap_stat(const char *path, struct stat *s)
{
    if (!world.running) /* what replays a corpus asks for its files */
        return __real_stat(path, s);
    if (world.refusal == ENOENT || world.refusal == EACCES)
        return fail(world.refusal);
    *s = (struct stat){.st_mode = (world.how & 3u) == 0          ? S_IFSOCK
                                  : world.refusal == ENETUNREACH ? S_IFDIR
                                                                 : S_IFCHR};
    return 0;
}

int __wrap_fstat(int fd, struct stat *s);
int __wrap_fstat(int fd, struct stat *s)
{
    must(fd == FD_GUEST);
    *s = (struct stat){.st_uid = world.how & 0x80u ? 4711 : 0};
    return world.refusal == ETIMEDOUT ? fail(EIO) : 0;
}

int __wrap_tcgetattr(int fd, struct termios *t);
int __wrap_tcgetattr(int fd, struct termios *t)
{
    must(fd == FD_GUEST);
    *t = (struct termios){0};
    return world.how & 0x40u ? fail(ENOTTY) : 0;
}

int __wrap_tcsetattr(int fd, int when, const struct termios *t);
int __wrap_tcsetattr(int fd, int when, const struct termios *t)
{
    (void)when;
    must(fd == FD_GUEST && (t->c_lflag & (tcflag_t)(ECHO | ICANON)) == 0);
    return 0;
}

int __wrap_access(const char *path, int how);
int __wrap_access(const char *path, int how)
{
    (void)path;
    (void)how;
    return world.how & 0x40u ? fail(ENOENT) : 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list args;

    must(fd == FD_DEVICE && (int)request == IOCTL_VM_SOCKETS_GET_LOCAL_CID);
    va_start(args, request);
    *va_arg(args, uint32_t *) = 3;
    va_end(args);
    return 0;
}

uint64_t __wrap_clock_ns(void);
uint64_t __wrap_clock_ns(void)
{
    return world.now += 1000;
}

/* --- The collector's side ------------------------------------------------- */

/* The answer to CONNECT is good: LF ends "OK " and digits, of a number that
 * fits. What follows is the guest's. */
static size_t behind_answer(void)
{
    const uint8_t *lf = memchr(world.sent, '\n', world.size);
    const uint8_t *c = world.sent + 3;

    must(lf != NULL && lf - world.sent >= 4);
    must(memcmp(world.sent, "OK ", 3) == 0);
    while (c < lf)
        must(*c >= '0' && *c <= '9' && ++c != NULL);
    return (size_t)(lf + 1 - world.sent);
}

/* Returns whether to go on. */
static bool hear(struct source *s)
{
    uint8_t got[64];
    uint64_t arrival = 0;
    struct err e = {""};
    ssize_t n = s->ops->read(s, got, sizeof got, &arrival, &e);

    if (n > 0) {
        if (world.checked == 0 && (world.how & 3u) == 3)
            world.checked = behind_answer();
        must(world.checked + (size_t)n <= world.size);
        must(memcmp(got, world.sent + world.checked, (size_t)n) == 0);
        world.checked += (size_t)n;
    }
    must(n != -1 || e.text[0] != '\0');
    must(n == -1 || arrival == world.now);
    return n > 0 || (n == SOURCE_END && s->reconnects && s->fd < 0);
}

/* What the loop would do now. Returns false if it would give up. */
static bool step(struct source *s)
{
    struct err e = {""};

    for (unsigned i = 0; i < 200; i++) {
        if (s->fd >= 0) {
            if (!hear(s))
                return true;
            continue;
        }
        enum source_state state = s->ops->open(s, &e);

        must(state != SOURCE_FAILED || e.text[0] != '\0');
        must((state == SOURCE_OPEN) == (s->fd == FD_GUEST));
        if (state != SOURCE_OPEN)
            return state == SOURCE_ABSENT;
        must(world.open);
    }
    return true;
}

/* The text of (where) is up to a NUL of the input. */
static struct source *make(const uint8_t **data, size_t *size)
{
    static const char *const kinds[] = {"serial", "serial", "vsock",
                                        "vsock-uds"};
    const uint8_t *nul = memchr(*data, '\0', *size);
    char where[200] = "7";
    struct err e = {""};
    size_t length = nul != NULL ? (size_t)(nul - *data) : 0;

    if (length >= sizeof where || nul == NULL)
        return NULL;
    if (length != 0)
        memcpy(where, *data, length + 1);
    *data += length + 1;
    *size -= length + 1;
    struct source *s = source_kind_find(kinds[world.how & 3u])
                           ->make(where, world.how >> 2 & 3u, &e);

    must(s != NULL || e.text[0] != '\0');
    if (s != NULL)
        s->reconnects = (world.how & 0x10u) != 0;
    return s;
}

static void act(struct source *s, uint8_t what, uint8_t how,
                const uint8_t *bytes, size_t count)
{
    uint8_t zeros[256] = {0};
    struct err e = {""};

    switch (what % ACTS) {
    case ACT_BYTES:
        if (!world.open || world.ended || world.size + count > SENT_MAX)
            break;
        memcpy(world.sent + world.size, bytes, count);
        world.size += count;
        break;
    case ACT_REFUSE:
        world.refusal = errors[how % 16u];
        break;
    case ACT_END:
        world.ended = true;
        world.end = errors[how % 16u];
        break;
    case ACT_TIME:
        world.now += 1000000ull << how % 16u;
        break;
    default:
        if (s->fd >= 0)
            must(s->ops->write(s, zeros, how, &e) >= 0 || e.text[0] != '\0');
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source *s;
    bool going = true;

    if (size < 2)
        return 0;
    memset(&world, 0, offsetof(struct world, sent));
    world.running = true;
    world.how = *data++;
    size--;
    s = make(&data, &size);
    while (s != NULL && going && size >= 2) {
        size_t count = data[0] % ACTS == ACT_BYTES ? data[1] : 0;

        if (count > size - 2)
            count = size - 2;
        act(s, data[0], data[1], data + 2, count);
        data += 2 + count;
        size -= 2 + count;
        going = step(s);
    }
    source_close(s);
    must(!world.open);
    world.running = false;
    return 0;
}

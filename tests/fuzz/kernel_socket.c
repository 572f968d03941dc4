/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix stream sockets, as kernel.h has them and unix(7) describes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "guard/opener.h"
#include "kernel.h"

#define ROOM          (32u * 1024) /* bytes on their way to a socket */
#define MESSAGES_MAX  4u           /* with descriptors, likewise */
#define PASSED_MAX    8u           /* descriptors of one */
#define PENDING_MAX   8u           /* connections of a listener */
#define LISTENERS_MAX 4u

#define NO_RECEIVE 1u
#define NO_SEND    2u

/* What stands beside the file of the same number. */
static struct end {
    struct kernel_file *peer; /* NULL: it has none, or it is gone */
    unsigned shut;            /* NO_RECEIVE, NO_SEND */
    int error;                /* that the next call returns */
    uint64_t in, out;         /* bytes that came, and were read */
    struct message {
        uint64_t from, to; /* bytes that it came with */
        struct kernel_file *passed[PASSED_MAX];
        unsigned count;
    } messages[MESSAGES_MAX]; /* that have not been read from yet */
    unsigned message_count;
    /* of a listener */
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    struct kernel_file *pending[PENDING_MAX];
    unsigned pending_count, pending_max;
} ends[KERNEL_FILES];
static uint8_t rooms[KERNEL_FILES][ROOM];
static struct kernel_file *listeners[LISTENERS_MAX]; /* are never closed */
static unsigned listener_count;

static struct end *end_of(const struct kernel_file *f)
{
    return &ends[kernel_number(f)];
}

static struct kernel_file *new_end(enum kernel_kind kind)
{
    struct kernel_file *f = kernel_new(kind);

    if (f != NULL)
        memset(end_of(f), 0, sizeof ends[0]);
    return f;
}

/* The socket (fd); NULL, with errno set, if it is none. */
static struct kernel_file *socket_of(int fd)
{
    struct kernel_file *f = kernel_file(fd);

    if (f != NULL && f->kind == KERNEL_SOCKET)
        return f;
    errno = f != NULL ? ENOTSOCK : EBADF;
    return NULL;
}

/* --- Connections ---------------------------------------------------------- */

static void drop_passed(struct message *m)
{
    for (unsigned i = 0; i < m->count; i++)
        kernel_drop(m->passed[i]);
    m->count = 0;
}

void kernel_socket_end(struct kernel_file *f)
{
    struct end *e = end_of(f);

    for (unsigned i = 0; i < e->message_count; i++)
        drop_passed(&e->messages[i]);
    for (unsigned i = 0; i < e->pending_count; i++)
        kernel_drop(e->pending[i]);
    if (e->peer == NULL)
        return;
    struct end *peer = end_of(e->peer);

    peer->peer = NULL;
    peer->shut = NO_RECEIVE | NO_SEND;
    if (e->in != e->out)
        peer->error = ECONNRESET;
    e->peer->edge++;
}

int __wrap_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol)
{
    (void)protocol;
    if (family != AF_UNIX || (type & SOCK_STREAM) == 0)
        abort();
    return kernel_describe(new_end(KERNEL_SOCKET));
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size);
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    const struct sockaddr_un *a = (const void *)address;

    (void)size;
    memcpy(end_of(kernel_file(fd))->path, a->sun_path, sizeof a->sun_path);
    return 0;
}

int __wrap_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog)
{
    struct kernel_file *f = kernel_file(fd);

    if (listener_count == LISTENERS_MAX)
        abort();
    listeners[listener_count++] = f;
    f->kind = KERNEL_LISTENER;
    end_of(f)->pending_max =
        backlog < (int)PENDING_MAX ? (unsigned)backlog : PENDING_MAX;
    return 0;
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    const struct sockaddr_un *a = (const void *)address;
    struct kernel_file *f = socket_of(fd), *other;
    unsigned i = 0;

    (void)size;
    while (i < listener_count &&
           strcmp(end_of(listeners[i])->path, a->sun_path) != 0)
        i++;
    if (i == listener_count)
        return kernel_fail(ENOENT);
    struct end *l = end_of(listeners[i]);

    if (l->pending_count == l->pending_max ||
        (other = new_end(KERNEL_SOCKET)) == NULL)
        return kernel_fail(EAGAIN);
    end_of(f)->peer = other;
    end_of(other)->peer = f;
    l->pending[l->pending_count++] = other;
    listeners[i]->edge++;
    return 0;
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int how);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int how)
{
    struct end *l = end_of(kernel_file(fd));

    (void)address;
    (void)size;
    (void)how;
    if (l->pending_count == 0)
        return kernel_fail(EAGAIN);
    struct kernel_file *f = l->pending[0];

    l->pending_count--;
    for (unsigned i = 0; i < l->pending_count; i++)
        l->pending[i] = l->pending[i + 1];
    return kernel_describe(f);
}

int __wrap_opener_open(enum opener_how how, const char *path);
int __wrap_opener_open(enum opener_how how, const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = __wrap_socket(AF_UNIX, SOCK_STREAM, 0);

    if (how != OPENER_CONNECT || strlen(path) >= sizeof a.sun_path)
        abort();
    memcpy(a.sun_path, path, strlen(path));
    if (fd < 0 || __wrap_connect(fd, (const void *)&a, sizeof a) == 0)
        return fd;
    int error = errno;

    close(fd);
    return kernel_fail(error);
}

/* All peers are the user's own. */
int __wrap_getsockopt(int fd, int level, int name, void *val, socklen_t *size);
int __wrap_getsockopt(int fd, int level, int name, void *val, socklen_t *size)
{
    const struct ucred who = {.uid = 0};

    if (socket_of(fd) == NULL || level != SOL_SOCKET || name != SO_PEERCRED ||
        *size != sizeof who)
        abort();
    memcpy(val, &who, sizeof who);
    return 0;
}

int __wrap_shutdown(int fd, int how);
int __wrap_shutdown(int fd, int how)
{
    struct kernel_file *f = socket_of(fd);
    struct end *e = f != NULL ? end_of(f) : NULL;

    if (e == NULL)
        return -1;
    e->shut |= how == SHUT_RD ? NO_RECEIVE : NO_SEND;
    f->edge++;
    if (e->peer == NULL)
        return 0;
    end_of(e->peer)->shut |= how == SHUT_RD ? NO_SEND : NO_RECEIVE;
    e->peer->edge++;
    return 0;
}

static size_t waiting(const struct kernel_file *f)
{
    const struct end *e = end_of(f);

    return (size_t)(e->in - e->out);
}

/* Half-empty buffers do not count as room, so that few wake a poller. */
static bool is_writable(const struct end *e)
{
    return e->peer == NULL || waiting(e->peer) <= ROOM / 4;
}

uint32_t kernel_socket_ready(const struct kernel_file *f)
{
    const struct end *e = end_of(f);
    uint32_t events = 0;

    if (f->kind == KERNEL_LISTENER)
        return e->pending_count != 0 ? EPOLLIN : 0;
    if ((e->shut & NO_RECEIVE) != 0)
        events |= EPOLLIN | EPOLLRDHUP;
    if (e->shut == (NO_RECEIVE | NO_SEND))
        events |= EPOLLHUP;
    if (e->error != 0)
        events |= EPOLLERR;
    if (e->in != e->out)
        events |= EPOLLIN;
    return is_writable(e) ? events | EPOLLOUT : events;
}

/* --- Bytes ---------------------------------------------------------------- */

/* Returns how many of the (size) bytes there was room for. */
static size_t put(struct kernel_file *to, const uint8_t *bytes, size_t size)
{
    struct end *e = end_of(to);
    size_t room = ROOM - waiting(to), at = (size_t)(e->in % ROOM);

    if (size > room)
        size = room;
    size_t first = size < ROOM - at ? size : ROOM - at;

    if (size == 0)
        return 0;
    memcpy(rooms[kernel_number(to)] + at, bytes, first);
    memcpy(rooms[kernel_number(to)], bytes + first, size - first);
    e->in += size;
    return size;
}

/* The descriptors of (c) travel with the bytes from (from) on. */
static int pass(struct kernel_file *to, const struct cmsghdr *c, uint64_t from)
{
    struct end *e = end_of(to);
    unsigned count = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));

    if (e->message_count == MESSAGES_MAX || count > PASSED_MAX)
        return kernel_fail(EAGAIN);
    struct message *m = &e->messages[e->message_count++];

    *m = (struct message){.from = from, .to = from};
    for (unsigned i = 0; i < count; i++) {
        struct kernel_file *f;
        int fd;

        memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        f = kernel_file(fd);
        if (f == NULL && (f = kernel_new(KERNEL_OTHER)) == NULL)
            continue;
        f->users += fd >= KERNEL_FD;
        m->passed[m->count++] = f;
    }
    return 0;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
    struct kernel_file *f = socket_of(fd);
    struct end *to;
    size_t sent = 0;

    (void)flags;
    if (f == NULL)
        return -1;
    if ((end_of(f)->shut & NO_SEND) != 0)
        return kernel_fail(EPIPE);
    if (end_of(f)->peer == NULL)
        return kernel_fail(ENOTCONN);
    f = end_of(f)->peer;
    to = end_of(f);
    if (waiting(f) == ROOM)
        return kernel_fail(EAGAIN);
    if (m->msg_controllen != 0 && pass(f, m->msg_control, to->in) != 0)
        return -1;
    for (size_t i = 0; i < m->msg_iovlen; i++)
        sent += put(f, m->msg_iov[i].iov_base, m->msg_iov[i].iov_len);
    if (m->msg_controllen != 0)
        to->messages[to->message_count - 1].to = to->in;
    f->edge++;
    return (ssize_t)sent;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
    struct iovec piece = {(void *)(uintptr_t)bytes, size};
    const struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1};

    return __wrap_sendmsg(fd, &m, flags);
}

/* Give what (m) has to whom asks in (to), which may have no room for that. */
static void take_passed(struct message *m, struct msghdr *to)
{
    struct cmsghdr *c = to->msg_control;

    if (c == NULL) {
        drop_passed(m);
        return;
    }
    size_t room = (to->msg_controllen - CMSG_LEN(0)) / sizeof(int);
    unsigned count = m->count < room ? m->count : (unsigned)room;

    for (unsigned i = 0; i < count; i++) {
        int fd = kernel_describe(m->passed[i]);

        memcpy(CMSG_DATA(c) + i * sizeof fd, &fd, sizeof fd);
    }
    if (count < m->count)
        to->msg_flags |= MSG_CTRUNC;
    for (unsigned i = count; i < m->count; i++)
        kernel_drop(m->passed[i]);
    m->count = 0;
    to->msg_controllen = CMSG_LEN(count * sizeof(int));
    *c = (struct cmsghdr){.cmsg_len = to->msg_controllen,
                          .cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS};
}

/* How many bytes may be read at once: up to those that came with descriptors,
 * or, with these, up to their end. */
static size_t whole(const struct kernel_file *f, struct msghdr *to)
{
    struct end *e = end_of(f);
    uint64_t end = e->message_count > 0 ? e->messages[0].from : e->in;

    if (e->message_count == 0 || end > e->out) {
        to->msg_controllen = 0;
        return (size_t)(end - e->out);
    }
    end = e->messages[0].to;
    take_passed(&e->messages[0], to);
    e->message_count--;
    memmove(e->messages, e->messages + 1,
            e->message_count * sizeof e->messages[0]);
    return (size_t)(end - e->out);
}

static void get(const struct kernel_file *f, uint64_t from, void *bytes,
                size_t size)
{
    size_t at = (size_t)(from % ROOM);
    size_t first = size < ROOM - at ? size : ROOM - at;

    memcpy(bytes, rooms[kernel_number(f)] + at, first);
    memcpy((uint8_t *)bytes + first, rooms[kernel_number(f)], size - first);
}

/* Behind bytes that were read: the sender may go on. */
static void wake_sender(const struct end *e)
{
    if (e->peer != NULL)
        e->peer->edge += is_writable(end_of(e->peer));
}

static ssize_t nothing(struct end *e)
{
    int error = e->error;

    e->error = 0;
    if (error != 0)
        return kernel_fail(error);
    return (e->shut & NO_RECEIVE) != 0 ? 0 : kernel_fail(EAGAIN);
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *m, int flags)
{
    struct kernel_file *f = socket_of(fd);
    size_t done = 0, left;
    struct end *e;

    if (f == NULL)
        return -1;
    e = end_of(f);
    m->msg_flags = 0;
    left = (flags & MSG_PEEK) != 0 ? waiting(f) : whole(f, m);
    if (left == 0)
        return nothing(e);
    for (size_t i = 0; i < m->msg_iovlen && done < left; i++) {
        size_t some = m->msg_iov[i].iov_len;

        if (some > left - done)
            some = left - done;
        get(f, e->out + done, m->msg_iov[i].iov_base, some);
        done += some;
    }
    if ((flags & MSG_PEEK) == 0) {
        e->out += done;
        wake_sender(e);
    }
    return (ssize_t)done;
}

ssize_t __wrap_readv(int fd, const struct iovec *pieces, int count);
ssize_t __wrap_readv(int fd, const struct iovec *pieces, int count)
{
    struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)pieces,
                       .msg_iovlen = (size_t)count};

    return __wrap_recvmsg(fd, &m, 0);
}

ssize_t __wrap_recv(int fd, void *bytes, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t size, int flags)
{
    struct iovec piece = {bytes, size};
    struct msghdr m = {.msg_iov = &piece, .msg_iovlen = 1};

    return __wrap_recvmsg(fd, &m, flags);
}

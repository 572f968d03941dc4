/* SPDX-License-Identifier: BSD-2-Clause */
#include "guard/descriptor.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for one descriptor. */
union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
};

int descriptor_send(int socket, const void *bytes, size_t size, int fd)
{
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    union control control = {{0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);

        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(head), &fd, sizeof fd);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

ssize_t descriptor_receive(int socket, void *bytes, size_t size, int *fd)
{
    struct iovec part = {bytes, size};
    union control control = {{0}};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t n;

    *fd = -1;
    do
        n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&message);

    if (head != NULL && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof *fd))
        memcpy(fd, CMSG_DATA(head), sizeof *fd);
    return n;
}

static struct {
    int list[DESCRIPTOR_OWN];
    size_t count;
    bool watched; /* close_own() is registered */
} own;

/* Called in a child. Its own children may reuse the numbers of descriptors. */
static void close_own(void)
{
    while (own.count > 0)
        (void)close(own.list[--own.count]);
}

int descriptor_own(int fd)
{
    int error = own.count == DESCRIPTOR_OWN ? ENFILE : 0;

    if (error == 0 && !own.watched)
        error = pthread_atfork(NULL, NULL, close_own);
    errno = error;
    if (error != 0)
        return -1;
    own.watched = true;
    own.list[own.count++] = fd;
    return 0;
}

void descriptor_close(int fd)
{
    for (size_t i = own.count; i-- > 0;)
        if (own.list[i] == fd)
            own.list[i] = own.list[--own.count];
    (void)close(fd);
}

/* Files besides those of guests: an image being read, outputs, epoll, signals,
 * the helper's socket, standard descriptors, and some left open by the caller.
 */
#define FILES_ELSE 32u

int descriptor_allow_guests(size_t guests, bool recorded, struct err *e)
{
    rlim_t wanted = guests * (recorded ? 2 : 1) + FILES_ELSE;
    struct rlimit limit;

    if (guests == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        limit.rlim_cur >= wanted)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max >= wanted)
        return 0;
    return err_set(
        e,
        "%zu guests need %llu open files, but the limit is %llu: type 'ulimit "
        "-n %llu' first (as root, or raise LimitNOFILE= or limits.conf)",
        guests, (unsigned long long)wanted, (unsigned long long)limit.rlim_max,
        (unsigned long long)wanted);
}

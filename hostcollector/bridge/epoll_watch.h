/* SPDX-License-Identifier: BSD-2-Clause */
/* The target of an epoll event: its data.ptr points to a struct watch. Leaf. */
#ifndef TPROF_BRIDGE_EPOLL_WATCH_H
#define TPROF_BRIDGE_EPOLL_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

struct watch {
    enum watch_kind {
        WATCH_STOP,    /* the command must end */
        WATCH_FRONTS,  /* a front-end wants to connect */
        WATCH_FRONT,   /* the front-end sent bytes */
        WATCH_KICK,    /* the guest has kicked: eventfd of a ring */
        WATCH_CLIENTS, /* a client wants to connect */
        WATCH_CONN,    /* first member of a struct conn */
    } kind;
};

/* Watch (fd). Returns 0; -1 with errno set. */
static inline int watch_add(int epoll, int fd, uint32_t events, struct watch *w)
{
    struct epoll_event event = {.events = events, .data.ptr = w};

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Stop watching (fd). Call it before close(): epoll keeps a descriptor that
 * another process has open as well. */
static inline void watch_remove(int epoll, int fd)
{
    (void)epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
}

#endif

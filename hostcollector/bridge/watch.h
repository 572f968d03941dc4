/* SPDX-License-Identifier: BSD-2-Clause */
/* What an epoll event is about: its data.ptr points to one of these. Leaf. */
#ifndef TPROF_BRIDGE_WATCH_H
#define TPROF_BRIDGE_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

struct watch {
    enum watch_kind {
        WATCH_STOP,    /* the command shall end */
        WATCH_FRONTS,  /* a front-end wants to connect */
        WATCH_FRONT,   /* the front-end sent something */
        WATCH_KICK,    /* the guest did: a ring's eventfd */
        WATCH_CLIENTS, /* a client wants to connect */
        WATCH_CONN,    /* the first member of a struct conn */
    } kind;
};

/* Returns 0, or -1 with errno set. */
static inline int watch_add(int epoll, int fd, uint32_t events, struct watch *w)
{
    struct epoll_event event = {.events = events, .data.ptr = w};

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Before close(): a descriptor that another process holds as well stays. */
static inline void watch_remove(int epoll, int fd)
{
    (void)epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
}

#endif

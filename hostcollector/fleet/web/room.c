/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting clients. */
#include "fleet/web/room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLACES   (ROOM_WAITING + ROOM_SERVED)
#define AT_ONCE  64 /* most clients accepted and checked in a turn */
#define IDLE_MS  500
#define CROWD_MS 20 /* interval of checks while a client waits for a place */

enum stage {
    FREE,
    COMING, /* the request is not complete */
    WHOLE,
    SERVED,
    HELD,
};

struct client {
    enum stage stage;
    int fd;
    uid_t uid;        /* user at a Unix socket */
    uint64_t came_ms; /* when the client came, or when serving it began */
    uint64_t until_ms;
    uint64_t number; /* counts clients in the order in which they came */
};

struct room {
    int listener, epoll;
    bool has_users;
    uint64_t last; /* number of the last client */
    struct client clients[PLACES];
};

struct room *room_open(int listener, struct err *e)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = PLACES};
    struct room *r = calloc(1, sizeof *r);
    socklen_t size = sizeof(int);
    int domain = 0;

    if (r == NULL) {
        (void)err_set(e, "web: no memory");
        return NULL;
    }
    r->listener = listener;
    r->has_users =
        getsockopt(listener, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
        domain == AF_UNIX;
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (r->epoll < 0 ||
        epoll_ctl(r->epoll, EPOLL_CTL_ADD, listener, &event) != 0) {
        (void)err_sys(e, "web: epoll");
        if (r->epoll >= 0)
            (void)close(r->epoll);
        free(r);
        return NULL;
    }
    return r;
}

static void leave(struct client *c)
{
    (void)close(c->fd);
    c->stage = FREE;
}

void room_close(struct room *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < PLACES; i++)
        if (r->clients[i].stage == COMING || r->clients[i].stage == WHOLE)
            leave(&r->clients[i]);
    (void)close(r->epoll);
    (void)close(r->listener);
    free(r);
}

int room_fd(const struct room *r)
{
    return r->epoll;
}

/* Count the clients in a range of stages, only those of (*uid) if (uid) is not
 * NULL, and find the oldest of them. */
struct group {
    size_t count;
    struct client *oldest;
};

static struct group group_of(struct room *r, enum stage first, enum stage last,
                             const uid_t *uid)
{
    struct group g = {0, NULL};

    for (size_t i = 0; i < PLACES; i++) {
        struct client *c = &r->clients[i];

        if (c->stage < first || c->stage > last ||
            (uid != NULL && c->uid != *uid))
            continue;
        g.count++;
        if (g.oldest == NULL || c->number < g.oldest->number)
            g.oldest = c;
    }
    return g;
}

/* Make room for one more client. The oldest client without a complete request
 * is closed. Returns false if there is no room. */
static bool make_room(struct room *r, const uid_t *uid)
{
    struct group coming = group_of(r, COMING, COMING, uid);

    if (coming.oldest == NULL)
        coming = group_of(r, WHOLE, WHOLE, uid);
    if (coming.oldest == NULL)
        return false;
    leave(coming.oldest);
    return true;
}

/* Check whether the request of (c) is complete. Bytes are peeked and not
 * taken, since the server reads them from the beginning. The client is closed
 * if it will never complete the request. */
static void check_request(struct client *c, bool ended)
{
    static char text[ROOM_REQUEST];
    ssize_t n = recv(c->fd, text, sizeof text, MSG_PEEK | MSG_DONTWAIT);
    size_t size = n > 0 ? (size_t)n : 0;

    if (size == sizeof text || memmem(text, size, "\n\r\n", 3) != NULL ||
        memmem(text, size, "\n\n", 2) != NULL)
        c->stage = WHOLE; /* or larger than allowed, which is answered */
    else if (n == 0 || ended || (n < 0 && errno != EAGAIN && errno != EINTR))
        leave(c);
}

/* Is there room for a client of (*uid), which may be NULL? */
static bool admits(struct room *r, const uid_t *uid)
{
    if (uid != NULL && group_of(r, COMING, HELD, uid).count >= ROOM_OF_USER &&
        !make_room(r, uid))
        return false;
    return group_of(r, COMING, WHOLE, NULL).count < ROOM_WAITING ||
           make_room(r, NULL);
}

static void admit(struct room *r, int fd, uint64_t now_ms)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
    struct ucred user = {.uid = 0};
    socklen_t size = sizeof user;
    size_t i = 0;

    if ((r->has_users &&
         getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) != 0) ||
        !admits(r, r->has_users ? &user.uid : NULL)) {
        (void)close(fd);
        return;
    }
    while (i < PLACES && r->clients[i].stage != FREE)
        i++;
    event.data.u32 = (uint32_t)i;
    if (i == PLACES || epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        (void)close(fd);
        return;
    }
    r->clients[i] = (struct client){.stage = COMING,
                                    .fd = fd,
                                    .uid = user.uid,
                                    .came_ms = now_ms,
                                    .until_ms = now_ms + ROOM_HEADERS_MS,
                                    .number = ++r->last};
    check_request(&r->clients[i], false);
}

static void take_all(struct room *r, uint64_t now_ms)
{
    struct epoll_event events[AT_ONCE];
    int n = epoll_wait(r->epoll, events, AT_ONCE, 0), fd;

    for (int i = 0; i < n; i++) {
        uint32_t at = events[i].data.u32;

        if (at < PLACES && r->clients[at].stage == COMING)
            check_request(
                &r->clients[at],
                (events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        admit(r, fd, now_ms);
    }
}

/* Close clients whose time is up. */
static void end_late(struct room *r, uint64_t now_ms)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct client *c = &r->clients[i];

        if (c->stage == FREE || now_ms <= c->until_ms)
            continue;
        if (c->stage == COMING || c->stage == WHOLE)
            leave(c);
        else
            (void)shutdown(c->fd, SHUT_RDWR);
    }
}

int room_turn(struct room *r, uint64_t now_ms,
              void (*serve)(void *context, int fd), void *context)
{
    struct group whole, served;

    take_all(r, now_ms);
    end_late(r, now_ms);
    while ((whole = group_of(r, WHOLE, WHOLE, NULL)).count != 0) {
        struct client *c = whole.oldest;

        if (group_of(r, SERVED, HELD, NULL).count == ROOM_SERVED)
            break;
        c->stage = SERVED;
        c->until_ms = c->came_ms + ROOM_ANSWER_MS;
        c->came_ms = now_ms;
        (void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, c->fd, NULL);
        serve(context, c->fd);
    }
    if (whole.count == 0)
        return IDLE_MS;
    served = group_of(r, SERVED, SERVED, NULL);
    if (served.oldest != NULL &&
        now_ms >= served.oldest->came_ms + ROOM_LEAST_MS)
        (void)shutdown(served.oldest->fd, SHUT_RDWR);
    return CROWD_MS;
}

static struct client *served_at(struct room *r, int fd)
{
    for (size_t i = 0; i < PLACES; i++)
        if (r->clients[i].fd == fd && r->clients[i].stage >= SERVED)
            return &r->clients[i];
    return NULL;
}

void room_hold(struct room *r, int fd, bool hold, uint64_t now_ms)
{
    struct client *c = served_at(r, fd);

    if (c == NULL)
        return;
    c->stage = hold ? HELD : SERVED;
    c->came_ms = now_ms;
}

uid_t room_user(struct room *r, int fd)
{
    const struct client *c = served_at(r, fd);

    return c != NULL ? c->uid : (uid_t)-1;
}

void room_left(struct room *r, int fd)
{
    struct client *c = served_at(r, fd);

    if (c != NULL)
        c->stage = FREE;
}

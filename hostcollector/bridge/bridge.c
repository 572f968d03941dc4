/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives a guest virtio-vsock without /dev/vhost-vsock. */
#include "bridge/bridge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bridge/uds.h"
#include "bridge/vhost_user.h"
#include "bridge/vsock.h"
#include "util/host_clock.h"

#define EVENTS    64
#define CLIENTS   16 /* accepted in one turn */
#define MESSAGES  16 /* received in one turn */
/* descriptors besides connections: kicks, listeners, ... */
#define OTHER_FDS 48u
#define LINES     20u    /* lines for the user at once */
#define REPEAT_MS 60000u /* an equal line is held back for so long */

struct bridge {
    struct bridge_config config;
    int epoll;
    struct uds_listener fronts, clients;
    struct vhost_user user;
    struct vsock vsock;
    struct watch stop_watch, fronts_watch, clients_watch;
    /* Flags that are set while epoll's events are handled. Their work is done
     * after all events, because it frees objects to which other events
     * point. */
    bool stop, new_front, front_spoke, new_client;
    /* Time at which to drop a QEMU that has sent nothing or half a message; 0:
     * never. */
    uint64_t front_due_ms;
    uint64_t front_heard_ms; /* time of its last message */
    bool front_ran;          /* the guest's driver has started */
    bool busy;               /* more work is waiting: do not block in epoll */
    /* a line about this front-end's guest was written */
    bool complained;
    unsigned lines;   /* lines that may be written now */
    struct err last;  /* the last line */
    uint64_t last_ms; /* time of the last line */
    unsigned repeats; /* number of repeats of the last line */
    uint64_t said_ms; /* time at which (lines) last grew */
};

static uint64_t now_ms(void)
{
    return clock_ns() / 1000000;
}

/* Limit lines, so that a guest or a client cannot fill the user's disk: LINES
 * at once, then one a second. */
static void say(struct bridge *b, const char *line)
{
    uint64_t gained = (now_ms() - b->said_ms) / 1000;

    if (gained > 0) {
        b->said_ms = now_ms();
        b->lines =
            gained < LINES - b->lines ? b->lines + (unsigned)gained : LINES;
    }
    if (b->lines == 0 || b->config.say == NULL)
        return;
    b->lines--;
    b->config.say(b->config.context, line);
}

static void tell_repeats(struct bridge *b)
{
    struct err line;

    if (b->repeats == 0)
        return;
    (void)err_set(&line, "%u times more: %s", b->repeats, b->last.text);
    b->repeats = 0;
    say(b, line.text);
}

/* Write a line. A repeat of the last line is counted instead. */
static void say_line(struct bridge *b, const char *line)
{
    if (strcmp(line, b->last.text) == 0 && now_ms() - b->last_ms < REPEAT_MS) {
        b->repeats++;
        return;
    }
    tell_repeats(b);
    (void)err_set(&b->last, "%s", line);
    b->last_ms = now_ms();
    say(b, line);
}

/* --- The front-end -------------------------------------------------------- */

/* Report dropped packets, once, when the guest's driver is gone. */
static void tell_dropped(struct bridge *b)
{
    char line[120];

    if (b->vsock.dropped == 0)
        return;
    (void)snprintf(line, sizeof line,
                   "dropped %" PRIu64
                   " packets of the guest that could not be answered",
                   b->vsock.dropped);
    say_line(b, line);
    b->vsock.dropped = 0;
}

static void drop_front(struct bridge *b)
{
    tell_dropped(b);
    vsock_hang_up(&b->vsock);
    vhost_user_drop(&b->user);
    b->complained = false;
    b->front_due_ms = 0;
    b->front_ran = false;
}

/* Drop a silent process, because it would keep QEMU out. */
static void drop_silent_front(struct bridge *b)
{
    say_line(
        b,
        "closed a connection to the socket for QEMU: the program sent nothing");
    drop_front(b);
}

/* Drop a process that sent only a part of a message, if another process is
 * waiting, which may be QEMU. Returns true if the place is free. */
static bool make_way(struct bridge *b)
{
    if (b->user.fd < 0)
        return true;
    if (b->front_due_ms != 0) {
        drop_silent_front(b);
        return true;
    }
    if (b->front_ran ||
        b->vsock.conns.now_ms - b->front_heard_ms < CONN_PATIENCE_MS)
        return false;
    say_line(b, "closed a connection to the socket for QEMU, because another "
                "program connected: the first one had started no guest's vsock "
                "and sent nothing more");
    drop_front(b);
    return true;
}

static void accept_front(struct bridge *b)
{
    struct err e = {""};
    int fd = uds_accept(&b->fronts, &b->config.peers, &e);

    if (fd >= 0 && !make_way(b)) {
        close(fd);
        say_line(b, "refused a second QEMU: one bridge serves one guest, so "
                    "start another bridge");
        return;
    }
    if (fd >= 0 && vhost_user_accept(&b->user, fd, &e) == 0)
        b->front_due_ms = b->vsock.conns.now_ms + CONN_PATIENCE_MS;
    if (e.text[0] != '\0')
        say_line(b, e.text);
}

static void hear_front(struct bridge *b)
{
    struct err e = {""};
    enum vhost_user_news news = VHOST_USER_MORE;

    for (int i = 0; i < MESSAGES && news > VHOST_USER_NONE; i++) {
        news = vhost_user_receive(&b->user, &e);
        if (news > VHOST_USER_NONE) {
            b->front_due_ms = 0;
            b->front_heard_ms = b->vsock.conns.now_ms;
        }
        if (news == VHOST_USER_ANEW) {
            b->front_ran = true;
            tell_dropped(b);
            vsock_hang_up(&b->vsock);
            b->complained = false;
        }
    }
    b->busy = true; /* rings may run from now on */
    if (b->user.have != 0 && b->front_due_ms == 0)
        b->front_due_ms = b->vsock.conns.now_ms + CONN_PATIENCE_MS;
    if (news != VHOST_USER_LOST)
        return;
    if (e.text[0] != '\0')
        say_line(b, e.text);
    drop_front(b);
}

/* Stop serving a guest that broke the rules, until its driver starts again. */
static void check_guest(struct bridge *b)
{
    char line[160];

    if (bridge_memory_lost()) {
        say_line(b,
                 "closed the connection to QEMU: the guest's memory is gone");
        drop_front(b);
        return;
    }
    for (unsigned i = RING_RX; i <= RING_TX; i++) {
        if (b->user.rings[i].broken == NULL || b->complained)
            continue;
        (void)snprintf(line, sizeof line,
                       "the guest's driver put %s into its %s ring; its vsock "
                       "stops until the driver starts again",
                       b->user.rings[i].broken, i == RING_RX ? "rx" : "tx");
        say_line(b, line);
        b->complained = true;
        vsock_hang_up(&b->vsock);
    }
}

/* Refuse a client, because the guest's driver never gave the bridge a buffer.
 * The driver may not have started, or QEMU may not share the guest's memory. */
static void check_shared(struct bridge *b)
{
    const struct vring *rx = &b->user.rings[RING_RX];
    bool silent = vring_runs(rx) && rx->next_avail == 0 && rx->avail[2] == 0 &&
                  rx->avail[3] == 0;

    /* QEMU agrees on features when the driver starts; the memory follows */
    bool none = b->user.protocol && b->user.memory.count == 0;

    if (b->complained || !(none || silent))
        return;
    b->complained = true;
    say_line(
        b,
        "QEMU is connected, but has not shared the memory of a guest with a "
        "vsock driver. If the guest has started its driver, add to QEMU's "
        "command line: -object memory-backend-memfd,id=mem,size=SIZE,share=on "
        "-M ...,memory-backend=mem");
}

/* --- Clients -------------------------------------------------------------- */

static void accept_clients(struct bridge *b)
{
    struct conns *s = &b->vsock.conns;

    check_shared(b);
    for (int i = 0; i < CLIENTS; i++) {
        struct err e = {""};
        int fd = uds_accept(&b->clients, &b->config.peers, &e);

        if (e.text[0] != '\0')
            say_line(b, e.text);
        if (fd < 0)
            return;
        if (conns_full(s, false))
            conns_drop_silent(s);
        struct conn *c = conn_new(s, fd, CONN_HELLO);

        if (c != NULL) /* (c) is NULL if there are too many connections */
            conn_time(s, c, true);
        b->busy = true;
    }
}

/* --- The loop ------------------------------------------------------------- */

static void note(struct bridge *b, struct epoll_event *event)
{
    struct watch *w = event->data.ptr;

    switch (w->kind) {
    case WATCH_STOP:
        b->stop = true;
        break;
    case WATCH_FRONTS:
        b->new_front = true;
        break;
    case WATCH_FRONT:
        b->front_spoke = true;
        break;
    case WATCH_KICK: /* the rings are served in any case */
        break;
    case WATCH_CLIENTS:
        b->new_client = true;
        break;
    case WATCH_CONN:
        vsock_event(&b->vsock, (struct conn *)(void *)w, event->events);
        break;
    }
}

static int sooner(int a, int b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return a < b ? a : b;
}

/* Returns the longest time to wait, in milliseconds; -1: without limit. */
static int patience(const struct bridge *b)
{
    int wait = conns_patience(&b->vsock.conns);
    uint64_t now = now_ms();

    if (b->front_due_ms == 0)
        return wait;
    return sooner(wait,
                  b->front_due_ms > now ? (int)(b->front_due_ms - now) : 0);
}

/* Has the process on QEMU's socket been silent for too long? Has the guest
 * connected to a socket of a user who is not allowed? */
static void check_strangers(struct bridge *b)
{
    if (b->front_due_ms != 0 && b->front_due_ms <= b->vsock.conns.now_ms)
        drop_silent_front(b);
    if (b->vsock.stranger.text[0] != '\0')
        say_line(b, b->vsock.stranger.text);
    b->vsock.stranger.text[0] = '\0';
}

int bridge_turn(struct bridge *b, int timeout_ms, struct err *e)
{
    struct epoll_event events[EVENTS];
    int wait = sooner(timeout_ms, patience(b));
    int count = epoll_wait(b->epoll, events, EVENTS, b->busy ? 0 : wait);

    if (count < 0 && errno != EINTR)
        return err_sys(e, "bridge: epoll_wait");
    b->stop = b->new_front = b->front_spoke = b->new_client = false;
    b->vsock.conns.now_ms = now_ms();
    for (int i = 0; i < count; i++)
        note(b, &events[i]);

    vsock_expire(&b->vsock);
    /* before QEMU's messages: its farewell follows the guest's last bytes */
    b->busy = vsock_pump(&b->vsock);
    check_guest(b);
    if (b->front_spoke && b->user.fd >= 0)
        hear_front(b);
    check_strangers(b);
    if (b->new_front)
        accept_front(b);
    if (b->new_client)
        accept_clients(b);
    return b->stop;
}

int bridge_run(struct bridge *b, struct err *e)
{
    int result;

    do
        result = bridge_turn(b, -1, e);
    while (result == 0);
    return result < 0 ? -1 : 0;
}

/* --- Beginning and end ---------------------------------------------------- */

/* Returns the number of connections that the limit of open files allows. */
static unsigned connections(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) < 0 ||
        files.rlim_cur >= CONN_MAX + OTHER_FDS)
        return CONN_MAX;
    return files.rlim_cur > OTHER_FDS ? (unsigned)files.rlim_cur - OTHER_FDS
                                      : 1;
}

static int watch_descriptor(struct bridge *b, int fd, struct watch *w,
                            enum watch_kind kind, struct err *e)
{
    w->kind = kind;
    if (fd >= 0 && watch_add(b->epoll, fd, EPOLLIN, w) < 0)
        return err_sys(e, "bridge: epoll_ctl");
    return 0;
}

static void init_device(struct bridge *b)
{
    struct vsock *v = &b->vsock;

    vhost_user_init(&b->user, b->epoll, b->config.cid);
    v->cid = b->config.cid;
    v->path = b->config.uds;
    v->peers = &b->config.peers;
    v->rx = &b->user.rings[RING_RX];
    v->tx = &b->user.rings[RING_TX];
    v->memory = &b->user.memory;
    conns_init(&v->conns, b->epoll, connections());
}

struct bridge *bridge_open(const struct bridge_config *config, struct err *e)
{
    struct bridge *b = calloc(1, sizeof *b);

    if (b == NULL) {
        (void)err_set(e, "bridge: no memory");
        return NULL;
    }
    b->config = *config;
    b->fronts.fd = b->clients.fd = -1;
    b->epoll = epoll_create1(EPOLL_CLOEXEC);
    init_device(b);
    if (b->epoll < 0) {
        (void)err_sys(e, "bridge: epoll");
        goto fail;
    }
    if (uds_listen(&b->fronts, config->vhost_user, &config->peers, e) < 0 ||
        uds_listen(&b->clients, config->uds, &config->peers, e) < 0 ||
        watch_descriptor(b, b->fronts.fd, &b->fronts_watch, WATCH_FRONTS, e) <
            0 ||
        watch_descriptor(b, b->clients.fd, &b->clients_watch, WATCH_CLIENTS,
                         e) < 0 ||
        watch_descriptor(b, config->stop_fd, &b->stop_watch, WATCH_STOP, e) < 0)
        goto fail;
    bridge_memory_guard();
    return b;

fail:
    bridge_close(b);
    return NULL;
}

void bridge_close(struct bridge *b)
{
    struct conn *c;

    if (b == NULL)
        return;
    tell_repeats(b);
    while ((c = TAILQ_FIRST(&b->vsock.conns.all)) != NULL)
        conn_free(&b->vsock.conns, c);
    vhost_user_drop(&b->user);
    uds_close(&b->fronts);
    uds_close(&b->clients);
    if (b->epoll >= 0)
        close(b->epoll);
    free(b);
}

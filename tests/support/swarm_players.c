/* SPDX-License-Identifier: BSD-2-Clause */
/* The guests of a swarm: what they say, and what they hear. */
#include "swarm_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "tprof_wire.h"

#define TSC_HZ      1000000000u
#define UNIT_SHIFT  10u /* 1024 ticks: a period at 1 kHz fits a short sample */
#define STACKS      64u
#define FRAMES      16u
#define LEAVES      4u         /* of each stack */
#define FRAME_CELLS 400u       /* samples in a frame at most */
#define TURN_NS     250000000u /* as the agent's: data is never older */
#define SEND_BUFFER 16384      /* about a second of 1 kHz, as a guest's ring */

_Noreturn void swarm_die(const char *what)
{
    perror(what);
    exit(1);
}

uint64_t swarm_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What the guests say */

static void flush(struct player *p)
{
    while (p->fd >= 0 && p->w.size > 0) {
        ssize_t n =
            send(p->fd, p->w.bytes, p->w.size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n <= 0)
            return;
        p->w.size -= (size_t)n;
        memmove(p->w.bytes, p->w.bytes + n, p->w.size);
    }
}

static void define_stacks(struct player *p)
{
    uint64_t frames[FRAMES];

    for (uint32_t id = 0; id < STACKS; id++) {
        for (uint32_t i = 0; i < FRAMES; i++)
            frames[i] = 0x400000u + 0x1000u * i + 0x10u * id;
        wiregen_stack(&p->w, &(struct wiregen_stack){
                                 .id = id, .frames = frames, .count = FRAMES});
    }
}

static void begin_frame(struct player *p, unsigned core, uint32_t rate_hz)
{
    wiregen_samples_begin(
        &p->w, &(struct wiregen_samples){
                   .core = (uint16_t)core,
                   .shift = UNIT_SHIFT,
                   .period = (uint16_t)((TSC_HZ >> UNIT_SHIFT) / rate_hz),
                   .epoch = 1,
                   .time = p->cores[core].time});
}

/* One frame of (n) samples. */
static void say_samples(struct player *p, unsigned core, uint32_t rate_hz,
                        uint32_t n)
{
    struct player_core *c = &p->cores[core];
    uint32_t dt = (TSC_HZ >> UNIT_SHIFT) / rate_hz;

    if (c->made == 0) {
        begin_frame(p, core, rate_hz);
        define_stacks(p);
        wiregen_samples_end(&p->w, c->counters);
    }
    begin_frame(p, core, rate_hz);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t k = c->made + i;
        uint32_t id = (uint32_t)(k * 2654435761u >> 7) % STACKS;

        wiregen_short(&p->w, id, dt, (uint32_t)(id * 64 + k % LEAVES), 0);
    }
    c->time += (uint64_t)dt * n;
    c->made += n;
    c->counters[0] += n;
    p->told->sent += n;
    p->told->sent_by[core] += n;
    wiregen_samples_end(&p->w, c->counters);
}

/* Everything that is due on (core) at (now); what finds no room is dropped. */
static void take_samples(struct player *p, unsigned core, uint32_t rate_hz,
                         uint64_t now)
{
    struct player_core *c = &p->cores[core];
    uint64_t due =
        (uint64_t)((double)(now - p->start_ns) * 1e-9 * (double)rate_hz);

    while (c->made < due) {
        uint64_t n = due - c->made < FRAME_CELLS ? due - c->made : FRAME_CELLS;

        if (p->w.size > SEND_BUFFER) {
            c->made += n;
            c->time += (uint64_t)((TSC_HZ >> UNIT_SHIFT) / rate_hz) * n;
            c->counters[2] += n; /* ring full */
            p->told->dropped += n;
        } else {
            say_samples(p, core, rate_hz, (uint32_t)n);
        }
    }
}

static void take_turn(struct player *p, uint32_t rate_hz, uint64_t now)
{
    for (unsigned core = 0; core < p->core_count; core++)
        take_samples(p, core, rate_hz, now);
    flush(p);
}

static void say_hello(struct player *p)
{
    wiregen_hello(&p->w,
                  &(struct wiregen_hello){.boot = 1,
                                          .cores = (uint16_t)p->core_count,
                                          .tsc_hz = TSC_HZ,
                                          .text_start = 0x400000});
    flush(p);
}

static void say_last_words(struct player *p)
{
    for (unsigned core = 0; core < p->core_count; core++) {
        const uint64_t *counters = p->cores[core].counters;

        wiregen_stats(&p->w, &(struct wiregen_stats){
                                 .core = (uint16_t)core,
                                 .flags = WIRE_STATS_FINAL | WIRE_STATS_STARTED,
                                 .counters = {counters[0], 0, counters[2]}});
    }
    wiregen_open(&p->w, WIRE_STATUS);
    wiregen_field(&p->w, WIRE_CONTROL_STATE, WIRE_STATE_STOPPED, 1);
    wiregen_close(&p->w);
    flush(p);
    p->sampling = false;
    p->stopped = true;
}

/* What the guests hear */

static void obey(struct swarm *s, struct player *p, uint8_t type)
{
    uint64_t now = swarm_now_ns();

    if (type == WIRE_START) {
        p->start_ns = now;
        /* their turns are spread over time */
        p->turn_ns =
            now + TURN_NS / s->config->guests * (uint64_t)(p - s->players);
        p->sampling = true;
    } else if (type == WIRE_STOP) {
        int unread = 0;

        if (ioctl(p->fd, SIOCOUTQ, &unread) == 0)
            s->unread += (uint64_t)unread;
        take_turn(p, s->config->rate_hz, now);
        say_last_words(p);
    } else if (type != WIRE_GREET) { /* for those that are late with HELLO */
        fprintf(stderr, "swarm: a command of type %u\n", type);
        exit(1);
    }
}

static void watch(struct swarm *s, struct player *p)
{
    struct epoll_event event = {.events = EPOLLIN,
                                .data.u32 = (uint32_t)(p - s->players)};

    if (epoll_ctl(s->poller, EPOLL_CTL_ADD, p->fd, &event) < 0)
        swarm_die("swarm: epoll");
}

/* Another collector may come, and that is another session. */
static void wait_again(struct swarm *s, struct player *p)
{
    struct swarm_guest *told = p->told;
    struct wiregen w = p->w;
    int listener = p->listener;

    w.size = 0;
    *p = (struct player){.listener = -1, .fd = listener, .told = told, .w = w};
    watch(s, p);
}

static void hear(struct swarm *s, struct player *p)
{
    ssize_t n = recv(p->fd, p->in + p->in_size, sizeof p->in - p->in_size,
                     MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        close(p->fd);
        p->fd = -1;
        p->sampling = false;
        p->told->stopped = p->stopped && n == 0 && p->w.size == 0;
        s->left++;
        if (p->listener >= 0)
            wait_again(s, p);
        return;
    }
    p->in_size += (size_t)n;
    for (;;) {
        size_t size = 8 + 4 + (p->in_size > 6 ? p->in[6] : 0u);

        if (p->in_size < 8 || p->in_size < size)
            return;
        obey(s, p, p->in[2]);
        p->in_size -= size;
        memmove(p->in, p->in + size, p->in_size);
    }
}

static void meet(struct swarm *s, struct player *p)
{
    int size = SEND_BUFFER;
    int fd = accept(p->fd, NULL, NULL);

    if (fd < 0)
        swarm_die("swarm: accept");
    if (s->config->collector == NULL) {
        (void)epoll_ctl(s->poller, EPOLL_CTL_DEL, p->fd, NULL);
        p->listener = p->fd;
    } else {
        close(p->fd);
    }
    p->fd = fd;
    p->connected = true;
    p->core_count = s->config->cores != 0 ? s->config->cores : 1;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    watch(s, p);
    say_hello(p);
}

void swarm_listen(struct swarm *s, unsigned number)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct player *p = &s->players[number];

    p->listener = -1;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%u", s->config->dir,
             s->config->first + number);
    p->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (p->fd < 0 ||
        bind(p->fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(p->fd, 1) < 0)
        swarm_die(address.sun_path);
    watch(s, p);
}

void swarm_take_turns(struct swarm *s)
{
    uint64_t now = swarm_now_ns();

    for (unsigned i = 0; i < s->config->guests; i++) {
        struct player *p = &s->players[i];

        if (p->w.size > 0)
            flush(p);
        if (!p->sampling || now < p->turn_ns || s->rest_ns != 0)
            continue;
        if (now - p->turn_ns > s->latest_ns)
            s->latest_ns = now - p->turn_ns;
        take_turn(p, s->config->rate_hz, now);
        p->turn_ns += TURN_NS;
    }
}

void swarm_hear(struct swarm *s, unsigned number)
{
    struct player *p = &s->players[number];

    if (p->connected)
        hear(s, p);
    else
        meet(s, p);
}

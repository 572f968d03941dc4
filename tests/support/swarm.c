/* SPDX-License-Identifier: BSD-2-Clause */
/* Many guests in one loop; see swarm.h. */
#include "swarm.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "tprof_wire.h"
#include "wiregen.h"

#define TSC_HZ      1000000000u
#define UNIT_SHIFT  10u /* 1024 ticks: a period at 1 kHz fits a short sample */
#define STACKS      64u
#define FRAMES      16u
#define LEAVES      4u         /* of each stack */
#define FRAME_CELLS 400u       /* samples in a frame at most */
#define TURN_NS     250000000u /* as the agent's: data is never older */
#define TICK_MS     5
#define SEND_BUFFER 16384 /* about a second of 1 kHz, as a guest's ring */

struct player {
    int fd; /* listener, then connection; -1: the collector has left */
    bool connected, sampling, stopped;
    struct wiregen w; /* what the socket did not take yet */
    uint8_t in[256];
    size_t in_size;
    uint64_t start_ns, turn_ns;
    uint64_t time; /* of the last record, in units */
    uint64_t made; /* samples, sent or dropped */
    uint64_t counters[4];
    struct swarm_guest *told;
};

struct swarm {
    const struct swarm_config *config;
    struct player *players;
    int poller;
    uint64_t latest_ns;
    uint64_t unread;
    unsigned left; /* guests that the collector has left */
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_ns(void)
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

static void begin_frame(struct player *p, uint32_t rate_hz)
{
    wiregen_samples_begin(
        &p->w, &(struct wiregen_samples){
                   .shift = UNIT_SHIFT,
                   .period = (uint16_t)((TSC_HZ >> UNIT_SHIFT) / rate_hz),
                   .epoch = 1,
                   .time = p->time});
}

/* One frame of (n) samples. */
static void say_samples(struct player *p, uint32_t rate_hz, uint32_t n)
{
    uint32_t dt = (TSC_HZ >> UNIT_SHIFT) / rate_hz;

    if (p->made == 0) {
        begin_frame(p, rate_hz);
        define_stacks(p);
        wiregen_samples_end(&p->w, p->counters);
    }
    begin_frame(p, rate_hz);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t k = p->made + i;
        uint32_t id = (uint32_t)(k * 2654435761u >> 7) % STACKS;

        wiregen_short(&p->w, id, dt, (uint32_t)(id * 64 + k % LEAVES), 0);
    }
    p->time += (uint64_t)dt * n;
    p->made += n;
    p->counters[0] += n;
    p->told->sent += n;
    wiregen_samples_end(&p->w, p->counters);
}

/* Everything that is due at (now); what finds no room is dropped. */
static void take_turn(struct player *p, uint32_t rate_hz, uint64_t now)
{
    uint64_t due =
        (uint64_t)((double)(now - p->start_ns) * 1e-9 * (double)rate_hz);

    while (p->made < due) {
        uint64_t n = due - p->made < FRAME_CELLS ? due - p->made : FRAME_CELLS;

        if (p->w.size > SEND_BUFFER) {
            p->made += n;
            p->time += (uint64_t)((TSC_HZ >> UNIT_SHIFT) / rate_hz) * n;
            p->counters[2] += n; /* ring full */
            p->told->dropped += n;
        } else {
            say_samples(p, rate_hz, (uint32_t)n);
        }
    }
    flush(p);
}

static void say_hello(struct player *p)
{
    wiregen_hello(&p->w, &(struct wiregen_hello){.boot = 1,
                                                 .cores = 1,
                                                 .tsc_hz = TSC_HZ,
                                                 .text_start = 0x400000});
    flush(p);
}

static void say_last_words(struct player *p)
{
    wiregen_stats(&p->w, &(struct wiregen_stats){
                             .flags = WIRE_STATS_FINAL | WIRE_STATS_STARTED,
                             .counters = {p->counters[0], 0, p->counters[2]}});
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
    uint64_t now = now_ns();

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
    } else {
        fprintf(stderr, "swarm: a command of type %u\n", type);
        exit(1);
    }
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

static void watch(struct swarm *s, struct player *p)
{
    struct epoll_event event = {.events = EPOLLIN,
                                .data.u32 = (uint32_t)(p - s->players)};

    if (epoll_ctl(s->poller, EPOLL_CTL_ADD, p->fd, &event) < 0)
        die("swarm: epoll");
}

static void meet(struct swarm *s, struct player *p)
{
    int size = SEND_BUFFER;
    int fd = accept(p->fd, NULL, NULL);

    if (fd < 0)
        die("swarm: accept");
    close(p->fd);
    p->fd = fd;
    p->connected = true;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    watch(s, p);
    say_hello(p);
}

static void listen_at(struct swarm *s, unsigned number)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct player *p = &s->players[number];

    snprintf(address.sun_path, sizeof address.sun_path, "%s/%u", s->config->dir,
             number);
    p->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (p->fd < 0 ||
        bind(p->fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(p->fd, 1) < 0)
        die(address.sun_path);
    watch(s, p);
}

/* The whole */

static void take_turns(struct swarm *s)
{
    uint64_t now = now_ns();

    for (unsigned i = 0; i < s->config->guests; i++) {
        struct player *p = &s->players[i];

        if (p->w.size > 0)
            flush(p);
        if (!p->sampling || now < p->turn_ns)
            continue;
        if (now - p->turn_ns > s->latest_ns)
            s->latest_ns = now - p->turn_ns;
        take_turn(p, s->config->rate_hz, now);
        p->turn_ns += TURN_NS;
    }
}

static void play(struct swarm *s, pid_t collector, struct rusage *usage,
                 int *status)
{
    struct epoll_event events[64];
    uint64_t next = now_ns();

    while (wait4(collector, status, WNOHANG, usage) == 0) {
        int n = epoll_wait(s->poller, events, 64, TICK_MS);

        for (int i = 0; i < n; i++) {
            struct player *p = &s->players[events[i].data.u32];

            if (p->connected)
                hear(s, p);
            else
                meet(s, p);
        }
        if (!s->config->output && s->left == s->config->guests)
            kill(collector, SIGKILL);
        if (now_ns() < next)
            continue;
        take_turns(s);
        next = now_ns() + TICK_MS * 1000000u;
    }
}

/* The first two cores that we may use: ours, and the collector's. */
static bool two_cores(cpu_set_t *own, cpu_set_t *other)
{
    cpu_set_t all;
    unsigned found = 0;

    CPU_ZERO(own);
    CPU_ZERO(other);
    if (sched_getaffinity(0, sizeof all, &all) < 0)
        return false;
    for (size_t i = 0; i < CPU_SETSIZE && found < 2; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, found++ == 0 ? own : other);
    return found == 2;
}

static void write_list(const struct swarm_config *c, const char *path)
{
    FILE *f = fopen(path, "w");

    if (!f)
        die(path);
    for (unsigned i = 0; i < c->guests; i++)
        fprintf(f, "serial=%s/%u name=g%u\n", c->dir, i, i);
    if (fclose(f) != 0)
        die(path);
}

static pid_t start_collector(const struct swarm_config *c,
                             const cpu_set_t *cores)
{
    char list[256], output[256] = "/dev/null", duration[32];

    snprintf(list, sizeof list, "%s/list", c->dir);
    if (c->output)
        snprintf(output, sizeof output, "%s/%s", c->dir, c->output);
    snprintf(duration, sizeof duration, "%g", c->duration_s);
    write_list(c, list);
    fflush(NULL);
    pid_t pid = fork();

    if (pid < 0)
        die("swarm: fork");
    if (pid > 0)
        return pid;
    if (cores)
        sched_setaffinity(0, sizeof *cores, cores);
    int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
        die(output);
    execl(c->collector, "collector", "--guests", list, "-d", duration,
          (char *)NULL);
    die(c->collector);
    return -1;
}

static void raise_open_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static double seconds(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static double cpu_seconds(const struct rusage *usage)
{
    return seconds(&usage->ru_utime) + seconds(&usage->ru_stime);
}

void swarm_run(const struct swarm_config *config, struct swarm_result *result)
{
    struct swarm s = {.config = config,
                      .poller = epoll_create1(EPOLL_CLOEXEC),
                      .players = calloc(config->guests, sizeof(struct player))};
    struct rusage theirs, before, after;
    cpu_set_t cores, own, other;

    *result = (struct swarm_result){
        .guests = calloc(config->guests, sizeof(struct swarm_guest)),
        .apart = two_cores(&own, &other)};
    if (s.poller < 0 || !s.players || !result->guests)
        die("swarm");
    sched_getaffinity(0, sizeof cores, &cores);
    raise_open_files();
    for (unsigned i = 0; i < config->guests; i++) {
        s.players[i].told = &result->guests[i];
        listen_at(&s, i);
    }
    uint64_t start = now_ns();
    pid_t pid = start_collector(config, result->apart ? &other : NULL);

    if (result->apart)
        sched_setaffinity(0, sizeof own, &own);
    getrusage(RUSAGE_SELF, &before);
    play(&s, pid, &theirs, &result->status);
    getrusage(RUSAGE_SELF, &after);
    result->wall_s = (double)(now_ns() - start) * 1e-9;
    result->own_cpu_s = cpu_seconds(&after) - cpu_seconds(&before);
    result->cpu_s = cpu_seconds(&theirs);
    result->rss_kib = theirs.ru_maxrss;
    result->unread = s.unread;
    result->late_s = (double)s.latest_ns * 1e-9;
    for (unsigned i = 0; i < config->guests; i++) {
        if (s.players[i].fd >= 0)
            close(s.players[i].fd);
        wiregen_fini(&s.players[i].w);
    }
    sched_setaffinity(0, sizeof cores, &cores);
    close(s.poller);
    free(s.players);
}

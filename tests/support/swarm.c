/* SPDX-License-Identifier: BSD-2-Clause */
/* Many guests in one loop; see swarm.h. */
#include "swarm_parts.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

#define TICK_MS 5

static void play(struct swarm *s, pid_t collector, struct rusage *usage,
                 int *status)
{
    struct epoll_event events[64];
    uint64_t next = swarm_now_ns();

    while (wait4(collector, status, WNOHANG, usage) == 0) {
        int n = epoll_wait(s->poller, events, 64, TICK_MS);

        for (int i = 0; i < n; i++)
            swarm_hear(s, events[i].data.u32);
        if (!s->config->output && s->left == s->config->guests)
            kill(collector, SIGKILL);
        if (swarm_now_ns() < next)
            continue;
        swarm_take_turns(s);
        next = swarm_now_ns() + TICK_MS * 1000000u;
    }
}

static void go_on(struct swarm *s)
{
    uint64_t rest = swarm_now_ns() - s->rest_ns;

    for (unsigned i = 0; i < s->config->guests; i++) {
        s->players[i].start_ns += rest;
        s->players[i].turn_ns += rest;
    }
    s->rest_ns = 0;
    s->told_resting = false;
}

static bool all_is_read(const struct swarm *s)
{
    for (unsigned i = 0; i < s->config->guests; i++) {
        const struct player *p = &s->players[i];
        int unread = 0;

        if (p->connected && (p->w.size != 0 ||
                             ioctl(p->fd, SIOCOUTQ, &unread) < 0 || unread > 0))
            return false;
    }
    return true;
}

/* Play for collectors that others start, as standard input says. */
static void play_on(struct swarm *s)
{
    struct epoll_event events[64], input = {.events = EPOLLIN, .data.u32 = ~0u};
    uint64_t next = 0;
    char line[16];

    if (epoll_ctl(s->poller, EPOLL_CTL_ADD, STDIN_FILENO, &input) < 0)
        swarm_die("swarm: standard input");
    for (;;) {
        int n = epoll_wait(s->poller, events, 64, TICK_MS);

        for (int i = 0; i < n; i++) {
            if (events[i].data.u32 != ~0u) {
                swarm_hear(s, events[i].data.u32);
                continue;
            }
            if (fgets(line, sizeof line, stdin) == NULL)
                return;
            if (strcmp(line, "rest\n") == 0)
                s->rest_ns = swarm_now_ns();
            else if (s->rest_ns != 0)
                go_on(s);
        }
        if (s->rest_ns != 0 && !s->told_resting && all_is_read(s)) {
            s->told_resting = true;
            puts("resting");
            fflush(stdout);
        }
        if (swarm_now_ns() < next)
            continue;
        swarm_take_turns(s);
        next = swarm_now_ns() + TICK_MS * 1000000u;
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
        swarm_die(path);
    for (unsigned i = 0; i < c->guests; i++)
        fprintf(f, "serial=%s/%u name=g%u\n", c->dir, c->first + i, i);
    if (fclose(f) != 0)
        swarm_die(path);
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
        swarm_die("swarm: fork");
    if (pid > 0)
        return pid;
    if (cores)
        sched_setaffinity(0, sizeof *cores, cores);
    int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
        swarm_die(output);
    execl(c->collector, "collector", "--guests", list, "-d", duration,
          (char *)NULL);
    swarm_die(c->collector);
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
    struct rusage theirs = {0}, before, after;
    cpu_set_t cores, own, other;

    *result = (struct swarm_result){
        .guests = calloc(config->guests, sizeof(struct swarm_guest)),
        .apart = two_cores(&own, &other)};
    if (s.poller < 0 || !s.players || !result->guests)
        swarm_die("swarm");
    sched_getaffinity(0, sizeof cores, &cores);
    raise_open_files();
    for (unsigned i = 0; i < config->guests; i++) {
        s.players[i].told = &result->guests[i];
        swarm_listen(&s, i);
    }
    uint64_t start = swarm_now_ns();
    pid_t pid = 0;

    if (config->collector != NULL)
        pid = start_collector(config, result->apart ? &other : NULL);
    if (pid != 0 && result->apart)
        sched_setaffinity(0, sizeof own, &own);
    getrusage(RUSAGE_SELF, &before);
    if (pid != 0)
        play(&s, pid, &theirs, &result->status);
    else
        play_on(&s);
    getrusage(RUSAGE_SELF, &after);
    result->wall_s = (double)(swarm_now_ns() - start) * 1e-9;
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

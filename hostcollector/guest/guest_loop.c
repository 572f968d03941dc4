/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs any number of pipelines in one loop. */
#include "guest/guest_loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "guest/talk/talk.h"
#include "util/host_clock.h"
#include "util/vec.h"

#define MS               1000000ull /* in nanoseconds */
#define SECOND           (1000 * MS)
#define READ_SIZE        (64u * 1024)
#define EVENTS           64
#define DEFAULT_PROGRESS 500u /* ms */
/* nanoseconds in which further signals count as the same wish */
#define ONE_STOP         (500 * MS)
#define LONGEST_WAIT     (60 * SECOND)
#define LONGEST_S        1e9        /* a longer duration has no end */
#define STOP_EVENT       UINT64_MAX /* in place of a member's number */
#define WAKE_EVENT       (STOP_EVENT - 1)

struct member {
    /* NULL: the pipeline has ended, and may be freed */
    struct pipeline *pipeline;
    int fd; /* as the poller knows it; -1: none */
    bool to_write;
    uint64_t due;
    bool sampling;
    struct aggregate_totals sums; /* set when the pipeline has ended */
};

struct guest_loop {
    struct guest_loop_config config;
    int poller;
    struct member *members;
    size_t count, room;
    size_t running;
    uint64_t tick_ns; /* when config.tick is due */
    unsigned stops;   /* number of times that the user asked to stop */
    /* further signals until then are the same wish; 0: none yet */
    uint64_t grace_ns;

    uint64_t due; /* no member has anything to do before this time */
    /* when sampling of the first guest began; 0: not yet */
    uint64_t sampling_ns;
    bool time_is_up;
    uint64_t progress_ns; /* when the next progress line is due */
    uint64_t progress_samples, progress_since; /* at the last line */
    uint8_t buf[READ_SIZE];
};

static int poll_change(struct guest_loop *f, int op, int fd, uint32_t events,
                       uint64_t number)
{
    struct epoll_event event = {.events = events, .data.u64 = number};

    return epoll_ctl(f->poller, op, fd, &event);
}

struct guest_loop *guest_loop_new(const struct guest_loop_config *config,
                                  struct err *e)
{
    struct guest_loop *f = calloc(1, sizeof *f);

    if (!f) {
        err_memory(e);
        return NULL;
    }
    f->config = *config;
    f->due = TALK_NEVER;
    f->poller = epoll_create1(EPOLL_CLOEXEC);
    if (f->poller < 0) {
        err_sys(e, "guest loop: epoll");
        goto fail_memory;
    }
    if (config->stop_fd > 0 && poll_change(f, EPOLL_CTL_ADD, config->stop_fd,
                                           EPOLLIN, STOP_EVENT) < 0) {
        err_sys(e, "guest loop: stop_fd");
        goto fail_poller;
    }
    if (config->wake_fd > 0 && poll_change(f, EPOLL_CTL_ADD, config->wake_fd,
                                           EPOLLIN, WAKE_EVENT) < 0) {
        err_sys(e, "guest loop: wake_fd");
        goto fail_poller;
    }
    return f;

fail_poller:
    close(f->poller);
fail_memory:
    free(f);
    return NULL;
}

/* The place of an ended member, for a new one; (f->count) if there is none. */
static size_t free_place(const struct guest_loop *f)
{
    size_t i = 0;

    if (!f->config.stays || f->running == f->count)
        return f->count;
    while (i < f->count && f->members[i].pipeline)
        i++;
    return i;
}

int guest_loop_add(struct guest_loop *f, struct pipeline *p, struct err *e)
{
    size_t i = free_place(f);

    if (i == f->count &&
        vec_grow(&f->members, &f->room, f->count, sizeof *f->members) != 0)
        return err_memory(e);
    f->count += i == f->count;
    f->members[i] = (struct member){.pipeline = p, .fd = -1};
    f->running++;
    f->due = 0;
    return 0;
}

bool guest_loop_stopping(const struct guest_loop *f)
{
    return f->stops > 0 || f->time_is_up;
}

uint64_t guest_loop_stop_grace_ns(const struct guest_loop *f)
{
    return f->grace_ns;
}

void guest_loop_free(struct guest_loop *f)
{
    if (!f)
        return;
    close(f->poller);
    free(f->members);
    free(f);
}

/* Steps */

/* End member (i). With (e), it failed. */
static void end_member(struct guest_loop *f, size_t i, const struct err *e)
{
    struct member *m = &f->members[i];
    struct pipeline *p = m->pipeline;
    struct err late;
    enum pipeline_end end;

    /* a file's descriptor stays open, but was never polled */
    if (pipeline_close(p, &end, &late) < 0 && !e)
        e = &late;
    m->sums = pipeline_sums(p);
    m->pipeline = NULL;
    m->due = TALK_NEVER;
    m->sampling = false;
    f->running--;
    if (f->config.ended)
        f->config.ended(f->config.context, p, end, e);
}

/* Let the poller watch the events for which member (i) waits now. */
static int watch_member(struct guest_loop *f, size_t i, struct err *e)
{
    struct member *m = &f->members[i];
    struct pipeline_poll wait = pipeline_wait(m->pipeline);
    uint32_t events = wait.to_write ? EPOLLIN | EPOLLOUT : EPOLLIN;
    bool changed = wait.fd != m->fd || wait.to_write != m->to_write;

    m->due = wait.due;
    if (wait.due < f->due)
        f->due = wait.due;
    if (!changed)
        return 0;
    /* a closed descriptor has left the poller by itself */
    if (wait.fd >= 0 &&
        poll_change(f, wait.fd == m->fd ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
                    wait.fd, events, i) < 0)
        return err_sys(e, "guest loop: epoll");
    m->fd = wait.fd;
    m->to_write = wait.to_write;
    return 0;
}

/* Run one step of member (i). Member (i) may end, and another may be added. */
static void step_guest(struct guest_loop *f, size_t i, bool readable)
{
    struct pipeline *p = f->members[i].pipeline;
    struct err e;

    if (!p)
        return; /* it ended earlier in this round */
    int result = pipeline_step(p, readable, f->buf, sizeof f->buf, &e);

    f->members[i].sampling = pipeline_is_sampling(p);
    if (f->sampling_ns == 0)
        f->sampling_ns = pipeline_sampling_ns(p);
    if (result > 0 && watch_member(f, i, &e) < 0)
        result = -1;
    if (result <= 0)
        end_member(f, i, result < 0 ? &e : NULL);
}

/* Step the members for which something is due, and find the next due time. */
static void step_due(struct guest_loop *f, uint64_t now)
{
    f->due = TALK_NEVER;
    for (size_t i = 0; i < f->count; i++) {
        if (f->members[i].due <= now)
            step_guest(f, i, false);
        if (f->members[i].due < f->due)
            f->due = f->members[i].due;
    }
}

void guest_loop_stop(struct guest_loop *f, struct pipeline *p,
                     enum pipeline_end end)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->members[i].pipeline == p) {
            pipeline_stop(p, end);
            step_guest(f, i, false); /* sends STOP */
            return;
        }
}

static void stop_all(struct guest_loop *f, enum pipeline_end end)
{
    for (size_t i = 0; i < f->count; i++) {
        if (!f->members[i].pipeline)
            continue;
        pipeline_stop(f->members[i].pipeline, end);
        step_guest(f, i, false); /* sends STOP */
    }
}

/* Handle the user's wish to stop. The first wish ends in order, the second at
 * once. */
static void hear_stop(struct guest_loop *f)
{
    char scrap[128];
    uint64_t now = clock_ns();

    if (read(f->config.stop_fd, scrap, sizeof scrap) < 0 && errno == EAGAIN)
        return;
    if (now < f->grace_ns)
        return;
    if (f->stops == 0)
        f->grace_ns = now + ONE_STOP;
    stop_all(f, f->stops++ == 0 ? PIPELINE_STOPPED : PIPELINE_ABANDONED);
}

void guest_loop_end(struct guest_loop *f)
{
    f->time_is_up = true;
    stop_all(f, PIPELINE_DURATION);
}

/* The end of the requested duration; TALK_NEVER if there is none. */
static uint64_t duration_end(const struct guest_loop *f)
{
    double s = f->config.duration_s;

    if (f->sampling_ns == 0 || f->time_is_up || !(s > 0 && s < LONGEST_S))
        return TALK_NEVER;
    return f->sampling_ns + (uint64_t)(s * (double)SECOND);
}

static bool shows_progress(const struct guest_loop *f)
{
    return f->config.progress && !f->config.stays && f->sampling_ns != 0;
}

static void show_progress(struct guest_loop *f, uint64_t now)
{
    uint32_t ms =
        f->config.progress_ms ? f->config.progress_ms : DEFAULT_PROGRESS;
    struct guest_loop_progress progress = {.guests = f->count};

    if (!shows_progress(f) || now < f->progress_ns)
        return;
    for (size_t i = 0; i < f->count; i++) {
        const struct member *m = &f->members[i];
        struct aggregate_totals sums =
            m->pipeline ? pipeline_sums(m->pipeline) : m->sums;

        progress.sampling += m->sampling;
        progress.samples += sums.samples;
        progress.lost += sums.lost;
    }
    uint64_t since = f->progress_since ? f->progress_since : f->sampling_ns;
    double interval = (double)(now - since) / (double)SECOND;
    uint64_t fresh = progress.samples - f->progress_samples;

    progress.seconds = (double)(now - f->sampling_ns) / (double)SECOND;
    progress.sample_rate = interval > 0 ? (double)fresh / interval : 0;
    f->progress_ns = now + ms * MS;
    f->progress_samples = progress.samples;
    f->progress_since = now;
    f->config.progress(f->config.context, &progress);
}

/* The time until something is due, in milliseconds for the poller. */
static int wait_ms(const struct guest_loop *f)
{
    uint64_t now = clock_ns();
    uint64_t at = f->due;

    if (duration_end(f) < at)
        at = duration_end(f);
    if (shows_progress(f) && f->progress_ns < at)
        at = f->progress_ns;
    if (f->config.tick && f->tick_ns < at)
        at = f->tick_ns;
    if (at <= now)
        return 0;
    return at - now > LONGEST_WAIT ? (int)(LONGEST_WAIT / MS)
                                   : (int)((at - now + MS - 1) / MS);
}

static int run_round(struct guest_loop *f, struct err *e)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(f->poller, events, EVENTS, wait_ms(f));

    if (n < 0 && errno != EINTR)
        return err_sys(e, "guest loop: epoll");
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 == STOP_EVENT)
            hear_stop(f);
        else if (events[i].data.u64 == WAKE_EVENT)
            f->config.wake(f->config.context);
        else
            step_guest(f, (size_t)events[i].data.u64,
                       (events[i].events & ~(uint32_t)EPOLLOUT) != 0);
    }
    uint64_t now = clock_ns();

    if (now >= duration_end(f))
        guest_loop_end(f);
    if (now >= f->due)
        step_due(f, now);
    if (f->config.tick && now >= f->tick_ns)
        f->tick_ns = f->config.tick(f->config.context);
    show_progress(f, now);
    return 0;
}

int guest_loop_run(struct guest_loop *f, struct err *e)
{
    while (f->running > 0 || (f->config.stays && !guest_loop_stopping(f)))
        if (run_round(f, e) < 0)
            return -1;
    return 0;
}

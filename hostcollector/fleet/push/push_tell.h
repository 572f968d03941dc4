/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What collector push says: errors, what came of it all, and to systemd, how it
 * goes. With (follow) the line of sums comes each hour, and when an outage is
 * over, too.
 */
#ifndef TPROF_FLEET_PUSH_PUSH_TELL_H
#define TPROF_FLEET_PUSH_PUSH_TELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/push/queue.h"
#include "util/err.h"

#define PUSH_TELL_ERROR 320

struct push_sum {
    size_t recordings;
    uint64_t samples;
};

/* Since the beginning; what waits, or was removed, the queue knows. */
struct push_tell {
    struct push_sum delivered, refused;
    uint64_t lost; /* ticks without a sample, of what was delivered */
    size_t unreadable, empty;
    size_t nameless; /* of what was delivered as addresses alone */
    bool nameless_told;
    struct queue queue;
    bool follow;
    bool outage;                 /* the receiver has not taken the last one */
    char error[PUSH_TELL_ERROR]; /* since the last delivery; "": none */
    int notify_fd;
    uint64_t often_ns;           /* systemd wants to hear so often */
    uint64_t told_ns, summed_ns; /* when that was last; 0: never */
};

/* Before all others. Ends with push_tell_end(). */
void push_tell_begin(struct push_tell *t, bool follow);
void push_tell_end(struct push_tell *t);

/* With (follow), what comes into (from), and if (more) into other places, goes
 * to (to): nothing else may be said for an hour. */
void push_tell_places(const struct push_tell *t, const char *from, bool more,
                      const char *to);

/* What became of the recording (path) is told, and the work goes on: (e) is
 * empty again. */
void push_tell_error(struct push_tell *t, const char *path, struct err *e);

/* Likewise, unless that was the last that was told. */
void push_tell_change(struct push_tell *t, const char *path, struct err *e);

/* A receiver was away for (seconds), and is not waited for any longer. */
void push_tell_given_up(double seconds);

/* The receiver has taken something: an outage is over. */
void push_tell_taken(struct push_tell *t);

/* Tell of recordings that were delivered without names, once. */
void push_tell_nameless(struct push_tell *t);

/* Call this again and again, at rest each push_tell_rest_ms(): systemd hears of
 * it, the first time that the service is ready. (tell) is a struct push_tell.
 * push_tell_at() is the same at a time of clock_ns(). */
void push_tell_alive(void *tell);
void push_tell_at(struct push_tell *t, uint64_t now_ns);
int push_tell_rest_ms(const struct push_tell *t);

/* A line of what came of all. Returns an enum exit_code. */
int push_tell_sums(struct push_tell *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of collector push: errors, a line of sums, and the state for
 * systemd. With (follow), the line of sums is shown each hour, and after an
 * outage.
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

/* Counts since the beginning. The queue counts waiting and removed
 * recordings. */
struct push_tell {
    struct push_sum delivered, refused;
    uint64_t lost; /* lost ticks in delivered recordings */
    size_t unreadable, empty;
    size_t nameless; /* delivered recordings that have addresses and no names */
    bool nameless_told;
    struct queue queue;
    bool follow;
    bool outage; /* the receiver has not taken the last recording */
    /* last error since the last delivery; "": none */
    char error[PUSH_TELL_ERROR];
    int notify_fd;
    uint64_t often_ns; /* interval of notices to systemd */
    /* time of the last notice, and of the last line of sums; 0: never */
    uint64_t told_ns, summed_ns;
};

/* Call this before the other functions, and push_tell_end() at the end. */
void push_tell_begin(struct push_tell *t, bool follow);
void push_tell_end(struct push_tell *t);

/* With (follow), show the folder (from) and the receiver (to), because the next
 * message may take an hour. (more): there are further folders. */
void push_tell_places(const struct push_tell *t, const char *from, bool more,
                      const char *to);

/* Show the error (e) of the recording (path). Empty (e), because push goes
 * on. */
void push_tell_error(struct push_tell *t, const char *path, struct err *e);

/* Show the error (e) of (path) unless it was the last one shown, and empty
 * (e). */
void push_tell_change(struct push_tell *t, const char *path, struct err *e);

/* Show that a receiver was away for (seconds), and that push no longer waits
 * for it. */
void push_tell_given_up(double seconds);

/* Note that the receiver has taken a recording, which ends an outage. */
void push_tell_taken(struct push_tell *t);

/* Show once that recordings were delivered without names. */
void push_tell_nameless(struct push_tell *t);

/* Notify systemd that push is alive, and the first time that push is ready.
 * Call this often, and at rest every push_tell_rest_ms(). (tell) is a struct
 * push_tell. push_tell_at() does the same for a time of clock_ns(). */
void push_tell_alive(void *tell);
void push_tell_at(struct push_tell *t, uint64_t now_ns);
int push_tell_rest_ms(const struct push_tell *t);

/* Show a line with all sums. Returns an enum exit_code. */
int push_tell_sums(struct push_tell *t);

#endif

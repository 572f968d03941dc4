/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests: as frames report them, and as a profile adds them up. Leaf. Text is
 * unchanged from the guest: escape it before showing it. Times are TSC ticks.
 */
#ifndef TPROF_MODEL_REQUESTS_H
#define TPROF_MODEL_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof_wire.h"

#define REQUEST_NAME (WIRE_REQUEST_NAME_MAX + 1u)

/* Time of requests, and its parts. The rest of (time) is the time in which no
 * known thread worked on the request. */
struct request_times {
    uint64_t time, running, ready, blocked;
};

/* REQUEST, WIRE.md 11.1: a kind's sums from (since) to (now). */
struct guest_request {
    uint8_t kind;            /* below WIRE_REQUEST_KINDS */
    char name[REQUEST_NAME]; /* cut to fit; "" if not sent */
    uint64_t since, now;
    uint64_t count; /* requests that have ended */
    struct request_times times;
    uint64_t longest;
    uint64_t open, refused; /* requests that have not ended, that had no room */
    uint64_t slow;          /* requests of at least (limit) */
    uint64_t limit;
};

/* REQUEST_TIMES, WIRE.md 11.1: (count) buckets of a kind's histogram. */
struct guest_request_times {
    uint8_t kind;
    uint16_t first; /* first + count <= WIRE_REQUEST_BUCKETS */
    uint32_t count;
    uint64_t buckets[UINT8_MAX];
};

/* SLOW, WIRE.md 11.2: one slow request. */
struct guest_slow {
    uint8_t kind;
    uint64_t number; /* the kernel's */
    uint64_t began;
    struct request_times times;
    bool has_wait;    /* the next two are known */
    uint64_t longest; /* of its waits */
    uint32_t wait;    /* guest_wait.entry */
    uint64_t serial;  /* of the thread that ended it; 0: not known */
};

/* A kind of requests, summed over the time (wall). Its number is its index. */
struct profile_request {
    char name[REQUEST_NAME]; /* "": not known */
    uint64_t wall;           /* 0: no report came */
    uint64_t count;
    struct request_times times;
    uint64_t longest, open, refused;
    uint64_t slow, told; /* slow requests; those that the guest has sent */
    /* Numbers of requests by time. NULL: none came, or there was no room. */
    uint64_t *buckets; /* WIRE_REQUEST_BUCKETS */
};

/* A slow request of a profile. */
struct profile_slow {
    uint8_t kind;
    uint64_t number;
    int64_t began; /* in ticks since the profile's start */
    struct request_times times;
    uint64_t longest; /* of its waits; 0: it did not wait, or not known */
    uint32_t wait;    /* 1 + index of that wait; 0: not known */
    uint32_t thread;  /* number of the thread that ended it; 0: not known */
};

/* Slow requests, whose samples are kept apart from those of the others. */
struct slow_set {
    const struct profile_slow *list; /* by rising number */
    size_t count;
};

/* Returns the least time of (bucket). The bucket is 1 % wide at most, from 128
 * ticks on. */
static inline uint64_t request_bucket_start(size_t bucket)
{
    size_t shift = bucket >> WIRE_REQUEST_DIGITS;
    uint64_t digits = bucket & ((1u << WIRE_REQUEST_DIGITS) - 1);

    return shift == 0 ? digits
                      : (digits | 1u << WIRE_REQUEST_DIGITS) << (shift - 1);
}

#endif

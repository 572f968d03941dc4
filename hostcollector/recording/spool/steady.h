/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Can the wall clock be believed? It is compared with the time since the
 * machine was started, which nobody can set. Where the two have moved apart by
 * more than a minute, the clock was set: rightly or wrongly, nobody knows yet.
 */
#ifndef TPROF_RECORDING_SPOOL_STEADY_H
#define TPROF_RECORDING_SPOOL_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#define STEADY_STEP_MS 60000 /* less is no step */

/* Zeroed: the first time that it is told is believed. */
struct steady {
    bool begun;
    uint64_t wall_ms, up_ms; /* the last time that was believed */
    int64_t step_ms;         /* the clock was set by so much; 0: it was not */
    uint64_t since_ms;       /* ... found at this time since the start */
};

enum steady_found {
    STEADY_RIGHT, /* go by the clock */
    STEADY_SET,   /* it was set since the last look: do not go by it */
    STEADY_WAIT,  /* it was set before */
    STEADY_BACK,  /* and now it was set right again */
};

/* The clock shows (wall_ms), since 1970, and it is (up_ms) after the start. A
 * clock that was set, and then goes for (trust_ms) without another step, is
 * right. */
enum steady_found steady_look(struct steady *s, uint64_t wall_ms,
                              uint64_t up_ms, uint64_t trust_ms);

/* By how much it was set, in (text): "5.0 days forward". Returns (text). */
#define STEADY_TEXT 48
const char *steady_step(const struct steady *s, char text[STEADY_TEXT]);

#endif

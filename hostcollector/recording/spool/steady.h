/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects that the wall clock was set. The wall clock is compared with the
 * time since the machine was started, which cannot be set. If the two differ
 * by over a minute, the clock was set; whether rightly or wrongly is unknown
 * at first.
 */
#ifndef TPROF_RECORDING_SPOOL_STEADY_H
#define TPROF_RECORDING_SPOOL_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#define STEADY_STEP_MS 60000 /* smaller steps are ignored */

/* Zeroed: the first time passed to steady_look() is trusted. */
struct steady {
    bool begun;
    uint64_t wall_ms, up_ms; /* the last trusted time */
    int64_t step_ms;         /* step by which the clock was set; 0: not set */
    uint64_t since_ms; /* when the step was found, since the machine's start */
};

enum steady_found {
    STEADY_RIGHT, /* trust the clock */
    STEADY_SET,   /* the clock was set since the last call: do not trust it */
    STEADY_WAIT,  /* the clock was set earlier: do not trust it yet */
    STEADY_BACK,  /* the clock was set back to the right time: trust it */
};

/* Compare the wall clock's (wall_ms), since 1970, with (up_ms), since the
 * machine's start. A clock that was set is trusted again after (trust_ms)
 * without another step. */
enum steady_found steady_look(struct steady *s, uint64_t wall_ms,
                              uint64_t up_ms, uint64_t trust_ms);

/* Write the size of the step into (text): "5.0 days forward". Returns
 * (text). */
#define STEADY_TEXT 48
const char *steady_step(const struct steady *s, char text[STEADY_TEXT]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest that is absent or silent: texts for the user, and the times of
 * further tries. */
#ifndef TPROF_GUEST_TALK_SILENCE_H
#define TPROF_GUEST_TALK_SILENCE_H

#include <stdint.h>
#include <stdio.h>

#include "guest/talk/talk.h"

#define OTHER_PROTOCOL                                                         \
    "the bytes from %s are not tprof's: does another program than the agent "  \
    "use that port?"
#define CLOSED_EARLY                                                           \
    "%s was closed before a guest answered: the guest crashed or exited "      \
    "before its agent sent anything, and its console may say why. If it ran, " \
    "does it call tprof_init() and tprof_start_cpu()?"
#define NO_GUEST                                                               \
    "%s: no guest answered: does a guest run there that calls "                \
    "tprof_init() and tprof_start_cpu(), with interrupts on? Or is another "   \
    "collector attached?"
#define NO_STREAM                                                              \
    "%s: no guest's data in it: is this a recording, or a captured stream?"
/* Lines after the first. Shown to the user of one guest, and left out if there
 * are many guests. */
#define SERIAL_SILENCE                                                         \
    "Why, the likeliest first:\n"                                              \
    "- the guest is not up yet, or is paused;\n"                               \
    "- tprof_init() failed: the guest's console has what it returned, if\n"    \
    "  the kernel prints tprof_strerror();\n"                                  \
    "- the agent never runs: the kernel must call tprof_start_cpu() and\n"     \
    "  enable interrupts, or call tprof_poll();\n"                             \
    "- the port has another name: start QEMU with\n"                           \
    "  -device virtserialport,chardev=...,name=tprof.0;\n"                     \
    "- QEMU serves another client on this socket, one at a time;\n"            \
    "- a driver of the kernel's claimed the device after tprof_init()."
/* The same of a guest that `collector run` has started with the right port. */
#define STARTED_SILENCE                                                        \
    "Why, the likeliest first:\n"                                              \
    "- the kernel still boots, or has crashed: read its console;\n"            \
    "- tprof_init() failed: print tprof_strerror() of its result;\n"           \
    "- the profiler never runs: the kernel must call tprof_start_cpu() and\n"  \
    "  enable interrupts, or call tprof_poll();\n"                             \
    "- a driver of the kernel's claimed the device after tprof_init()."

#define RETRY_FIRST  100000000ull  /* nanoseconds */
#define SILENCE_MAX  5000000000ull /* longer than the time between STATS */
#define RETRY_RARELY 5000000000ull /* with backs_off, the longest time */

/* Returns the time of the next try after a try at (now_ns). With backs_off, the
 * wait is half as long as the guest has been away, so that thousands of absent
 * guests cost little. */
static inline uint64_t retry_absent(const struct talk *s, uint64_t now_ns)
{
    uint64_t since = s->entered_ns > s->begun_ns ? s->entered_ns : s->begun_ns;
    uint64_t wait = now_ns > since ? (now_ns - since) / 2 : 0;

    if (!s->backs_off || wait < RETRY_FIRST)
        wait = RETRY_FIRST;
    return now_ns + (wait < RETRY_RARELY ? wait : RETRY_RARELY);
}

/* Returns "still waiting" and the time limit of the wait. */
static inline const char *patience_text(const struct talk *s, char text[64])
{
    if (s->first_wait_ns == 0)
        return "still waiting";
    (void)snprintf(text, 64, "still waiting, %.3g s in all (--wait)",
                   (double)s->first_wait_ns / 1e9);
    return text;
}

/* Time after which a guest that is sampled counts as silent. */
static inline uint64_t silence_ns(const struct talk *s)
{
    bool listens = s->state == TALK_SAMPLING && !s->one_way;

    return listens && s->source->live ? s->heard_ns + SILENCE_MAX : TALK_NEVER;
}

#define FINAL_PATIENCE 1500000000ull /* nanoseconds */
#define FINAL_SPARE    500000000ull  /* and two sampling intervals */
#define FINAL_MOST     10000000000ull

/* Returns the time limit for the answer to STOP, or for more of a long answer.
 * The guest reads STOP at its next tick, which may be one and a half mean
 * intervals away. If another process samples the guest from outside, that
 * process reads STOP after it has stopped the guest for a sample, which may
 * take seconds on a busy host. If that process ends, its stream ends. */
static inline uint64_t final_due(const struct talk *s)
{
    uint32_t rate = s->rate_hz ? s->rate_hz : s->guest_rate_hz;
    uint64_t patience = rate ? 2000000000ull / rate + FINAL_SPARE : 0;
    uint64_t since = s->heard_ns > s->entered_ns ? s->heard_ns : s->entered_ns;
    uint64_t most = s->entered_ns + FINAL_MOST;

    since += patience > FINAL_PATIENCE ? patience : FINAL_PATIENCE;
    return !s->outside && since < most ? since : most;
}

#endif

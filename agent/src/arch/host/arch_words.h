/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of tprof_strerror() that name parts of a virtual core. A virtual core
 * has no interrupt table, and its timer always counts. */
#ifndef TPROF_ARCH_WORDS_H
#define TPROF_ARCH_WORDS_H

#define TPROF_ARCH_SAYS_STATE          "called twice, or for a core that has not joined"
#define TPROF_ARCH_SAYS_NO_TIMER       "the core has no timer"
#define TPROF_ARCH_SAYS_TIMER_OFF      "the core's timer is off"
#define TPROF_ARCH_SAYS_TIMER_UNMAPPED "the core's timer is not mapped"
#define TPROF_ARCH_SAYS_TIMER_STOPPED  "the core's timer does not count"
#define TPROF_ARCH_SAYS_NO_TABLE       "the core has no interrupt table"
#define TPROF_ARCH_SAYS_TIMER_TAKEN    "the core's timer is in use"
#define TPROF_ARCH_SAYS_NO_CLOCK                                               \
    "config.always and config.boot need the rate of the clock: set "           \
    "config.tsc_hz"

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The timers of all cores, where more is to be said than when the next
 * interrupt shall come: others may have changed them, or may use them, too. */
#ifndef TPROF_TIMER_H
#define TPROF_TIMER_H

#include <stdint.h>

#include "agent.h"

/* As config.lending has it. */
struct tprof_lending {
    void (*arm)(struct tprof_cpu *cpu, uint64_t deadline);
    /* Wakes cores whose timers are lent, and whose deadlines are over. */
    int (*look_around)(void);
};

/* Arms (cpu)'s timer, which is the calling core's, for (deadline), 0: not at
 * all; looks at it before, if it was woken. */
void tprof_timer_arm(struct tprof_cpu *cpu, uint64_t deadline);

/* Another core than (from) looks for the host, if that one did. tprof.c */
void tprof_hand_look_on(uint32_t from);

#endif

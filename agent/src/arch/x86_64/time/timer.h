/* SPDX-License-Identifier: BSD-2-Clause */
/* The table to which config.lending points: for a timer that the kernel also
 * uses */
#ifndef TPROF_TIMER_H
#define TPROF_TIMER_H

#include <stdint.h>

#include "arch/arch.h"

struct tprof_lending {
    /* As tprof_arch_timer_arm(). */
    void (*arm)(struct tprof_cpu *cpu, uint64_t deadline);
    /* As tprof_arch_is_tick(). */
    bool (*is_tick)(struct tprof_cpu *cpu, const struct tprof_arch_trap *trap,
                    uint64_t fp, uint64_t now);
    /* As tprof_arch_timers_look(). */
    void (*look_around)(void);
};

#endif

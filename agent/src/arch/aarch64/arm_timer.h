/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer of each core that the agent owns: CNTV, or CNTP (Arm ARM, chapter
 * D11). It compares the clock with a deadline of 64 bits. */
#ifndef TPROF_TIMER_H
#define TPROF_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu.h"

#define CNT_CTL_ENABLE (1u << 0)
#define CNT_CTL_MASKED (1u << 1)

struct tprof_timer_kind {
    bool is_physical;
    uint32_t intid;
};
extern struct tprof_timer_kind tprof_timer_kind;

/* The clock. Without the barrier, a read may be early by some instructions. */
TPROF_HOT uint64_t tprof_cntvct(void)
{
    return tprof_get_cntvct_el0();
}

/* Arms this core's timer for (deadline) of the clock; 0 stops it. */
void tprof_timer_set(uint64_t deadline);

/* Stops this core's timer whatever it is used for. */
void tprof_timer_silence(void);

/* Is this core's timer on, and does it interrupt? */
bool tprof_timer_is_used(void);

/* The short way to end a tick with CNTV: a deadline (left) ticks from now. */
TPROF_HOT void tprof_timer_set_left(uint64_t left)
{
    TPROF_WRITE_REGISTER(cntv_tval_el0, left);
    tprof_isb(); /* the line falls before the kernel ends the interrupt */
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "arm_timer.h"

#include "arch/arch.h"
#include "state/agent.h"

struct tprof_timer_kind tprof_timer_kind;

static void set_control(uint32_t value)
{
    if (tprof_timer_kind.is_physical)
        TPROF_WRITE_REGISTER(cntp_ctl_el0, value);
    else
        TPROF_WRITE_REGISTER(cntv_ctl_el0, value);
    tprof_isb();
}

/* The physical clock may differ from the virtual one, by which the agent's time
 * goes. */
static uint64_t on_timers_clock(uint64_t deadline)
{
    if (!tprof_timer_kind.is_physical)
        return deadline;
    tprof_isb();
    return deadline - tprof_cntvct() + tprof_get_cntpct_el0();
}

void tprof_timer_set(uint64_t deadline)
{
    uint64_t value = on_timers_clock(deadline);

    if (deadline == 0) {
        tprof_timer_silence();
        return;
    }
    if (tprof_timer_kind.is_physical)
        TPROF_WRITE_REGISTER(cntp_cval_el0, value);
    else
        TPROF_WRITE_REGISTER(cntv_cval_el0, value);
    set_control(CNT_CTL_ENABLE);
}

void tprof_timer_silence(void)
{
    set_control(0);
}

static uint64_t get_control(void)
{
    return tprof_timer_kind.is_physical ? tprof_get_cntp_ctl_el0()
                                        : tprof_get_cntv_ctl_el0();
}

bool tprof_timer_is_used(void)
{
    return (get_control() & (CNT_CTL_ENABLE | CNT_CTL_MASKED)) ==
           CNT_CTL_ENABLE;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The timers that can cause ticks. A kernel includes tprof.h, which includes
 * this. */
#ifndef TPROF_TICKS_H
#define TPROF_TICKS_H

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default) /* the rest of the library is hidden */

/*
 * The source of ticks.
 *
 * The kernel uses the APIC's timer if it has given the timer a vector of its
 * own and has not masked the timer. The agent does not take such a timer:
 * tprof_init() and tprof_start_cpu() return TPROF_ERR_TIMER_TAKEN. If the
 * kernel begins to use a core's timer later, the agent gives way until the
 * kernel masks the timer again. Meanwhile that core has few samples or none,
 * and the report says so.
 *
 * If the kernel masks the timer of TPROF_TIMER_APIC, or gives it another divide
 * or count, ticks stop. After 10 to 30 ms another core that samples,
 * tprof_poll(), or the device's interrupt notices this, and the agent takes the
 * timer back. A guest that has a single core, does not call tprof_poll(), and
 * has no device interrupt never notices that ticks have stopped.
 *
 * A kernel that waits by the count of that timer, as Toro's Delay() does, sets
 * config.lending to &tprof_lend_timer. Otherwise its waits take too long, or,
 * on a CPU with TSC deadlines, end immediately.
 */
enum tprof_timer {
    TPROF_TIMER_APIC = 0, /* the agent owns each core's local APIC timer */
    /* the kernel has a fixed tick, kernel_hz, and calls tprof_tick() */
    TPROF_TIMER_KERNEL = 1,
    /* the kernel has a one-shot timer: it calls tprof_tick(), and
     * tprof_deadline() when it programs the timer */
    TPROF_TIMER_SHARED = 2,
};

/*
 * The value of config.lending for kernels that load a count of their own into
 * the timer of TPROF_TIMER_APIC, and wait for its end in a loop. The agent then
 * leaves the timer alone until such a wait is over, so the wait takes the right
 * time. If all cores wait at the same time, a wait may take some sampling
 * intervals longer. The agent does not lend the timer to a kernel that waits
 * for the timer's interrupt: that kernel uses the timer, and the agent gives
 * way.
 *
 * A core has few ticks while it waits, or none. The report shows that time as
 * [timer lent], and time in which sampling has not resumed as [timer at rest].
 * Sampling resumes at another core's next tick, or at the kernel's second or
 * third tprof_poll(). On a single core only tprof_poll() resumes it.
 *
 * With lending the agent never uses TSC deadlines, and each tick accesses the
 * APIC once more. Opaque; linked only into a kernel that names
 * tprof_lend_timer.
 */
struct tprof_lending;
extern const struct tprof_lending tprof_lend_timer;

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

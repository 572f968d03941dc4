/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of tprof_strerror() that name parts of an aarch64 CPU */
#ifndef TPROF_ARCH_WORDS_H
#define TPROF_ARCH_WORDS_H

#define TPROF_ARCH_SAYS_STATE                                                  \
    "called twice, or for a core that has not joined. If this core has not "   \
    "joined, another core has its number: set config.cpu_source"
#define TPROF_ARCH_SAYS_NO_TIMER                                               \
    "the GIC is not known, or has no redistributor of this core: call "        \
    "tprof_set_aarch64() before tprof_init(), with a device tree or addresses"
#define TPROF_ARCH_SAYS_TIMER_OFF "the timer is off"
#define TPROF_ARCH_SAYS_TIMER_UNMAPPED                                         \
    "the GIC's registers are not mapped: map them at their physical address, " \
    "or set config.map"
#define TPROF_ARCH_SAYS_TIMER_STOPPED                                          \
    "CNTVCT_EL0 does not count: the firmware has not started the clock"
#define TPROF_ARCH_SAYS_NO_TABLE                                               \
    "there is no interrupt table that the agent could write"
#define TPROF_ARCH_SAYS_TIMER_TAKEN                                            \
    "the kernel, or its firmware, uses that timer: choose the other one by "   \
    "tprof_set_aarch64(), share the kernel's by config.timer (PORTING.md, "    \
    "\"The "                                                                   \
    "timer\"), or set config.take_timer, which ends the other use"
#define TPROF_ARCH_SAYS_NO_CLOCK                                               \
    "config.always and config.boot need the clock's rate, which CNTFRQ_EL0 "   \
    "does not have: set config.tsc_hz"

#endif

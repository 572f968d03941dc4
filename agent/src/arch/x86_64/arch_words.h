/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of tprof_strerror() that name parts of an x86-64 CPU */
#ifndef TPROF_ARCH_WORDS_H
#define TPROF_ARCH_WORDS_H

#define TPROF_ARCH_SAYS_STATE                                                  \
    "called twice, or for a core that has not joined; if this core has not: "  \
    "another has its number, since the local APIC is not mapped: set "         \
    "config.cpu_source"
#define TPROF_ARCH_SAYS_NO_TIMER                                               \
    "the CPU has no local APIC: use TPROF_TIMER_KERNEL"
#define TPROF_ARCH_SAYS_TIMER_OFF                                              \
    "the local APIC is disabled: set bit 11 of IA32_APIC_BASE and bit 8 of "   \
    "its spurious vector register, on each core, and LINT0 to ExtINT where "   \
    "the PICs interrupt; or became an x2APIC after tprof_init(): call that "   \
    "later"
#define TPROF_ARCH_SAYS_TIMER_UNMAPPED                                         \
    "the local APIC's registers are not mapped: map their page, as a rule "    \
    "0xfee00000, and set config.lapic to its virtual address unless that is "  \
    "the same; or set config.map"
#define TPROF_ARCH_SAYS_TIMER_STOPPED                                          \
    "the local APIC's timer does not count: is config.lapic its address? "     \
    "Else use TPROF_TIMER_KERNEL"
#define TPROF_ARCH_SAYS_NO_TABLE                                               \
    "no IDT is loaded, or it ends before our vector, or is read-only: load "   \
    "it first, or give config.install_vector"
#define TPROF_ARCH_SAYS_TIMER_TAKEN                                            \
    "the kernel, or its firmware, uses the local APIC's timer: have ticks "    \
    "come from it by config.timer (PORTING.md, \"The timer\"), or set "        \
    "config.take_timer, which ends the other use"
#define TPROF_ARCH_SAYS_NO_CLOCK                                               \
    "config.always and config.boot need the rate of the TSC, which neither "   \
    "CPU nor hypervisor tells: set config.tsc_hz"

#endif

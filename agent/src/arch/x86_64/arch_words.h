/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of tprof_strerror() that name parts of an x86-64 CPU */
#ifndef TPROF_ARCH_WORDS_H
#define TPROF_ARCH_WORDS_H

#define TPROF_ARCH_SAYS_STATE                                                  \
    "called twice, or for a core that has not joined. If this core has not "   \
    "joined, another core has its number, because the local APIC is not "      \
    "mapped: set config.cpu_source"
#define TPROF_ARCH_SAYS_NO_TIMER                                               \
    "the CPU has no local APIC: use TPROF_TIMER_KERNEL"
#define TPROF_ARCH_SAYS_TIMER_OFF                                              \
    "the local APIC is disabled: on each core set bit 11 of IA32_APIC_BASE, "  \
    "bit 8 of the spurious vector register and, if the PICs interrupt, LINT0 " \
    "to ExtINT. Or it became an x2APIC after tprof_init(): call tprof_init() " \
    "later"
#define TPROF_ARCH_SAYS_TIMER_UNMAPPED                                         \
    "the local APIC's registers are not mapped: map their page, usually "      \
    "0xfee00000, and set config.lapic to its virtual address if that "         \
    "differs; or set config.map"
#define TPROF_ARCH_SAYS_TIMER_STOPPED                                          \
    "the local APIC's timer does not count: check that config.lapic is its "   \
    "address, or use TPROF_TIMER_KERNEL"
#define TPROF_ARCH_SAYS_NO_TABLE                                               \
    "no IDT is loaded, or it ends before the agent's vector, or is "           \
    "read-only: load it before the call, or give config.install_vector"
#define TPROF_ARCH_SAYS_TIMER_TAKEN                                            \
    "the kernel, or its firmware, uses the local APIC's timer: share it by "   \
    "config.timer (PORTING.md, \"The timer\"), or set config.take_timer, "     \
    "which ends the other use"
#define TPROF_ARCH_SAYS_NO_CLOCK                                               \
    "config.always and config.boot need the TSC's rate, which neither the "    \
    "CPU nor the hypervisor reports: set config.tsc_hz"

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* How fast the TSC counts, as far as the machine says. */
#ifndef TPROF_CLOCK_H
#define TPROF_CLOCK_H

#include <stdint.h>

/*
 * TSC ticks per second by CPUID; else, under a hypervisor whose APIC timer is
 * known to count 1 GHz, from (apic_per_tsc) as in struct tprof_lapic, 0: not
 * measured; else 0, and the host has to measure it.
 */
uint64_t tprof_clock_hz(uint64_t apic_per_tsc);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Nanos, src/x86_64/apic.h: what agent/porting/nanos.md uses of it. */
#ifndef NANOS_APIC_H
#define NANOS_APIC_H

#include "kernel.h"

void lapic_eoi(void);
void lapic_set_timer(timestamp interval);

#endif

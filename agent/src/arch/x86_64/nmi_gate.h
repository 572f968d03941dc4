/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry of nmi.S, and the variables that it reads */
#ifndef TPROF_NMI_GATE_H
#define TPROF_NMI_GATE_H

#include <stdint.h>

/* Gate 2 leads here. */
void tprof_nmi_entry(void);

extern uint64_t tprof_nmi_old; /* the kernel's handler; 0: it has none */
/* The way to find the core: enum tprof_cpu_source, or TPROF_NMI_SINGLE */
extern uint32_t tprof_nmi_source;
#define TPROF_NMI_SINGLE 4u

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupt gates of the calling core's IDT (Intel SDM volume 3, chapter 6). */
#ifndef TPROF_GATE_H
#define TPROF_GATE_H

#include <stdint.h>

/* The highest absent gate from 32 to (below - 1); 0: none. */
uint32_t tprof_gate_find(uint32_t below);

/* Points gate (vector) at (entry), with the current code segment. Returns
 * TPROF_OK, also when it did already; TPROF_ERR_VECTOR: it is another's. */
int tprof_gate_install(uint32_t vector, void (*entry)(void));

#endif

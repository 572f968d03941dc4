/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupt gates of the calling core's IDT (Intel SDM volume 3, chapter 6). */
#ifndef TPROF_GATE_H
#define TPROF_GATE_H

#include <stdint.h>

/* All of them after tprof_probe_begin() on this core. */

/* The highest absent gate from 32 to (below - 1); TPROF_ERR_VECTOR: none;
 * TPROF_ERR_IDT: there is not even gate 32. */
int tprof_gate_find(uint32_t below);

/* Points gate (vector) at (entry), with the current code segment. Returns
 * TPROF_OK, also when it did already; TPROF_ERR_VECTOR_TAKEN: it is another's;
 * TPROF_ERR_IDT: the table is too short, or cannot be written. */
int tprof_gate_install(uint32_t vector, void (*entry)(void));

/* The same, whoever had it before. */
int tprof_gate_take(uint32_t vector, void (*entry)(void));

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupt gates of the calling core's IDT (Intel SDM volume 3, chapter 6) */
#ifndef TPROF_GATE_H
#define TPROF_GATE_H

#include <stdbool.h>
#include <stdint.h>

/* Call these functions after tprof_probe_begin() on this core. */

/*
 * Finds the highest gate from 32 to (below - 1) that is not present.
 *
 * Returns the gate;
 * TPROF_ERR_VECTOR: all are present;
 * TPROF_ERR_IDT: the table has no gate 32.
 */
int tprof_gate_find(uint32_t below);

/*
 * Points gate (vector) at (entry), with the current code segment.
 *
 * Returns TPROF_OK, also if the gate already pointed there;
 * TPROF_ERR_VECTOR_TAKEN: the gate points elsewhere;
 * TPROF_ERR_IDT: the table is too short, or cannot be written.
 */
int tprof_gate_install(uint32_t vector, void (*entry)(void));

/* Points gate (vector) at (entry), even if it points elsewhere. Returns
 * TPROF_OK or TPROF_ERR_IDT. */
int tprof_gate_take(uint32_t vector, void (*entry)(void));

/*
 * Points gate (vector) at (entry) in one store, and keeps its stack (IST).
 * Stores the address of its handler before in (*old); 0 if it was not present.
 * Does nothing if the gate points at (entry) already.
 *
 * Returns TPROF_OK or TPROF_ERR_IDT.
 */
int tprof_gate_share(uint32_t vector, void (*entry)(void), uint64_t *old);

/* Has the gate a stack of its own (IST)? */
bool tprof_gate_has_stack(uint32_t vector);

#endif

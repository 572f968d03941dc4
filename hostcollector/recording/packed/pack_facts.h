/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the parts of a window that are not samples, as frames of the wire. */
#ifndef TPROF_RECORDING_PACKED_PACK_FACTS_H
#define TPROF_RECORDING_PACKED_PACK_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/packed/pack_bytes.h"
#include "recording/packed/window_parts.h"

/* Append HELLO, MAPs, STATUS, and STATS with the counters at which each core
 * begins. */
void pack_facts_before(struct pack_bytes *b, const struct window_packer *w);

/* Append a SAMPLES frame of (core) with the counters (now) and without
 * samples. */
void pack_fact_counters(struct pack_bytes *b, uint32_t core,
                        const struct window_core *c,
                        const uint64_t now[WIRE_COUNTERS]);

/* Append the last STATS of each core, and PROGRESS. STATS are complete if
 * (whole), or if the guest said so. */
void pack_facts_after(struct pack_bytes *b, const struct window_packer *w,
                      bool whole);

#endif

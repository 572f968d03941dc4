/* SPDX-License-Identifier: BSD-2-Clause */
/* What a window tells beside its samples, as the frames of an agent. */
#ifndef TPROF_RECORDING_PACKED_PACK_FACTS_H
#define TPROF_RECORDING_PACKED_PACK_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/packed/pack_bytes.h"
#include "recording/packed/window_parts.h"

/* HELLO, MAPs, STATUS, and where each core's counters begin. */
void pack_facts_before(struct pack_bytes *b, const struct window_packer *w);

/* SAMPLES of (core) without samples, but with the counters (now). */
void pack_fact_counters(struct pack_bytes *b, uint32_t core,
                        const struct window_core *c,
                        const uint64_t now[WIRE_COUNTERS]);

/* The last STATS of each core, complete if (whole) or the guest said so; and
 * PROGRESS. */
void pack_facts_after(struct pack_bytes *b, const struct window_packer *w,
                      bool whole);

#endif

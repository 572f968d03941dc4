/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the agent in a unit test, with a channel that only sends, and plays
 * its cores and its clock. */
#ifndef TPROF_SUPPORT_ONE_WAY_H
#define TPROF_SUPPORT_ONE_WAY_H

#include <tprof/tprof.h>

/*
 * Fills in what (config) lacks, memory and a channel that gives every frame to
 * (take), if it names none, and initializes the agent. Its cores have not
 * joined yet. (take) returns how many bytes it took, as tprof_channel.send()
 * does.
 */
void one_way_init(struct tprof_config *config,
                  int (*take)(void *context, const void *data, uint32_t size));

/* Likewise, and all of (cores) join, which have a kernel timer and a clock of
 * (tsc_hz). The caller is on core 0. */
void one_way_cores(uint32_t cores, uint64_t tsc_hz, uint32_t rate_hz,
                   int (*take)(void *context, const void *data, uint32_t size));

/* From here on the caller is on (core). */
void on_core(uint32_t core);
/* The next call reads (time) from the clock. */
void at(uint64_t time);

/* Read a varint (WIRE.md 4) and go behind it. */
uint64_t varint(const uint8_t **bytes);

#endif

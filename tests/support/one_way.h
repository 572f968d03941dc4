/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the agent in a unit test, with a channel that only sends. */
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

#endif

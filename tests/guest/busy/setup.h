/* SPDX-License-Identifier: BSD-2-Clause */
/* The profiler's configuration, as the command line describes it. */
#ifndef BUSY_SETUP_H
#define BUSY_SETUP_H

#include <stdint.h>

#include <tprof/tprof.h>

/* Fill (c) by the options:
 *   rate depth seed ring slots cpus vector source tsc_hz notice
 *            as the fields of struct tprof_config that are named like them
 *   gate=1   config.install_vector puts a counting gate before the profiler's
 *   own=1    config.memory is an array of ours, just as large as it must be
 *   stacks=1 config.readable has the image in two parts, and nothing else
 *   bus, address
 *            config.device, of which nothing else is told
 *   transport=vsock
 *            config.transport */
void setup_config(struct tprof_config *c);

/* Interrupts that came through the counting gate, of all cores. */
extern uint64_t counted_entries;

#endif

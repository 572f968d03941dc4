/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest `busy`, whose agent is at the bridge by its own driver. */
#ifndef BUSY_H
#define BUSY_H

#include "bridge.h"

/* A microvm whose virtio-mmio is of version 1. */
#define BUSY_LEGACY "microvm-legacy"

/* Boot it on (cores) of (machine), as boot has them or BUSY_LEGACY; (append)
 * are more of its options. */
void busy_boot(struct host *h, const char *machine, const char *cores,
               const char *append);

/* End it by an order, at its COM1, and wait for that. */
void busy_end(struct host *h);

/* A counter of core (core), on the console, after the end. */
uint64_t busy_count(const struct host *h, uint32_t core, const char *word);

#endif

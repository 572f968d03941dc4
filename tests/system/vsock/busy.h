/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest `busy`, whose agent reaches the bridge by the agent's own vsock
 * driver. */
#ifndef BUSY_H
#define BUSY_H

#include "bridge.h"

/* A microvm whose virtio-mmio is of version 1. */
#define BUSY_LEGACY "microvm-legacy"

/* Boot `busy` on (cores) of (machine): one of tests/guest/boot, or BUSY_LEGACY.
 * (append): more options of the guest. */
void busy_boot(struct host *h, const char *machine, const char *cores,
               const char *append);

/* End the guest by an order at COM1, and wait for the end. */
void busy_end(struct host *h);

/* After the guest's end: a counter of (core) that it has printed. */
uint64_t busy_count(const struct host *h, uint32_t core, const char *word);

#endif

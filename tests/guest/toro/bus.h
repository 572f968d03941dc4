/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between cores over shared rings, in the shape of Toro's VirtIOBus:
 * for each pair of cores and direction a queue with an available ring, by
 * which the receiver lends buffers, and a used ring, by which the sender
 * gives them back filled. One thread sends and one receives on a queue.
 */
#ifndef TORO_BUS_H
#define TORO_BUS_H

#include <stddef.h>

#include "guest.h"

#define BUS_QUEUE_LEN  32
#define BUS_BUFFER_LEN 512

/* As a core's number: the way back between two threads of the calling core,
 * whose way there has that core's own number. */
#define BUS_BACK GUEST_CORES_MAX

/* Once, on core 0, before the first message: queues among (cores) cores. */
void bus_init(unsigned cores);

/*
 * Send (len) bytes, at most BUS_BUFFER_LEN, to (core). Waits where the
 * receiver has lent no buffer.
 */
void SendTo(unsigned core, const void *buffer, size_t len);

/*
 * Take the next message from (core) into (buffer), which has room for it.
 * Waits for one; returns its length.
 */
size_t RecvFrom(unsigned core, void *buffer);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues of a console device: buffers are added, shown to the device, and
 * taken back. A port is a number here; transport_console.c finds the port that
 * leads to the host. Every value that the device writes is checked. The driver
 * stops using a device that writes a false value.
 */
#ifndef TPROF_CONSOLE_QUEUES_H
#define TPROF_CONSOLE_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/transport_console.h"

/* Marks the device as dead, if it is gone or has another driver. No function
 * touches it any more. Returns the error. */
int tprof_console_mark_dead(struct tprof_console *c);

/* Stops using the device, because it has written a false value or lacks a
 * necessary ability. Returns the error. */
int tprof_console_give_up(struct tprof_console *c);

/* Sets up queue (which), TPROF_CONSOLE_*, with the greatest size that the
 * device and this driver allow. Gives the device all buffers that it will fill.
 */
bool tprof_console_enable(struct tprof_console *c, uint32_t which);

/* Shows the buffers that were added to (q) to the device. */
void tprof_console_publish(struct tprof_console *c,
                           struct tprof_console_queue *q);

/* Gives buffer (id) of (q) to the device, which will fill it. */
void tprof_console_add(struct tprof_console *c, struct tprof_console_queue *q,
                       uint32_t id);

/* Takes back the next descriptor of (q) that the device is done with. Negative:
 * there is none, or the device was given up. */
int tprof_console_reap(struct tprof_console *c, struct tprof_console_queue *q,
                       uint32_t *length);

/* Takes back all descriptors that the device is done with. Gives the device no
 * new ones, so the loop ends. */
void tprof_console_reap_all(struct tprof_console *c,
                            struct tprof_console_queue *q);

#endif

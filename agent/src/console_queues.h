/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues of a console device: what is added, shown to the device and taken
 * back. This file knows no port but by its number; transport_console.c does.
 * What the device writes is checked. A device that lies is given up.
 */
#ifndef TPROF_CONSOLE_QUEUES_H
#define TPROF_CONSOLE_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "transport_console.h"

/* The device is of no more use, and not touched any more. Returns the error. */
int tprof_console_mark_dead(struct tprof_console *c);

/* The device lies, or cannot do what is needed. Returns the error. */
int tprof_console_give_up(struct tprof_console *c);

/* Sets up queue (which), TPROF_CONSOLE_*, as large as the device and this
 * driver allow, and gives the device all buffers that it is to fill. */
bool tprof_console_enable(struct tprof_console *c, uint32_t which);

/* Shows the device what was added to (q). */
void tprof_console_publish(struct tprof_console *c,
                           struct tprof_console_queue *q);

/* Gives buffer (id) of (q) to the device, to be filled. */
void tprof_console_add(struct tprof_console *c, struct tprof_console_queue *q,
                       uint32_t id);

/* Takes back the next descriptor of (q) that the device is done with. Negative:
 * none, or the device was given up. */
int tprof_console_reap(struct tprof_console *c, struct tprof_console_queue *q,
                       uint32_t *length);

/* Takes back all descriptors that the device is done with. It gets none here,
 * so this ends. */
void tprof_console_reap_all(struct tprof_console *c,
                            struct tprof_console_queue *q);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What systemd is told of a service (sd_notify(3)): a datagram to the socket
 * that $NOTIFY_SOCKET names. Where nothing is named, nothing is told.
 */
#ifndef TPROF_FLEET_NOTIFY_H
#define TPROF_FLEET_NOTIFY_H

#include <stdint.h>

/* The socket, connected; -1: nobody wants to be told. Call it before the
 * process is confined. */
int notify_open(void);

/* Tell (lines): "READY=1\nSTATUS=...". Nobody waits for it. */
void notify_tell(int fd, const char *lines);

/* How often the watchdog wants to hear, halved, in nanoseconds; 0: not. */
uint64_t notify_watchdog_ns(void);

#endif

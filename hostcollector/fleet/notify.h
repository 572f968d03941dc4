/* SPDX-License-Identifier: BSD-2-Clause */
/* Notifies systemd of a service's state (sd_notify(3)) by datagrams to the
 * socket in $NOTIFY_SOCKET. Does nothing if that is not set. */
#ifndef TPROF_FLEET_NOTIFY_H
#define TPROF_FLEET_NOTIFY_H

#include <stdint.h>

/* Connect to the socket. Returns -1 if there is none. Call it before the
 * process is confined. */
int notify_open(void);

/* Send (lines): "READY=1
 * STATUS=...". Does not wait for an answer. */
void notify_tell(int fd, const char *lines);

/* Returns half of the interval at which systemd's watchdog expects a notice, in
 * nanoseconds; 0 if there is no watchdog. */
uint64_t notify_watchdog_ns(void);

#endif

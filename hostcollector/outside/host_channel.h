/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's channel in a process that samples from outside: a socket, at
 * whose other end the collector is. */
#ifndef TPROF_OUTSIDE_HOST_CHANNEL_H
#define TPROF_OUTSIDE_HOST_CHANNEL_H

#include <stdbool.h>

struct tprof_channel;

struct host_channel {
    int fd;
    bool left; /* the collector has gone */
};

/* The channel by (h), which must outlive it, in (*channel). */
void host_channel_init(struct tprof_channel *channel, struct host_channel *h);

#endif

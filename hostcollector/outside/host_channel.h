/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's channel in a process that samples from outside: a socket to the
 * collector. */
#ifndef TPROF_OUTSIDE_HOST_CHANNEL_H
#define TPROF_OUTSIDE_HOST_CHANNEL_H

#include <stdbool.h>

struct tprof_channel;

struct host_channel {
    int fd;
    bool left; /* the collector has closed its end */
};

/* Make (*channel) the channel of (h), which must outlive it. */
void host_channel_init(struct tprof_channel *channel, struct host_channel *h);

#endif

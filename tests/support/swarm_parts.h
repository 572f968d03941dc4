/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the swarm share: the guests, and those who play them. */
#ifndef TPROF_SWARM_PARTS_H
#define TPROF_SWARM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "swarm.h"
#include "wiregen.h"

struct player_core {
    uint64_t time; /* of the last record, in units */
    uint64_t made; /* samples, sent or dropped */
    uint64_t counters[4];
};

struct player {
    int listener; /* -1: no second collector may come */
    int fd;       /* listener, then connection; -1: the collector has left */
    bool connected, sampling, stopped;
    struct wiregen w; /* what the socket did not take yet */
    uint8_t in[256];
    size_t in_size;
    uint64_t start_ns, turn_ns;
    unsigned core_count;
    struct player_core cores[SWARM_CORES];
    struct swarm_guest *told;
};

struct swarm {
    const struct swarm_config *config;
    struct player *players;
    int poller;
    uint64_t latest_ns;
    uint64_t unread;
    unsigned left;    /* guests that the collector has left */
    uint64_t rest_ns; /* when they began to rest; 0: they work */
    bool told_resting;
};

_Noreturn void swarm_die(const char *what);
uint64_t swarm_now_ns(void);

/* Guest (number) listens on its socket. */
void swarm_listen(struct swarm *s, unsigned number);

/* Something came for guest (number): a collector, or what that says. */
void swarm_hear(struct swarm *s, unsigned number);

/* All that is due now is sent. */
void swarm_take_turns(struct swarm *s);

#endif

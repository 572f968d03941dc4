/* SPDX-License-Identifier: BSD-2-Clause */
/* A host in the guest: keeps the last frame of each thread, wait and core, as
 * WIRE.md 10 has them, and fails the guest if their times do not add up. */
#ifndef THREADS_EAR_H
#define THREADS_EAR_H

#include <stdint.h>

#define EAR_THREADS 256
#define EAR_WAITS   512
#define EAR_FRAMES  16

struct ear_thread {
    char name[32]; /* "": there was no frame */
    uint64_t serial, flags, now, since, state;
    uint64_t running, ready, blocked, switches, wait;
};
extern struct ear_thread ear_threads[EAR_THREADS];

struct ear_wait {
    uint64_t seen; /* 0: there was no frame */
    uint64_t kind, serial, count, time, longest;
    uint64_t frames[EAR_FRAMES], depth; /* return addresses, inner first */
};
extern struct ear_wait ear_waits[EAR_WAITS];

struct ear_core {
    uint64_t now, since, switches, running, idle, unnamed, moved;
    uint64_t evicted_running, evicted, refused;
};
extern struct ear_core ear_cores[16];

/* For struct tprof_channel. */
int ear_send(void *context, const void *data, uint32_t size);

#endif

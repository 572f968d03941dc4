/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest for tests of the collector: a child process on a Unix socket that
 * speaks frames of wiregen and checks what it hears.
 */
#ifndef TPROF_FAKE_GUEST_H
#define TPROF_FAKE_GUEST_H

#include <stdint.h>
#include <sys/types.h>

#include "wiregen.h"

struct guest_side {
    int listener, fd;
    struct wiregen w;
    uint64_t tsc_hz;
    uint32_t features;
    uint16_t expected_seq;
};

/* Where it listens, and where a test may record; in a directory that
 * make_dir() makes and remove_dir() removes with both. */
extern char socket_path[64], record_path[64];
void make_dir(void);
void remove_dir(void);

/* Start (play) as the guest, (side) says how. It listens when this returns. */
pid_t start_guest(void (*play)(struct guest_side *), struct guest_side side);
/* Wait for it, or for any child: it must have ended with status 0. */
void join_guest(pid_t pid);

/* What it says: all that was put into (g->w); or a whole frame. */
void say(struct guest_side *g);
void say_hello(struct guest_side *g, uint8_t boot);
void say_samples(struct guest_side *g, uint64_t n, uint64_t before);
void say_status(struct guest_side *g, uint8_t state, uint8_t refusal);

/* Wait for a frame of (type); its body goes to (body), of 64 bytes. Returns
 * its length; -1 if the collector left. */
int hear(struct guest_side *g, uint8_t type, uint8_t *body);

#endif

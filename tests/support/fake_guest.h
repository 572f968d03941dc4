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
    struct wiregen w;      /* frames that wait for say() */
    uint64_t tsc_hz;       /* for HELLO */
    uint32_t features;     /* likewise */
    uint16_t expected_seq; /* of the collector's next frame */
};

/* The guest's socket, and a file that a test may record to. Both are in a
 * directory that make_dir() makes and remove_dir() removes. */
extern char socket_path[64], record_path[64];
void make_dir(void);
void remove_dir(void);

/* Start the guest: a child process that runs (play) with a copy of (side). The
 * guest listens when this returns. */
pid_t start_guest(void (*play)(struct guest_side *), struct guest_side side);
/* Wait for the guest, or for any other child. Its exit status must be 0. */
void join_guest(pid_t pid);

/* Send what was put into (g->w); or make a frame, and send that. */
void say(struct guest_side *g);
void say_hello(struct guest_side *g, uint8_t boot);
void say_samples(struct guest_side *g, uint64_t n, uint64_t before);
void say_status(struct guest_side *g, uint8_t state, uint8_t refusal);

/* Wait for a frame of (type) from the collector, and copy its body to (body),
 * which has 64 bytes. Returns the body's length, or -1 if the collector has
 * left. */
int hear(struct guest_side *g, uint8_t type, uint8_t *body);

#endif

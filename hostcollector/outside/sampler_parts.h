/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of sampler.c: the callers of a stopped core, and the agent's
 * channel. */
#ifndef TPROF_OUTSIDE_SAMPLER_PARTS_H
#define TPROF_OUTSIDE_SAMPLER_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "image/file/image.h"
#include "outside/outside_guest.h"
#include "outside/outside_memory.h"
#include "outside/sampler.h"

/* stopped_callers.c: callers found by unwind tables, laid out as a stack with
 * frame pointers, so that the agent's frame walk finds these callers. */

/* Address at which the stack appears to be. No guest has a stack there:
 * addresses have fewer bits. */
#define STOPPED_CALLERS_SP ((uint64_t)1 << 56)
#define STOPPED_CALLERS_FP (STOPPED_CALLERS_SP + 64)

struct stopped_callers;

/* Make a struct stopped_callers for code of (img), which is loaded (slide)
 * above its link-time addresses, and must outlive the result. NULL if there is
 * no memory. */
struct stopped_callers *stopped_callers_new(const struct image *img,
                                            uint64_t slide,
                                            enum outside_unwind how);
void stopped_callers_free(struct stopped_callers *c);

/* Find the callers of a stopped core with the registers (r). */
void stopped_callers_find(struct stopped_callers *c,
                          const struct cpu_registers *r,
                          struct outside_memory *m);

/* The frame pointer of the stack; 0: the core has no caller. */
uint64_t stopped_callers_fp(const struct stopped_callers *c);

/* Returns the word at (address) of the stack; 0 outside it. A frame has two
 * words: the address of the next frame, and a return address. If no caller is
 * missing, the last frame has 0 as the address of the next frame. Otherwise one
 * more frame follows, whose return address is in no code. */
uint64_t stopped_callers_word(const struct stopped_callers *c,
                              uint64_t address);

/* host_channel.c: the agent's channel, a socket to the collector. */

struct tprof_channel;

struct host_channel {
    int fd;
    bool left; /* the collector has closed its end */
};

/* Make (*channel) the channel of (h), which must outlive it. */
void host_channel_init(struct tprof_channel *channel, struct host_channel *h);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples a guest that has no agent: the agent's own code runs here, on virtual
 * cores (agent/src/arch/host), and what it takes for the interrupted registers
 * and stack is read from outside, while the guest stands still. So intervals,
 * weights, lateness, losses and the wire are an agent's.
 *
 * Time is the guest's: it stands still when the guest does, and what the agent
 * counts as its cost is how long that was.
 */
#ifndef TPROF_OUTSIDE_SAMPLER_H
#define TPROF_OUTSIDE_SAMPLER_H

#include "image/image.h"
#include "outside/guest.h"
#include "outside/place.h"
#include "util/err.h"

/* Sampled each second and core, unless the host asks for something else. */
#define OUTSIDE_RATE_HZ 97u

/*
 * Serve the collector at the other end of (host), a socket, until it goes or
 * the guest ends; (g) is at (p) and is left standing still or running. One
 * call in a process.
 *
 * Returns 0; -1 with (e) filled: the guest cannot be looked at any more.
 */
int outside_sample(struct outside_guest *g, const struct image *img,
                   const struct outside_place *p, int host, struct err *e);

#endif

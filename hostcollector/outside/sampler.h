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

#include "image/file/image.h"
#include "outside/guest.h"
#include "outside/place.h"
#include "util/err.h"

/* Sampled each second and core, unless the host asks for something else. */
#define OUTSIDE_RATE_HZ 97u

/* How callers are found. */
enum outside_unwind {
    OUTSIDE_AUTO,   /* by unwind tables; where there are none, by the code */
    OUTSIDE_TABLES, /* by unwind tables alone */
    OUTSIDE_FP,     /* along frame pointers, as an agent does */
};

struct outside_sampling {
    struct outside_guest *guest;
    const struct image *img; /* its kernel */
    struct outside_place place;
    enum outside_unwind unwind;
    /* Called with the registers of each core that is sampled, before the sample
     * is sent. NULL: nobody wants them. */
    void (*saw)(const void *context, uint32_t core, uint64_t time,
                const struct outside_registers *r);
    const void *context;
    int host; /* a socket: the collector is at its other end */
};

/*
 * Serve the collector until it goes or the guest ends, which is left standing
 * still or running; or the guest reboots. One call at a time in a process.
 *
 * Returns 0; OUTSIDE_REBOOTED: the place of the kernel is to be found again,
 * then a further call introduces it to the collector as another boot; -1 with
 * (e) filled: the guest cannot be looked at any more.
 */
#define OUTSIDE_REBOOTED 1
int outside_sample(const struct outside_sampling *s, struct err *e);

#endif

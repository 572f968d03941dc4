/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples a guest that has no agent.
 *
 * The agent's own code runs in this process, on virtual cores
 * (agent/src/arch/host), and gets registers and stacks from the guest while the
 * guest is stopped. So intervals, weights, lateness, losses and the wire are
 * the same as with an agent. Time is the guest's time, without the time for
 * which the guest was stopped. The costs of the agent are the times for which
 * the guest was stopped.
 */
#ifndef TPROF_OUTSIDE_SAMPLER_H
#define TPROF_OUTSIDE_SAMPLER_H

#include "image/file/image.h"
#include "outside/outside_guest.h"
#include "outside/place.h"
#include "util/err.h"

/* Default number of samples for each second and core. */
#define OUTSIDE_RATE_HZ 97u

/* Ways to find callers. */
enum outside_unwind {
    OUTSIDE_AUTO,   /* by unwind tables, or by the code if there are none */
    OUTSIDE_TABLES, /* by unwind tables only */
    OUTSIDE_FP,     /* by frame pointers, as an agent does */
};

struct outside_sampling {
    struct outside_guest *guest;
    const struct image *img; /* the kernel's image */
    struct outside_place place;
    enum outside_unwind unwind;
    /* Called with the registers of each core that is sampled, before its sample
     * is sent. NULL: not needed. */
    void (*saw)(const void *context, uint32_t core, uint64_t time,
                const struct cpu_registers *r);
    const void *context;
    int host; /* socket to the collector */
};

/*
 * Sample and send to the collector until the collector closes its socket, the
 * guest ends or the guest reboots. The guest may be left stopped or running.
 * Only one call at a time in a process.
 *
 * Returns 0;
 * OUTSIDE_REBOOTED: find the kernel again and call this function again, which
 * reports a new boot to the collector;
 * -1 with (e) filled: the guest cannot be read any more.
 */
#define OUTSIDE_REBOOTED 1
int outside_sample(const struct outside_sampling *s, struct err *e);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what the agent left in a guest's memory, as a reader outside the guest
 * does that has nothing but tprof_directory: counters, and the records in each
 * ring, drained ones too.
 */
#ifndef TPROF_POSTMORTEM_H
#define TPROF_POSTMORTEM_H

#include <stdint.h>

#include "state/directory.h"

struct postmortem_core {
    uint64_t ticks, missed, ring_full, reentered;
    uint32_t undrained; /* words that nobody has read yet */
    uint32_t samples;   /* records in the ring, drained ones too */
};

struct postmortem {
    uint32_t cores;
    struct postmortem_core core[TPROF_CPUS_MAX];
};

/*
 * Reads (d) and what it points to into (p), and tells each short sample of a
 * ring, the newest first: its leaf less the start of text. Memory is read at
 * its virtual addresses. Returns 0; -1: it is no directory, or a ring's records
 * do not follow each other.
 */
int postmortem_read(struct postmortem *p, const struct tprof_directory *d,
                    void (*sample)(void *context, uint32_t core, uint64_t leaf),
                    void *context);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the agent's directory in a guest's memory, and what the directory
 * points to: the recorder of each core, and the facts that HELLO sends. The
 * values are checked against each other, but the guest may have written
 * anything there.
 */
#ifndef TPROF_DUMP_DUMP_DIRECTORY_H
#define TPROF_DUMP_DUMP_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "dump/dump_memory.h"
#include "dump/layout.h"
#include "tprof_wire.h"
#include "util/err.h"

struct dump_directory {
    struct dump_memory *memory;
    uint32_t cores, ring_words;
    uint64_t
        /* offset to add to an address, as config.physical() gave it */
        physical;
    /* for the rings, counters and readers of all cores */
    struct dump_view view;
    struct {
        uint64_t ring, words; /* virtual addresses; 0: not there */
    } core[DUMP_CORES_MAX];

    /* The agent's state, which is read through (agent_view). */
    struct dump_view agent_view;
    uint64_t hello[WIRE_HELLO_CODE + 1]; /* indexed by tag */
    uint8_t boot_id[WIRE_BOOT_ID_SIZE];
    uint64_t build_id, build_id_end; /* virtual addresses of the ELF note */
    uint64_t orders[5]; /* rate in Hz, depth, period, state, every */
};

/* Find the directory in (m), which must outlive (d). Returns 0; -1 with (e)
 * filled. */
int dump_directory_find(struct dump_directory *d, struct dump_memory *m,
                        struct err *e);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's directory in a guest's memory, and where that leads: each core's
 * recorder and the facts that HELLO tells. What is found has been held against
 * itself, but the guest may have written anything there.
 */
#ifndef TPROF_DUMP_DIRECTORY_H
#define TPROF_DUMP_DIRECTORY_H

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
        physical; /* what to add to an address, as config.physical() said */
    /* of all cores' rings, counters and readers */
    struct dump_view view;
    struct {
        uint64_t ring, words; /* virtual addresses; 0: not there */
    } core[DUMP_CORES_MAX];

    /* The agent's state, which (agent_view) sees. */
    struct dump_view agent_view;
    uint64_t hello[WIRE_HELLO_CODE + 1]; /* by tag */
    uint8_t boot_id[WIRE_BOOT_ID_SIZE];
    uint64_t build_id, build_id_end; /* virtual addresses of the ELF note */
    uint64_t orders[5]; /* rate in Hz, depth, period, state, every */
};

/* Find it in (m), which must outlive (d). Returns 0; -1 with (e) filled. */
int dump_directory_find(struct dump_directory *d, struct dump_memory *m,
                        struct err *e);

#endif

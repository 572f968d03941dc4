/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory tells where the agent's data lie, for a reader outside the
 * guest that has the guest's ELF file and its memory: a dump after a crash, or
 * RAM that is shared. The reader finds it by the symbol tprof_directory, or by
 * the address that HELLO tells. It is written at start-up and by tprof_map().
 */
#ifndef TPROF_DIRECTORY_H
#define TPROF_DIRECTORY_H

#include "agent.h"

#define TPROF_DIRECTORY_MAGIC   0x79726f7463657269u /* "irectory" in memory */
#define TPROF_DIRECTORY_VERSION 3u

/* One core. */
struct tprof_directory_core {
    uint64_t counts;   /* virtual address of its struct tprof_stats */
    uint64_t ring;     /* of its struct tprof_ring */
    uint64_t words;    /* of the ring's words */
    uint64_t slots;    /* of the dictionary's slots */
    uint64_t physical; /* what to add to those for a physical address */
};

struct tprof_directory {
    uint64_t magic; /* written last: then all else is there */
    uint32_t version;
    uint32_t cores;
    uint32_t ring_words;                              /* of one core */
    uint32_t dict_slots;                              /* likewise */
    struct tprof_directory_core core[TPROF_CPUS_MAX]; /* by index */
    uint64_t mappings; /* address of struct tprof_mapping[TPROF_MAPPINGS], of
                          which those with size 0 are unused; 0: no array */
};

extern __attribute__((
    visibility("default"))) struct tprof_directory tprof_directory;

/* Enters (cpu), which is laid out. (physical) is the physical less the virtual
 * address of its memory. */
void tprof_directory_add_core(const struct tprof_cpu *cpu, uint64_t physical);

/* All cores of (a) are entered: writes the rest, and returns the directory's
 * address. */
uint64_t tprof_directory_publish(const struct tprof_agent *a);

/* The agent's memory is the kernel's again: there is nothing to be found. */
void tprof_directory_retract(void);

/* The array of mappings is (maps). */
void tprof_directory_set_mappings(const struct tprof_mapping *maps);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory has the addresses of the agent's data. It is for a reader
 * outside the guest that has the guest's ELF file and memory: a dump after a
 * crash, or shared RAM. The reader finds it by the symbol tprof_directory or by
 * the address in HELLO. tprof_init() and tprof_map() write it.
 */
#ifndef TPROF_DIRECTORY_H
#define TPROF_DIRECTORY_H

#include "state/agent.h"

#define TPROF_DIRECTORY_MAGIC   0x79726f7463657269u /* "irectory" in memory */
#define TPROF_DIRECTORY_VERSION 5u

/* One core. */
struct tprof_directory_core {
    uint64_t counts;   /* virtual address of its struct tprof_stats */
    uint64_t ring;     /* of its struct tprof_ring */
    uint64_t words;    /* of the ring's words */
    uint64_t slots;    /* of the dictionary's slots */
    uint64_t physical; /* physical address - virtual address */
};

struct tprof_directory {
    uint64_t magic; /* written last, when everything else is written */
    uint32_t version;
    uint32_t cores;
    uint32_t ring_words;                              /* of one core */
    uint32_t dict_slots;                              /* of one core */
    struct tprof_directory_core core[TPROF_CPUS_MAX]; /* by index */
    /* Address of struct tprof_mapping[TPROF_MAPPINGS], in which entries of size
     * 0 are unused. 0: there is no array. */
    uint64_t mappings;
};

extern __attribute__((
    visibility("default"))) struct tprof_directory tprof_directory;

/* Enters (cpu), which is laid out. (physical) is the difference between the
 * physical and the virtual address of the core's memory. */
void tprof_directory_add_core(const struct tprof_cpu *cpu, uint64_t physical);

/* Completes the directory, when all cores of (a) are entered. Returns its
 * address. */
uint64_t tprof_directory_publish(const struct tprof_agent *a);

/* Makes the directory invalid: the agent's memory is the kernel's again. */
void tprof_directory_retract(void);

/* Enters (maps), the array of mappings. */
void tprof_directory_set_mappings(const struct tprof_mapping *maps);

#endif

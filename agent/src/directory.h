/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where everything lies, for a reader outside the guest that has the ELF and
 * the guest's memory: a dump after a crash, or shared RAM. Its symbol is
 * tprof_directory; it is written at start-up and by tprof_map().
 */
#ifndef TPROF_DIRECTORY_H
#define TPROF_DIRECTORY_H

#include "agent.h"

#define TPROF_DIRECTORY_MAGIC   0x79726f7463657269u /* "irectory" in memory */
#define TPROF_DIRECTORY_VERSION 2u

struct tprof_directory_core {
    uint64_t counts;   /* virtual address of its struct tprof_stats */
    uint64_t ring;     /* of its struct tprof_ring */
    uint64_t words;    /* of the ring's words */
    uint64_t slots;    /* of the dictionary's */
    uint64_t physical; /* what to add to those for a physical address */
};

struct tprof_directory {
    uint64_t magic;
    uint32_t version;
    uint32_t cores;
    uint32_t ring_words;
    uint32_t dict_slots;
    struct tprof_directory_core core[TPROF_CPUS_MAX];
    uint64_t mappings; /* of struct tprof_mapping[], unused: size 0; 0: none */
};

extern __attribute__((
    visibility("default"))) struct tprof_directory tprof_directory;

/* Its (mappings) are at (maps). */
void tprof_directory_mappings(const struct tprof_mapping *maps);

#endif

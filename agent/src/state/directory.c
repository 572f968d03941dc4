/* SPDX-License-Identifier: BSD-2-Clause */
#include "state/directory.h"

/* Only this file names tprof_directory. The kernel sees the symbol, so clang
 * would reach it from another file through a GOT, which a kernel need not have
 * (hidden.h). */
struct tprof_directory tprof_directory;

void tprof_directory_add_core(const struct tprof_cpu *cpu, uint64_t physical)
{
    const struct tprof_recorder *r = &cpu->recorder;

    tprof_directory.core[cpu->index] = (struct tprof_directory_core){
        .counts = (uintptr_t)&r->counts,
        .ring = (uintptr_t)&r->ring,
        .words = (uintptr_t)r->ring.words,
        .slots = (uintptr_t)r->stacks.slots,
        .physical = physical,
    };
}

uint64_t tprof_directory_publish(const struct tprof_agent *a)
{
    struct tprof_directory *d = &tprof_directory;

    d->version = TPROF_DIRECTORY_VERSION;
    d->cores = a->config.cpus;
    d->ring_words = a->config.ring_bytes / 8;
    d->dict_slots = a->config.dict_slots;
    d->magic = TPROF_DIRECTORY_MAGIC;
    return (uintptr_t)d;
}

void tprof_directory_retract(void)
{
    tprof_directory.magic = 0;
    tprof_directory.cores = 0;
    tprof_directory.mappings = 0;
}

void tprof_directory_set_mappings(const struct tprof_mapping *maps)
{
    tprof_directory.mappings = (uintptr_t)maps;
}

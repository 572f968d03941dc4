/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the registers of a dead guest's cores from the notes of an ELF core or
 * of a compressed dump. Each note of type PRSTATUS belongs to one core. QEMU's
 * dump-guest-memory adds a second note with the control registers of the core.
 * The notes are hostile.
 */
#ifndef TPROF_DUMP_CORE_REGISTERS_H
#define TPROF_DUMP_CORE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "dump/dump_memory.h"

struct dump_registers {
    uint64_t general[16]; /* indexed by DWARF register number */
    uint64_t pc, flags;
    uint16_t cs;
    bool has_control; /* the members below are known */
    bool is_wide;     /* the core ran 64-bit code */
    uint64_t cr0, cr3, cr4;
};

/* Fill (list), which has room for (max) cores, from the notes of (m). Returns
 * the number of cores; 0 if the file has no registers. */
uint32_t dump_registers_read(struct dump_memory *m, struct dump_registers *list,
                             uint32_t max);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a dead guest's cores had in their registers: the notes of an ELF core
 * or of a compressed dump. A note of type PRSTATUS is a core; QEMU's
 * dump-guest-memory adds one of its own for each, with the control registers.
 * The notes are hostile.
 */
#ifndef TPROF_DUMP_CORE_REGISTERS_H
#define TPROF_DUMP_CORE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "dump/dump_memory.h"

struct dump_registers {
    uint64_t general[16]; /* by their numbers in DWARF */
    uint64_t pc, flags;
    uint16_t cs;
    bool has_control; /* what follows is known */
    bool is_wide;     /* the core ran 64-bit code */
    uint64_t cr0, cr3, cr4;
};

/* Fill (list), which has room for (max) cores, from the notes of (m). Returns
 * for how many there were registers; 0: none are in the file. */
uint32_t dump_registers_read(struct dump_memory *m, struct dump_registers *list,
                             uint32_t max);

#endif

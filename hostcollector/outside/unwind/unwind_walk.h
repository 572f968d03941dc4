/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk from frame to frame, for unwinder.c, and the ways to find a caller:
 * by_tables.c and orc.c. */
#ifndef TPROF_OUTSIDE_UNWIND_UNWIND_WALK_H
#define TPROF_OUTSIDE_UNWIND_UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/unwind/code_rows.h"
#include "outside/unwind/expression.h"
#include "outside/unwind/unwinder.h"
#include "util/cpu/cpu.h"

struct cfi;
struct orc;

#define WORD 8u

struct place {
    const struct image *image;
    uint64_t slide;
    struct cfi *cfi;
    struct orc *orc;
    struct code_rows *code;
};

struct unwinder {
    const struct cpu *cpu; /* of all images */
    struct place *places;
    size_t count;
};

/* The current frame of a walk. */
struct walk {
    const struct cpu *cpu;
    const struct guest_memory *memory;
    struct unwind_registers r; /* the PC and SP are always known */
    /* The PC is the address of the next instruction. Otherwise it is a return
     * address, and the call before it is the relevant instruction. */
    bool is_exact;
    bool is_waiting; /* the PC's function has not run yet: */
    bool is_root;    /* a thread will end in that function */
    const struct place *in;
    uint64_t address; /* of a byte of the relevant instruction */
    bool has_code;
    struct code_row code;
};

/* The caller's registers, and facts about them. */
struct caller {
    struct unwind_registers r;
    bool is_exact;
    /* The function has not run yet, and its caller is not known. */
    bool is_waiting;
};

/* Result of a step. UNWIND_FULL means that the walk goes on. */
typedef enum unwind_end outcome;

static inline void set(struct unwind_registers *r, unsigned i, uint64_t value)
{
    r->value[i] = value;
    r->known |= (uint64_t)1 << i;
}

struct cfi_row;

/* Find the caller of the frame at (w), by (row), and store it in (*out).
 * Returns UNWIND_FULL; UNWIND_WHOLE if there is no caller; otherwise the reason
 * why the caller is not known. */
outcome by_tables(const struct walk *w, const struct cfi_row *row,
                  struct caller *out);

/* orc.c: Linux's own unwind tables, ORC. .orc_unwind_ip has addresses,
 * .orc_unwind the rules from each address on. Most kernels have no other tables
 * and no frame pointers. All addresses are link-time ones. The tables are not
 * trusted. */

/* The tables of (img), which must outlive the result. If the image has none,
 * nothing is found. NULL if there is no memory. */
struct orc *orc_new(const struct image *img);

/* Release (o). NULL is allowed. */
void orc_free(struct orc *o);

/* An entry of the table. */
struct orc_row {
    int16_t sp_offset, bp_offset;
    uint8_t sp_register, bp_register; /* enum orc_register */
    uint8_t type;                     /* enum orc_type */
};

/* The entry for the instruction that contains the byte at (address). Returns
 * false if there is none. */
bool orc_find(const struct orc *o, uint64_t address, struct orc_row *out);

/* Do the tables say that stacks end at (address)? */
bool orc_ends(const struct orc *o, uint64_t address);

/* Find the caller of the frame at (w), by (row), and store it in (*out).
 * Returns UNWIND_FULL; UNWIND_WHOLE if the kernel has no further caller;
 * otherwise the reason why the caller is not known. */
outcome orc_caller(const struct walk *w, const struct orc_row *row,
                   struct caller *out);

#endif

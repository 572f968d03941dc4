/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk from frame to frame, for unwinder.c, by_tables.c and orc.c. */
#ifndef TPROF_OUTSIDE_UNWIND_UNWIND_WALK_H
#define TPROF_OUTSIDE_UNWIND_UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/unwind/code_rows.h"
#include "outside/unwind/unwinder.h"

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
    struct place *places;
    size_t count;
};

/* The current frame of a walk. */
struct walk {
    const struct unwind_memory *memory;
    struct unwind_registers r; /* the PC and RSP are always known */
    /* The PC is the address of the next instruction. Otherwise it is a return
     * address, and the call before it is the relevant instruction. */
    bool is_exact;
    bool is_waiting; /* the PC's function has not run yet, */
    bool is_root;    /* and a thread will end in it */
    const struct place *in;
    uint64_t address; /* of a byte of the relevant instruction */
    bool has_code;
    struct code_row code;
};

/* The caller's registers, and facts about them. */
struct caller {
    struct unwind_registers r;
    bool is_exact;
    /* The function has not run yet, and its own caller is not known. */
    bool is_waiting;
};

/* UNWIND_FULL means that the walk goes on. */
typedef enum unwind_end outcome;

static inline void set(struct unwind_registers *r, unsigned i, uint64_t value)
{
    r->value[i] = value;
    r->known |= 1u << i;
}

struct cfi_row;

/* Write the caller of the frame at (w), by (row), to (*out). Returns
 * UNWIND_FULL; UNWIND_WHOLE if there is none; otherwise the reason why it is
 * not known. */
outcome by_tables(const struct walk *w, const struct cfi_row *row,
                  struct caller *out);

#endif

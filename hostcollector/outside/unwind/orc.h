/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux's own unwind tables, ORC. .orc_unwind_ip has addresses, .orc_unwind the
 * rules from each address on. Most kernels have no other tables and no frame
 * pointers. All addresses are link-time ones. The tables are not trusted.
 */
#ifndef TPROF_OUTSIDE_UNWIND_ORC_H
#define TPROF_OUTSIDE_UNWIND_ORC_H

#include <stdbool.h>
#include <stdint.h>

#include "outside/unwind/unwind_walk.h"

struct orc;

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

/* Write the caller of the frame at (w), by (row), to (*out). Returns
 * UNWIND_FULL; UNWIND_WHOLE if there is none in the kernel; otherwise the
 * reason why it is not known. */
outcome orc_caller(const struct walk *w, const struct orc_row *row,
                   struct caller *out);

#endif

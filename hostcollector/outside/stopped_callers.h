/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers that unwind tables have found, laid out as a stack with frame
 * pointers: an agent that walks along those finds just these callers.
 */
#ifndef TPROF_OUTSIDE_STOPPED_CALLERS_H
#define TPROF_OUTSIDE_STOPPED_CALLERS_H

#include <stdint.h>

#include "image/file/image.h"
#include "outside/guest.h"
#include "outside/outside_memory.h"
#include "outside/sampler.h"

/* Where that stack seems to lie: no guest has memory there, since x86-64 has no
 * such address. */
#define OUTSIDE_CALLERS_SP ((uint64_t)1 << 56)
#define OUTSIDE_CALLERS_FP (OUTSIDE_CALLERS_SP + 64)

struct outside_callers;

/* For code of (img), which is (slide) further in memory than it was linked, and
 * must outlive it. NULL if there is no memory. */
struct outside_callers *outside_callers_new(const struct image *img,
                                            uint64_t slide,
                                            enum outside_unwind how);
void outside_callers_free(struct outside_callers *c);

/* Find the callers of a core that stands still with (r). */
void outside_callers_find(struct outside_callers *c,
                          const struct outside_registers *r,
                          struct outside_memory *m);

/* The word at (address) of that stack; 0 where it has none. */
uint64_t outside_callers_word(const struct outside_callers *c,
                              uint64_t address);

#endif

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
#define STOPPED_CALLERS_SP ((uint64_t)1 << 56)
#define STOPPED_CALLERS_FP (STOPPED_CALLERS_SP + 64)

struct stopped_callers;

/* For code of (img), which is (slide) further in memory than it was linked, and
 * must outlive it. NULL if there is no memory. */
struct stopped_callers *stopped_callers_new(const struct image *img,
                                            uint64_t slide,
                                            enum outside_unwind how);
void stopped_callers_free(struct stopped_callers *c);

/* Find the callers of a core that stands still with (r). */
void stopped_callers_find(struct stopped_callers *c,
                          const struct outside_registers *r,
                          struct outside_memory *m);

/* The word at (address) of that stack; 0 where it has none. */
uint64_t stopped_callers_word(const struct stopped_callers *c,
                              uint64_t address);

#endif

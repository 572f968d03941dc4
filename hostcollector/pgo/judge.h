/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuses profiles that would mislead a compiler. Part of pgo. */
#ifndef TPROF_PGO_JUDGE_H
#define TPROF_PGO_JUDGE_H

#include <stddef.h>

#include "image/dwarf/dwarf.h"
#include "model/profile.h"
#include "pgo/bodies.h"
#include "pgo/hits.h"
#include "util/err.h"

/* Was the code that (h) hit compiled for a sample profile, by LLVM? Call it
 * after dwarf_resolve() of (d). Returns 0; -1 with (e) saying what to type. */
int judge_units(const struct dwarf *d, const struct hits *h, struct err *e);

/* Are (samples) enough in total? Returns 0; -1 with (e) saying how long to
 * sample. */
int judge_total(const struct profile *p, uint64_t samples, struct err *e);

/* Do the functions that matter have enough samples? Returns 0; -1 with (e)
 * saying how long to sample. */
int judge_samples(const struct profile *p, const struct bodies *b,
                  struct err *e);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile for an optimizer of linked programs: samples by symbol and
 * offset. Part of pgo. */
#ifndef TPROF_PGO_PGO_ADDRESSES_H
#define TPROF_PGO_PGO_ADDRESSES_H

#include "image/names/names.h"
#include "model/sample_profile.h"
#include "pgo/hits.h"
#include "util/arena.h"

struct image;

/* Copy the hits of (h) that are in functions of (image) to (out), sorted.
 * Memory comes from (arena) and (names). Returns 0; -1 if there is no
 * memory. */
int pgo_addresses_finish(struct sample_profile *out, struct arena *arena,
                         struct names *names, const struct hits *h,
                         const struct image *image);

#endif

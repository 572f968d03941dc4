/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the profile that a compiler reads about the kernel. Joins the addresses
 * that samples hit with the image's DWARF, and refuses profiles that would
 * mislead the compiler. */
#ifndef TPROF_PGO_PGO_H
#define TPROF_PGO_PGO_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/sample_profile.h"
#include "model/view.h"
#include "util/err.h"

struct image;

struct pgo_job {
    const struct profile *profile;
    const struct view *view; /* of (profile) */
    struct image *image;     /* the kernel's image; NULL: unknown */
    bool by_address; /* by address, for an optimizer of linked programs */
    uint64_t memory; /* limit of the result in bytes; 0: no limit */
};

/*
 * Create the profile of the kernel's own code. Release it with
 * sample_profile_free().
 * Returns NULL and fills (e) if there is no image, no memory, or too few
 * samples, or if the image was not compiled by LLVM for a sample profile.
 * Profiles by address do not need LLVM.
 */
struct sample_profile *pgo_profile(const struct pgo_job *job, struct err *e);

/* Release (s). NULL is allowed. */
void sample_profile_free(struct sample_profile *s);

#endif

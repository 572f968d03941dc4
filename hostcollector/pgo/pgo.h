/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profile + view + image -> what a compiler is told about the kernel. Joins the
 * addresses that samples hit with the image's DWARF, and refuses what would
 * mislead the compiler.
 */
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
    struct image *image;     /* the kernel's; NULL: not known */
    bool by_address;         /* for an optimizer of what is linked */
    uint64_t memory;         /* bytes that the result may take; 0: no limit */
};

/*
 * The profile of the kernel's own code, which lives until
 * sample_profile_free(). NULL with (e) filled: there is no image, it was not
 * compiled for this by LLVM (which does not matter by address), there are too
 * few samples, or no memory.
 */
struct sample_profile *pgo_profile(const struct pgo_job *job, struct err *e);

/* Release (s). NULL is allowed. */
void sample_profile_free(struct sample_profile *s);

#endif

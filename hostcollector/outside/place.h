/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds an image in the memory of a stopped guest, by its build-id or its code.
 */
#ifndef TPROF_OUTSIDE_PLACE_H
#define TPROF_OUTSIDE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/file/image.h"
#include "outside/outside_guest.h"
#include "util/err.h"

/* The place of the kernel's code in the guest. */
struct outside_place {
    uint64_t slide;                 /* run-time minus link-time addresses */
    uint64_t text_start, text_size; /* run-time addresses */
    uint64_t segment; /* link-time address of the segment that was compared */
};

/* The closest match that a search found. All zero: nothing similar. */
struct outside_near {
    uint64_t slide;
    uint64_t segment; /* link-time address of the segment that was compared */
    unsigned percent; /* agreement of its code with memory */
    bool other_build; /* memory has another build-id at the image's place */
};

enum outside_found {
    OUTSIDE_FAILED = -1, /* error: (e) is filled */
    OUTSIDE_NOT_YET,     /* no core runs 64-bit code yet */
    OUTSIDE_OTHER,       /* the cores run other code than the image's */
    OUTSIDE_FOUND,
};

/* Find (img) in the stopped guest (g). The search starts from the code that a
 * core runs, then from code that addresses on its stack point to, then from the
 * link-time address. Only the executable segment with that code is compared: a
 * kernel may unmap other segments. (near) is filled if the result is
 * OUTSIDE_OTHER. */
enum outside_found outside_place_find(struct outside_guest *g,
                                      const struct image *img,
                                      struct outside_place *p,
                                      struct outside_near *near, struct err *e);

/* Is (img) still at (p), where outside_place_find() has found it in the stopped
 * guest (g)? Returns 1; 0: the guest has rebooted, or a core runs (img) at
 * another address; -1 with (e) filled. */
int outside_place_stays(struct outside_guest *g, const struct image *img,
                        const struct outside_place *p, struct err *e);

#endif

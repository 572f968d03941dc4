/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an image lies in a guest that stands still: its build-id, or its code,
 * is compared with what is in memory. */
#ifndef TPROF_OUTSIDE_PLACE_H
#define TPROF_OUTSIDE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "image/file/image.h"
#include "outside/guest.h"
#include "util/err.h"

/* The kernel's code in the guest. */
struct outside_place {
    uint64_t slide;                 /* run-time less link-time addresses */
    uint64_t text_start, text_size; /* run-time */
    uint64_t segment; /* link-time address of the one that was compared */
};

/* The nearest that a search came to the image. All zero: nothing is like it. */
struct outside_near {
    uint64_t slide;
    uint64_t segment; /* link-time address of the one that was compared */
    unsigned percent; /* of its code that stands in memory */
    bool other_build; /* memory has another build-id where the image's is */
};

enum outside_found {
    OUTSIDE_FAILED = -1, /* (e) is filled */
    OUTSIDE_NOT_YET,     /* no core runs 64-bit code */
    OUTSIDE_OTHER,       /* what the cores run is not in the image */
    OUTSIDE_FOUND,
};

/* Find (img) in (g), which stands still: by the code that a core runs, or that
 * addresses on its stack lead to, or else where it was linked to. The
 * executable segment with that code decides, not the others, which a kernel may
 * unmap. With OUTSIDE_OTHER (near) is filled. */
enum outside_found outside_place_find(struct outside_guest *g,
                                      const struct image *img,
                                      struct outside_place *p,
                                      struct outside_near *near, struct err *e);

/* Is (img) in (g), which stands still, where outside_place_find() has found it
 * (p), and does no core run it elsewhere? Returns 1; 0: the guest has rebooted;
 * -1 with (e) filled. */
int outside_place_stays(struct outside_guest *g, const struct image *img,
                        const struct outside_place *p, struct err *e);

#endif

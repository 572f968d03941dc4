/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares an image's code with the memory of a stopped guest. Kernels patch
 * their code, and change addresses in it when they move. So many bytes are
 * compared, and not all of them must agree.
 */
#ifndef TPROF_OUTSIDE_LIKENESS_H
#define TPROF_OUTSIDE_LIKENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "image/file/image.h"
#include "outside/outside_guest.h"
#include "util/err.h"

/* Memory as a stopped core sees it. */
struct likeness_view {
    struct outside_guest *guest;
    uint32_t core;
    struct outside_registers registers; /* of the core */
};

/* Bytes of code that were compared. */
struct likeness {
    uint64_t same, all;
};

/*
 * Compare the code in segment (t) of (img) with memory at its address plus
 * (slide), at up to 32 places of 4 KiB. Only bytes are compared that the file's
 * sections call code. Memory that cannot be read counts as different. Returns
 * 0; -1 with (e) filled.
 */
int likeness_compare(const struct likeness_view *v, const struct image *img,
                     const struct image_text *t, uint64_t slide,
                     struct likeness *out, struct err *e);

/* Do at least seven of eight bytes in (l) agree? Then the guest runs the image.
 */
bool likeness_is_enough(const struct likeness *l);

/*
 * Find how far (img) was moved, from the code around the run-time address
 * (address). Images are moved by whole pages. Returns 1 with (*slide) set if
 * exactly one place in the image has similar code; 0 if none or several have;
 * -1 with (e) filled.
 */
int likeness_find(const struct likeness_view *v, const struct image *img,
                  uint64_t address, uint64_t *slide, struct err *e);

/* Read up to (size) bytes at (address). Returns the number of bytes read; -1
 * with (e) filled. */
long likeness_read(const struct likeness_view *v, uint64_t address, void *to,
                   size_t size, struct err *e);

#endif

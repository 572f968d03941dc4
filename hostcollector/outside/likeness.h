/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of an image's code stands in the memory of a guest that stands
 * still. Kernels patch their code, and change addresses in it when they move:
 * many bytes decide, and not each of them must agree.
 */
#ifndef TPROF_OUTSIDE_LIKENESS_H
#define TPROF_OUTSIDE_LIKENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "image/file/image.h"
#include "outside/guest.h"
#include "util/err.h"

/* Memory, as a core sees it that stands still. */
struct likeness_view {
    struct outside_guest *guest;
    uint32_t core;
    struct outside_registers registers; /* the core's */
};

/* Bytes of code that were compared. */
struct likeness {
    uint64_t same, all;
};

/*
 * Compare the code in segment (t) of (img) with memory, (slide) further: 4 KiB
 * at 32 places at most. Only what the file's sections call code is compared.
 * Memory that cannot be read differs. Returns 0; -1 with (e) filled.
 */
int likeness_compare(const struct likeness_view *v, const struct image *img,
                     const struct image_text *t, uint64_t slide,
                     struct likeness *out, struct err *e);

/* Is (l) enough to say that the guest runs the image? Seven of eight bytes. */
bool likeness_is_enough(const struct likeness *l);

/*
 * Find how far (img) was moved, by the code around the run-time address
 * (address): the one place in the image with code that is like it. Images are
 * moved by whole pages. Returns 1 with (*slide) set; 0: there is no such place,
 * or more than one; -1 with (e) filled.
 */
int likeness_find(const struct likeness_view *v, const struct image *img,
                  uint64_t address, uint64_t *slide, struct err *e);

/* Read up to (size) bytes at (address). Returns how many; -1 with (e) filled.
 */
long likeness_read(const struct likeness_view *v, uint64_t address, void *to,
                   size_t size, struct err *e);

#endif

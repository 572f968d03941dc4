/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds return addresses that no call pushed. A kernel writes such an address
 * to the stack of a new thread, as the place where the thread ends. The entry
 * of an interrupt pushes such an address, too.
 */
#ifndef TPROF_IMAGE_CODE_UNCALLED_H
#define TPROF_IMAGE_CODE_UNCALLED_H

#include <stdint.h>

struct image;
struct image_function;

/* Returns the function whose first byte is at (address) of the image, if
 * neither a function nor a call is directly before that byte. Returns NULL
 * otherwise. */
const struct image_function *uncalled_function(const struct image *img,
                                               uint64_t address);

#endif

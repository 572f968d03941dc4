/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Return addresses that no call has left on the stack: a kernel has laid them
 * there for a new thread to end in, or an interrupt's entry has pushed them.
 */
#ifndef TPROF_IMAGE_CODE_UNCALLED_H
#define TPROF_IMAGE_CODE_UNCALLED_H

#include <stdint.h>

struct image;
struct image_function;

/* The function whose first byte is at (address) of the image, if no function
 * and no call is before that byte; NULL otherwise. */
const struct image_function *uncalled_function(const struct image *img,
                                               uint64_t address);

#endif

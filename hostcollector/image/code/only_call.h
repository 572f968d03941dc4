/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds functions that are entered by one call instruction only, in the whole
 * image. No jump leads to such a function, no code falls into it, and its
 * address is stored nowhere. So its caller is known even without a stack.
 */
#ifndef TPROF_IMAGE_CODE_ONLY_CALL_H
#define TPROF_IMAGE_CODE_ONLY_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct only_calls;
struct image;

/* Read all loaded bytes of (img) once. Returns NULL if there is no memory. */
struct only_calls *only_calls_new(const struct image *img);

/* Release (c). NULL is allowed. */
void only_calls_free(struct only_calls *c);

/* Returns the return address of the only call to the function that holds
 * link-time address (address). Returns 0 if there is no call, or if there may
 * be others. */
uint64_t only_call_return(const struct only_calls *c, uint64_t address);

/* Is the address of the function that holds (address) stored in the image? If
 * so, the function may be called through a pointer. */
bool only_call_stored(const struct only_calls *c, uint64_t address);

/* Does a call instruction call the function that holds (address)? */
bool only_call_any(const struct only_calls *c, uint64_t address);

#endif

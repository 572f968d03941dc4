/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which function of an image is called from one place only, and entered in no
 * other way: not by a jump, not by falling into it, not through its address,
 * which stands nowhere. Its caller is known without a look at any stack.
 */
#ifndef TPROF_CODE_ONLY_CALL_H
#define TPROF_CODE_ONLY_CALL_H

#include <stdint.h>

struct only_calls;
struct image;

/* Reads all that (img) loads, once. NULL if there is no memory. */
struct only_calls *only_calls_new(const struct image *img);

/* Release (c). NULL is allowed. */
void only_calls_free(struct only_calls *c);

/* The return address of the only call of the function that holds (address), at
 * link time; 0 if there is no such call or others may exist. */
uint64_t only_call_return(const struct only_calls *c, uint64_t address);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a stack begin with a function, although a word that is not 0 lies where
 * its return address would be? That is so of threads that are begun by a jump
 * or a return: above their stacks is whatever lay there before. */
#ifndef TPROF_OUTSIDE_UNWIND_OUTERMOST_H
#define TPROF_OUTSIDE_UNWIND_OUTERMOST_H

#include <stdbool.h>
#include <stdint.h>

#include "outside/unwind/expression.h"

struct code_rows;

/*
 * Has nobody called the function at (function), a link-time address of (code)'s
 * image? (back) is that word, which is in no image. It may still be a return
 * address, into code that was loaded later. So nobody has called the function
 * only if no call in the image does, and if no call ends in (memory) at (back).
 */
bool outermost_is(struct code_rows *code, uint64_t function,
                  const struct unwind_memory *memory, uint64_t back);

/* Does a call end at (back) in (memory)? No, if nothing can be read there. A
 * kernel may have patched the call into its code. */
bool outermost_is_behind_call(const struct unwind_memory *memory,
                              uint64_t back);

#endif

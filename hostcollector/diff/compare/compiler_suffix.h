/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of the function that a compiler made a part or a clone of. */
#ifndef TPROF_DIFF_COMPARE_COMPILER_SUFFIX_H
#define TPROF_DIFF_COMPARE_COMPILER_SUFFIX_H

#include "util/arena.h"

/* (name) without what compilers add: "f [app]" of "f.isra.0.part.1 [app]", and
 * "f(int)" of "f(int) [clone .cold]". A copy in (arena); NULL if there is no
 * memory. */
const char *without_compiler_suffix(struct arena *arena, const char *name);

#endif

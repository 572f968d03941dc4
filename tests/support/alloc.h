/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets one allocation of the code under test fail; link LIBS tprof_alloc.
 *
 *     for (unsigned n = 1;; n++) {
 *         alloc_fail_at(n);
 *         int r = thing_open(&t, &err);
 *         if (!alloc_failed())
 *             break; // none left that has not failed once: (r) is success
 *         CHECK_EQ(r, -1);
 *     }
 *
 * Covers malloc, calloc, realloc, reallocarray and strdup called from objects
 * that are linked statically; not what shared libraries allocate.
 */
#ifndef TPROF_ALLOC_H
#define TPROF_ALLOC_H

#include <stdbool.h>

/* The (n)th allocation from now on fails, whichever thread makes it. 0: none
 * fails. */
void alloc_fail_at(unsigned n);

/* Was there an (n)th allocation, so that it failed? Afterwards all allocations
 * succeed again. */
bool alloc_failed(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of core numbers for remarks, as "0, 2-3". */
#ifndef TPROF_DIAGNOSE_CORE_LIST_H
#define TPROF_DIAGNOSE_CORE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"

/* Bytes of a list. A longer list ends in "...". */
#define CORE_LIST_SIZE 160

typedef bool (*core_test)(const struct profile_core *core);

/* Append the cores (first) to (last) as "3" or "3-5" to (list), which has
 * CORE_LIST_SIZE bytes. */
void core_list_span(char *list, size_t first, size_t last);

/* Write the cores for which (test) is true into (list), of CORE_LIST_SIZE
 * bytes. Returns the number of these cores. */
size_t core_list_find(const struct profile *p, core_test test, char *list);

/* Same as core_list_find(), with a test that also looks at (context). */
typedef bool (*core_test_of)(const struct profile_core *core,
                             const void *context);
size_t core_list_find_of(const struct profile *p, core_test_of test,
                         const void *context, char *list);

/* Is (test) true for any core? */
bool core_list_any(const struct profile *p, core_test test);

/* A core_test: did any sample of (core) arrive? */
bool core_delivered(const struct profile_core *core);

#endif

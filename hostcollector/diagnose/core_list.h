/* SPDX-License-Identifier: BSD-2-Clause */
/* Which cores something is true of, as "0, 2-3": for remarks. */
#ifndef TPROF_DIAGNOSE_CORE_LIST_H
#define TPROF_DIAGNOSE_CORE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"

/* Bytes of a list. One that would be longer ends in "...". */
#define CORE_LIST_SIZE 160

typedef bool (*core_test)(const struct profile_core *core);

/* Append (first) to (last) as "3" or "3-5" to (list), which has
 * CORE_LIST_SIZE bytes. */
void core_list_span(char *list, size_t first, size_t last);

/* The cores that (test) finds in (list), CORE_LIST_SIZE bytes; how many. */
size_t core_list_find(const struct profile *p, core_test test, char *list);

/* The same for a test that also looks at (context). */
typedef bool (*core_test_of)(const struct profile_core *core,
                             const void *context);
size_t core_list_find_of(const struct profile *p, core_test_of test,
                         const void *context, char *list);

/* Does (test) find a core? */
bool core_list_any(const struct profile *p, core_test test);

/* A core_test: has a sample of (core) come? */
bool core_delivered(const struct profile_core *core);

#endif

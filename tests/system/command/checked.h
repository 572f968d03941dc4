/* SPDX-License-Identifier: BSD-2-Clause */
/* What `collector check` says, for tests to look at. */
#ifndef CHECKED_H
#define CHECKED_H

#include <stdbool.h>

/* The output of `collector check (words)`, both streams, as one line that ends
 * with the exit status. The caller frees it. */
char *check(const char *words);

/* Fail unless (what) is in (text), or unless it is not, as it (should). */
void says(const char *text, const char *what, bool should);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What quick.c does for other files. */
#ifndef TPROF_FUZZ_QUICK_H
#define TPROF_FUZZ_QUICK_H

#include <stdbool.h>
#include <stddef.h>

/* Tell the address sanitizer, if there is one, whether (use) of the (size)
 * bytes at (at) is allowed. */
void quick_allow(const void *at, size_t size, bool use);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Unikraft, lib/ukalloc: what agent/porting/unikraft.md uses of it. */
#ifndef UK_ALLOC_H
#define UK_ALLOC_H

#include <stddef.h>

struct uk_alloc;

struct uk_alloc *uk_alloc_get_default(void);
void *uk_memalign(struct uk_alloc *a, size_t align, size_t size);

#endif

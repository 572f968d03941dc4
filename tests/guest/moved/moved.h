/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel tells of where it lies; pie.c, higher.c. */
#ifndef MOVED_H
#define MOVED_H

#include <stddef.h>
#include <stdint.h>

/* config.physical */
uint64_t moved_physical(void *context, const void *address);

/* config.map */
void *(*moved_map(void))(void *, uint64_t, size_t);

#endif

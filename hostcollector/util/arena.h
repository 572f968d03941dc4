/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is released all at once. */
#ifndef TPROF_UTIL_ARENA_H
#define TPROF_UTIL_ARENA_H

#include <stddef.h>

struct arena_block;

/* All zero is an empty arena. */
struct arena {
    struct arena_block *blocks; /* the newest block first */
    size_t used, size;          /* of the newest block */
    size_t bytes;               /* of all blocks */
};

/* Allocate (size) zeroed bytes, aligned for any object. NULL if there is no
 * memory. */
void *arena_alloc(struct arena *a, size_t size);

/* Copy the (len) bytes at (text) and append a NUL. NULL if there is no memory.
 */
char *arena_strndup(struct arena *a, const char *text, size_t len);

/* Bytes of memory in (a). */
static inline size_t arena_bytes(const struct arena *a)
{
    return a->bytes;
}

/* Release everything. The arena is empty then and may be used again. */
void arena_fini(struct arena *a);

#endif

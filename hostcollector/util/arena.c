/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is released all at once. */
#include "util/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of blocks: each block is twice as large as the previous one, up to
 * BLOCK_MAX. */
#define BLOCK_MIN 4096u
#define BLOCK_MAX 65536u
#define ALIGN     _Alignof(max_align_t)

struct arena_block {
    struct arena_block *next;
    _Alignas(max_align_t) char bytes[];
};

static int add_block(struct arena *a, size_t size)
{
    size_t room = a->size < BLOCK_MIN / 2   ? BLOCK_MIN
                  : a->size < BLOCK_MAX / 2 ? 2 * a->size
                                            : BLOCK_MAX;
    struct arena_block *b;

    if (size < room)
        size = room;
    b = calloc(1, sizeof *b + size);
    if (b == NULL)
        return -1;
    b->next = a->blocks;
    a->blocks = b;
    a->used = 0;
    a->size = size;
    a->bytes += sizeof *b + size;
    return 0;
}

void *arena_alloc(struct arena *a, size_t size)
{
    void *p;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if ((a->blocks == NULL || size > a->size - a->used) &&
        add_block(a, size) != 0)
        return NULL;
    p = a->blocks->bytes + a->used;
    a->used += size;
    return p;
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
    char *copy = arena_alloc(a, len + 1);

    if (copy != NULL)
        memcpy(copy, text, len);
    return copy;
}

void arena_fini(struct arena *a)
{
    while (a->blocks != NULL) {
        struct arena_block *next = a->blocks->next;

        free(a->blocks);
        a->blocks = next;
    }
    *a = (struct arena){0};
}

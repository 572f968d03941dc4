/* SPDX-License-Identifier: BSD-2-Clause */
/* Has a target make no system call for memory or chance, by the linker's
 * --wrap of malloc, calloc, realloc, free and getrandom; and the same input
 * give the same run.
 */
#include "quick.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

ssize_t __wrap_getrandom(void *buf, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *buf, size_t size, unsigned flags)
{
    (void)flags;
    memset(buf, 'r', size);
    return (ssize_t)size;
}

/*
 * Blocks that are too large for the sanitizer's cache, as those of many cores
 * are, would be mapped and unmapped each time. Some are kept; a sanitizer knows
 * where each ends, and that it is not used between two runs.
 */
#define BLOCK_MIN (64u * 1024)
#define BLOCK_MAX (4u << 20)
#define BLOCKS    24u

static struct {
    uint8_t *bytes;
    size_t size, room;
    bool used;
} blocks[BLOCKS];

void __asan_poison_memory_region(void const volatile *at, size_t size)
    __attribute__((weak));
void __asan_unpoison_memory_region(void const volatile *at, size_t size)
    __attribute__((weak));

void quick_allow(const void *at, size_t size, bool use)
{
    if (use && __asan_unpoison_memory_region != NULL)
        __asan_unpoison_memory_region(at, size);
    if (!use && __asan_poison_memory_region != NULL)
        __asan_poison_memory_region(at, size);
}

static unsigned block_of(const void *bytes)
{
    unsigned i = 0;

    while (i < BLOCKS && !(blocks[i].used && blocks[i].bytes == bytes))
        i++;
    return i;
}

void *__real_calloc(size_t n, size_t size);

/* NULL: there is none for so many bytes. */
static void *take_block(size_t size)
{
    size_t room = BLOCK_MIN;

    if (size < BLOCK_MIN || size > BLOCK_MAX)
        return NULL;
    while (room < size)
        room *= 2;
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (blocks[i].used || (blocks[i].room != 0 && blocks[i].room != room))
            continue;
        if (blocks[i].bytes == NULL) {
            blocks[i].bytes = __real_calloc(1, room);
            if (blocks[i].bytes == NULL)
                return NULL;
            quick_allow(blocks[i].bytes, room, false);
        }
        blocks[i].room = room;
        blocks[i].size = size;
        blocks[i].used = true;
        quick_allow(blocks[i].bytes, size, true);
        return blocks[i].bytes;
    }
    return NULL;
}

void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    size_t all;
    void *bytes = NULL;

    if (!__builtin_mul_overflow(n, size, &all))
        bytes = take_block(all);
    return bytes != NULL ? memset(bytes, 0, all) : __real_calloc(n, size);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    void *bytes = take_block(size);

    return bytes != NULL ? bytes : __real_malloc(size);
}

void __real_free(void *bytes);
void __wrap_free(void *bytes);
void __wrap_free(void *bytes)
{
    unsigned i;

    if (bytes == NULL) /* the sanitizer would take its time, all the same */
        return;
    i = block_of(bytes);
    if (i == BLOCKS) {
        __real_free(bytes);
        return;
    }
    quick_allow(bytes, blocks[i].size, false);
    blocks[i].used = false;
}

void *__real_realloc(void *bytes, size_t size);
void *__wrap_realloc(void *bytes, size_t size);
void *__wrap_realloc(void *bytes, size_t size)
{
    unsigned i = bytes != NULL ? block_of(bytes) : BLOCKS;
    void *moved = take_block(size);
    size_t old;

    if (moved == NULL && i == BLOCKS)
        return __real_realloc(bytes, size);
    if (moved == NULL)
        moved = __real_malloc(size);
    if (moved == NULL || bytes == NULL)
        return moved;
    old = i < BLOCKS ? blocks[i].size : malloc_usable_size(bytes);
    memcpy(moved, bytes, size < old ? size : old);
    __wrap_free(bytes);
    return moved;
}

/* Long call chains, and memory that is long kept from reuse, take most of the
 * time. ASAN_OPTIONS asks for them. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "malloc_context_size=1:quarantine_size_mb=2:"
           "allocator_release_to_os_interval_ms=-1";
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands before the allocator, by the linker's --wrap; see alloc.h. */
#include "alloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);

static atomic_uint left; /* allocations up to the one that fails; 0: done */
static atomic_bool failed;

void alloc_fail_at(unsigned n)
{
    atomic_store(&failed, false);
    atomic_store(&left, n);
}

bool alloc_failed(void)
{
    atomic_store(&left, 0);
    return atomic_load(&failed);
}

static bool fails(void)
{
    unsigned n = atomic_load(&left);

    while (n > 0 && !atomic_compare_exchange_weak(&left, &n, n - 1))
        ;
    if (n != 1)
        return false;
    atomic_store(&failed, true);
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return __wrap_realloc(old, total);
}

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* mem* for the calls that the compiler makes by itself. */
#include "mem.h"

void *memcpy(void *to, const void *from, size_t size)
{
    void *end = to;

    __asm__ volatile("rep movsb"
                     : "+D"(end), "+S"(from), "+c"(size)
                     :
                     : "memory");
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    void *end = to;

    __asm__ volatile("rep stosb"
                     : "+D"(end), "+c"(size)
                     : "a"(byte)
                     : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const uint8_t *p = a;
    const uint8_t *q = b;

    for (size_t i = 0; i < size; i++) {
        if (p[i] != q[i])
            return p[i] - q[i];
    }
    return 0;
}

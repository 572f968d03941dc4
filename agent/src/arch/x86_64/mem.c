/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/arch.h"

/* The compiler calls these functions by itself, for example to copy a struct.
 * The kernel's functions of these names may use vector registers, which no
 * interrupt has saved. These are hidden, so the kernel does not use them. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

void *memcpy(void *to, const void *from, size_t size)
{
    tprof_arch_copy(to, from, size);
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

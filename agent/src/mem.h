/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our own mem*: the kernel's may use vector registers that nobody saved. They
 * are hidden, and so the compiler's own calls to them end here too.
 */
#ifndef TPROF_MEM_H
#define TPROF_MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Inline where they are named, which takes fewer bytes than a call; mem.c has
 * them for calls that the compiler makes by itself. On the host they are
 * libc's, which sanitizers watch.
 */
#if __STDC_HOSTED__
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
#else
#define TPROF_MEM extern inline __attribute__((gnu_inline, always_inline))

/* Small rather than fast: nothing frequent goes through them. */
TPROF_MEM void *memcpy(void *to, const void *from, size_t size)
{
    void *end = to;

    __asm__ volatile("rep movsb"
                     : "+D"(end), "+S"(from), "+c"(size)
                     :
                     : "memory");
    return to;
}

TPROF_MEM void *memset(void *to, int byte, size_t size)
{
    void *end = to;

    __asm__ volatile("rep stosb"
                     : "+D"(end), "+c"(size)
                     : "a"(byte)
                     : "memory");
    return to;
}
#endif
int memcmp(const void *a, const void *b, size_t size);

/* Little-endian values at any address. */
struct tprof_unaligned16 {
    uint16_t value;
} __attribute__((packed, may_alias));
struct tprof_unaligned32 {
    uint32_t value;
} __attribute__((packed, may_alias));
struct tprof_unaligned64 {
    uint64_t value;
} __attribute__((packed, may_alias));

static inline uint64_t tprof_load64(const void *at)
{
    return ((const struct tprof_unaligned64 *)at)->value;
}

static inline uint32_t tprof_load32(const void *at)
{
    return ((const struct tprof_unaligned32 *)at)->value;
}

static inline uint16_t tprof_load16(const void *at)
{
    return ((const struct tprof_unaligned16 *)at)->value;
}

static inline void tprof_store64(void *at, uint64_t value)
{
    ((struct tprof_unaligned64 *)at)->value = value;
}

static inline void tprof_store32(void *at, uint32_t value)
{
    ((struct tprof_unaligned32 *)at)->value = value;
}

static inline void tprof_store16(void *at, uint16_t value)
{
    ((struct tprof_unaligned16 *)at)->value = value;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian integers at any address. The CPU is little-endian. */
#ifndef TPROF_MEM_H
#define TPROF_MEM_H

#include <stdint.h>

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

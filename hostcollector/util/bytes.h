/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian integers at addresses whose bounds the caller has checked.
 * Leaf. */
#ifndef TPROF_UTIL_BYTES_H
#define TPROF_UTIL_BYTES_H

#include <stdint.h>

static inline uint16_t load_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)load_u16(p) | (uint32_t)load_u16(p + 2) << 16;
}

static inline uint64_t load_u64(const uint8_t *p)
{
    return (uint64_t)load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

static inline void store_u16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static inline void store_u32(uint8_t *p, uint32_t value)
{
    store_u16(p, (uint16_t)value);
    store_u16(p + 2, (uint16_t)(value >> 16));
}

static inline void store_u64(uint8_t *p, uint64_t value)
{
    store_u32(p, (uint32_t)value);
    store_u32(p + 4, (uint32_t)(value >> 32));
}

#endif

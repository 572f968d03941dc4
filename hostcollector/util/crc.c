/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C (Castagnoli), by the CPU's instruction if it has one. */
#include "util/crc.h"

#include <string.h>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

/* Remainders for four bits at a time. 16 entries, not 256: they are constants,
 * and speed does not matter on CPUs without the instruction. */
static const uint32_t nibble[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
    0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
    0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

uint32_t crc32c_table(const void *data, size_t size)
{
    const uint8_t *p = data;
    uint32_t crc = ~0u;

    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ nibble[crc & 15];
        crc = crc >> 4 ^ nibble[crc & 15];
    }
    return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(const void *data,
                                                               size_t size)
{
    const uint8_t *p = data;
    uint64_t crc = 0xffffffff;

    for (; size >= 8; size -= 8, p += 8) {
        uint64_t word;

        memcpy(&word, p, sizeof word);
        crc = _mm_crc32_u64(crc, word);
    }
    for (; size > 0; size--, p++)
        crc = _mm_crc32_u8((uint32_t)crc, *p);
    return ~(uint32_t)crc;
}
#endif

uint32_t crc32c(const void *data, size_t size)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2"))
        return crc32c_sse42(data, size);
#endif
    return crc32c_table(data, size);
}

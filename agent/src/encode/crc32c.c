/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C, by the CPU's instruction or by four tables with four bytes a step */
#include "encode/crc32c.h"

#include "arch/arch.h"
#include "base/mem.h"

#define POLYNOMIAL 0x82f63b78u /* 0x1edc6f41, reflected */

void tprof_crc32c_init(struct tprof_crc32c *c, int hardware)
{
    uint32_t *table = c->table;

    c->hardware = hardware;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;

        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        table[i] = crc;
    }
    /* each further table is the previous one with a zero byte appended */
    for (uint32_t i = 256; i < TPROF_CRC32C_TABLES * 256; i++, table++)
        table[256] = *table >> 8 ^ c->table[*table & 0xff];
}

/* Returns the CRC of four bytes. (word) is these bytes xor'ed with the CRC so
 * far. */
TPROF_HOT uint32_t four_bytes_on(const uint32_t *table, uint32_t word)
{
    uint64_t second = word >> 8 & 0xff;

    /* otherwise the compiler adds 512 to this index instead of to the address
     */
    TPROF_ARCH_IN_REGISTER(second);
    return table[768 + (word & 0xff)] ^ table[512 + second] ^
           table[256 + (word >> 16 & 0xff)] ^ table[word >> 24];
}

uint32_t tprof_crc32c_add(const struct tprof_crc32c *c, uint32_t crc,
                          const void *data, size_t size)
{
    const uint8_t *at = data;
    const uint8_t *end = at + size;
    const uint8_t *whole = at + size / 8 * 8;

    if (c->hardware) {
        uint64_t wide = crc;

        for (; at != whole; at += 8)
            wide = tprof_arch_crc32c(wide, tprof_load64(at));
        crc = (uint32_t)wide;
    } else if (at != whole) {
        do {
            crc = four_bytes_on(c->table, tprof_load32(at) ^ crc);
            at += 4;
        } while (at != whole);
    }
    for (; at != end; at++)
        crc = crc >> 8 ^ c->table[(crc ^ *at) & 0xff];
    return crc;
}

uint32_t tprof_crc32c_sum(const struct tprof_crc32c *c, const void *data,
                          size_t size)
{
    return ~tprof_crc32c_add(c, TPROF_CRC32C_FIRST, data, size);
}

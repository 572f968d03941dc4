/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C: the CPU's instruction, else eight bytes a step by eight tables. */
#include "crc32c.h"

#include "mem.h"

#define POLYNOMIAL 0x82f63b78u /* 0x1edc6f41, reflected */

void tprof_crc32c_init(struct tprof_crc32c *c, int hardware)
{
    c->hardware = hardware;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;

        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        c->table[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; i++) {
        for (int t = 1; t < TPROF_CRC32C_TABLES; t++) {
            uint32_t crc = c->table[t - 1][i];

            c->table[t][i] = crc >> 8 ^ c->table[0][crc & 0xff];
        }
    }
}

static uint64_t step_hardware(uint64_t crc, uint64_t data)
{
    __asm__("crc32q %1, %0" : "+r"(crc) : "rm"(data));
    return crc;
}

static uint64_t step_table(const struct tprof_crc32c *c, uint64_t crc,
                           uint64_t data)
{
    data ^= crc;
    return c->table[7][data & 0xff] ^ c->table[6][data >> 8 & 0xff] ^
           c->table[5][data >> 16 & 0xff] ^ c->table[4][data >> 24 & 0xff] ^
           c->table[3][data >> 32 & 0xff] ^ c->table[2][data >> 40 & 0xff] ^
           c->table[1][data >> 48 & 0xff] ^ c->table[0][data >> 56];
}

uint32_t tprof_crc32c(const struct tprof_crc32c *c, const void *data,
                      size_t size)
{
    const uint8_t *at = data;
    uint64_t crc = 0xffffffffu;

    if (c->hardware) {
        for (; size >= 8; size -= 8, at += 8)
            crc = step_hardware(crc, tprof_load64(at));
    } else {
        for (; size >= 8; size -= 8, at += 8)
            crc = step_table(c, crc, tprof_load64(at));
    }
    for (; size > 0; size--, at++)
        crc = crc >> 8 ^ c->table[0][(crc ^ *at) & 0xff];
    return (uint32_t)~crc;
}

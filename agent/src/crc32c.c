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

/* Eight bytes at once; words of four, whose bytes have registers' names. */
static uint32_t step(const struct tprof_crc32c *c, uint32_t low, uint32_t high)
{
    return c->table[7][low & 0xff] ^ c->table[6][low >> 8 & 0xff] ^
           c->table[5][low >> 16 & 0xff] ^ c->table[4][low >> 24] ^
           c->table[3][high & 0xff] ^ c->table[2][high >> 8 & 0xff] ^
           c->table[1][high >> 16 & 0xff] ^ c->table[0][high >> 24];
}

uint32_t tprof_crc32c(const struct tprof_crc32c *c, const void *data,
                      size_t size)
{
    const uint8_t *at = data;
    const uint8_t *end = at + size;
    const uint8_t *whole = at + size / 8 * 8;
    uint64_t crc = 0xffffffffu;

    if (c->hardware) {
        for (; at != whole; at += 8)
            __asm__("crc32q %1, %0" : "+r"(crc) : "r"(tprof_load64(at)));
    } else {
        for (; at != whole; at += 8)
            crc =
                step(c, tprof_load32(at) ^ (uint32_t)crc, tprof_load32(at + 4));
    }
    for (; at != end; at++)
        crc = crc >> 8 ^ c->table[0][(crc ^ *at) & 0xff];
    return (uint32_t)~crc;
}

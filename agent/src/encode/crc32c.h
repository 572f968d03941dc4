/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C (WIRE.md 2). */
#ifndef TPROF_CRC32C_H
#define TPROF_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#define TPROF_CRC32C_TABLES 4

/*
 * Tables, made at start-up: they take 4 KiB of memory instead of 4 KiB of
 * image. (hardware): the CPU has an instruction for the CRC,
 * tprof_arch_crc32c().
 */
struct tprof_crc32c {
    int hardware;
    uint32_t table[TPROF_CRC32C_TABLES * 256];
};

/* Makes (c) ready. */
void tprof_crc32c_init(struct tprof_crc32c *c, int hardware);

/* Returns the CRC of (size) bytes. */
uint32_t tprof_crc32c_sum(const struct tprof_crc32c *c, const void *data,
                          size_t size);

#endif

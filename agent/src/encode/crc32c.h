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

/* Begins with TPROF_CRC32C_FIRST as (crc), and continues with the result for
 * the bytes that follow. The complement of the last result is the CRC. */
uint32_t tprof_crc32c_add(const struct tprof_crc32c *c, uint32_t crc,
                          const void *data, size_t size);
#define TPROF_CRC32C_FIRST UINT32_MAX

/* Returns the CRC of (size) bytes. */
uint32_t tprof_crc32c_sum(const struct tprof_crc32c *c, const void *data,
                          size_t size);

#endif

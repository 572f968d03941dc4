/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C (Castagnoli), by the CPU's instruction if it has one. Leaf. */
#ifndef TPROF_UTIL_CRC_H
#define TPROF_UTIL_CRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the CRC-32C of (size) bytes: polynomial 0x1EDC6F41 reflected, initial
 * value and final xor 0xFFFFFFFF. "123456789" gives 0xE3069283.
 */
uint32_t crc32c(const void *data, size_t size);

/* Like crc32c(), by tables, for tests and for CPUs without the instruction. */
uint32_t crc32c_table(const void *data, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What snappy has compressed, by libsnappy, if the collector was built with
 * that. */
#ifndef TPROF_DUMP_SNAPPY_H
#define TPROF_DUMP_SNAPPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool dump_snappy_is_there(void);

/* Uncompress the (size) bytes at (from) to (to), which has room for (room).
 * Returns how many there are; 0: they are damaged, or more than (room). */
size_t dump_snappy(const uint8_t *from, size_t size, uint8_t *to, size_t room);

#endif

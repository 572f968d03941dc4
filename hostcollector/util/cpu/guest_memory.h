/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a stopped guest, by virtual addresses. The contents are not
 * trusted. */
#ifndef TPROF_UTIL_CPU_GUEST_MEMORY_H
#define TPROF_UTIL_CPU_GUEST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/bytes.h"

struct guest_memory {
    void *context;
    /* Read (size) bytes at (address). Returns the number of bytes before the
     * first unreadable byte. */
    size_t (*read)(void *context, uint64_t address, void *to, size_t size);
};

/* Read (size) bytes, 1 to 8, as a number. Returns false if they cannot be
 * read. */
static inline bool guest_memory_number(const struct guest_memory *memory,
                                       uint64_t address, size_t size,
                                       uint64_t *out)
{
    uint8_t bytes[8] = {0};

    if (size == 0 || size > sizeof bytes ||
        memory->read(memory->context, address, bytes, size) != size)
        return false;
    *out = load_u64(bytes);
    return true;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The services that guest.c offers and host.c calls. */
#ifndef BRIDGE_SERVICES_H
#define BRIDGE_SERVICES_H

#include <stddef.h>
#include <stdint.h>

/* Ports of the guest's. */
enum {
    SERVICES_FIRST = 5001,
    SERVICES_COUNT = SERVICES_FIRST, /* takes all, answers their sum */
    SERVICES_STREAM_OUT,             /* sends SERVICES_STREAM bytes */
    SERVICES_ECHO,
    SERVICES_HALF,   /* says "half", shuts down, takes what comes */
    SERVICES_DEAF,   /* shuts down reading, says "deaf" */
    SERVICES_RUDE,   /* reads a byte and leaves */
    SERVICES_BROKEN, /* answers how many of its streams broke, a u64 */
    SERVICES_LAST = SERVICES_BROKEN,
};

/* Ports of the host's: the guest calls it, nobody is there. */
#define SERVICES_HOST   6000u
#define SERVICES_NOBODY 6001u

#define SERVICES_STREAM 8000000ull /* bytes, a multiple of 50000 */

struct services_sum {
    uint64_t count, sum;
};

/* Byte (i) of every stream. */
static inline uint8_t services_byte(uint64_t i)
{
    return (uint8_t)(i * 0x9e3779b97f4a7c15ull >> 56);
}

static inline void services_fill(uint8_t *bytes, uint64_t from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = services_byte(from + i);
}

/* The order of bytes counts. */
static inline void services_add(struct services_sum *s, const uint8_t *bytes,
                                size_t size)
{
    for (size_t i = 0; i < size; i++)
        s->sum = s->sum * 31 + bytes[i];
    s->count += size;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A split virtqueue (virtio 1.2, section 2.7): add, publish, reap. Knows no
 * bus and no device. One caller at a time; never waits.
 *
 * Each buffer is one descriptor, or a pair, and the caller says which: a
 * descriptor's number is the caller's name for the buffer, so nothing so
 * nothing is allocated and a completion needs no look-up. What the device
 * writes is believed only after a check against this side's own record.
 */
#ifndef TPROF_VIRTQUEUE_H
#define TPROF_VIRTQUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* One word tells what is in flight, and all of it fits one kilobyte. */
#define TPROF_VIRTQUEUE_MAX 32u

/*
 * Memory of one queue, shared with the device: descriptors, available ring,
 * used ring, in the one layout that suits legacy devices too. Its alignment
 * keeps it inside one page.
 */
#define TPROF_VIRTQUEUE_BYTES 1024u
#define TPROF_VIRTQUEUE_ALIGN 64u /* of the used ring */

struct tprof_virtqueue_memory {
    _Alignas(TPROF_VIRTQUEUE_BYTES) uint8_t bytes[TPROF_VIRTQUEUE_BYTES];
};

/* Where in it the rings of a queue of (size) lie; descriptors are at 0. */
static inline uint32_t tprof_virtqueue_avail_offset(uint32_t size)
{
    return 16 * size;
}

static inline uint32_t tprof_virtqueue_used_offset(uint32_t size)
{
    uint32_t end = 16 * size + 6 + 2 * size;

    return (end + TPROF_VIRTQUEUE_ALIGN - 1) & ~(TPROF_VIRTQUEUE_ALIGN - 1);
}

struct tprof_virtqueue {
    uint8_t *memory;
    uint32_t size;      /* power of two */
    uint32_t in_flight; /* bit per descriptor that the device has */
    uint16_t added;     /* descriptors ever added, wrapping */
    uint16_t reaped;    /* descriptors ever taken back, likewise */
};

/*
 * Begin with an empty queue of (size), a power of two up to
 * TPROF_VIRTQUEUE_MAX, in (memory), which must outlive the device's use of
 * it. The device interrupts nobody for it.
 */
void tprof_virtqueue_init(struct tprof_virtqueue *q,
                          struct tprof_virtqueue_memory *memory, uint32_t size);

/* Is descriptor (id) with the device? */
static inline bool tprof_virtqueue_busy(const struct tprof_virtqueue *q,
                                        uint32_t id)
{
    return (q->in_flight >> id & 1) != 0;
}

/* The first descriptor that is not; (size) or more if there is none. */
static inline uint32_t tprof_virtqueue_idle(const struct tprof_virtqueue *q)
{
    return (uint32_t)__builtin_ctzll(~(uint64_t)q->in_flight);
}

/*
 * Put (length) bytes at physical (address) into descriptor (id), which is
 * below (size) and not busy. The device will write them if (writable), else
 * read them; it learns of it by tprof_virtqueue_publish().
 */
void tprof_virtqueue_add(struct tprof_virtqueue *q, uint32_t id,
                         uint64_t address, uint32_t length, bool writable);

/* Bytes at a physical address that the device will read. */
struct tprof_virtqueue_part {
    uint64_t address;
    uint32_t length;
};

/*
 * Put two parts, to be read as one buffer, into descriptor (id), which is even
 * and as above, and the one after it, which must be the caller's never to use
 * otherwise: (id) alone is busy, and comes back.
 */
void tprof_virtqueue_add_pair(struct tprof_virtqueue *q, uint32_t id,
                              const struct tprof_virtqueue_part part[2]);

/* Show the device what was added. Returns whether it wants a notification. */
bool tprof_virtqueue_publish(struct tprof_virtqueue *q);

/*
 * Shall the device interrupt for what it is done with? It need not obey. After
 * this was switched on, tprof_virtqueue_waiting() tells of what came before.
 */
void tprof_virtqueue_interrupt(struct tprof_virtqueue *q, bool on);

/* Is there something for tprof_virtqueue_reap(), be it an error? */
bool tprof_virtqueue_waiting(const struct tprof_virtqueue *q);

/*
 * Take back the next descriptor that the device has done with. (length) is what
 * the device says it has written: the caller knows how much there was room for.
 *
 * Returns the descriptor; TPROF_VIRTQUEUE_NONE; or TPROF_ERR_DEVICE if the
 * device names one that it does not have, or claims to have done more than it
 * was given.
 */
#define TPROF_VIRTQUEUE_NONE (-1)
int tprof_virtqueue_reap(struct tprof_virtqueue *q, uint32_t *length);

#endif

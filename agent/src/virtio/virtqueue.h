/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A split virtqueue (virtio 1.2, section 2.7): add, publish, reap. This file
 * names no bus and no device. One caller at a time. No function waits.
 *
 * Each buffer is one descriptor or a pair, and the caller chooses the
 * descriptors. The number of a descriptor also identifies the buffer for the
 * caller. So nothing is allocated, and a completion needs no search. Every
 * value that the device writes is checked against this side's own record before
 * it is used.
 */
#ifndef TPROF_VIRTQUEUE_H
#define TPROF_VIRTQUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* Greatest number of descriptors of a queue: one word has a bit for each, and
 * the queue's memory fits one kilobyte */
#define TPROF_VIRTQUEUE_MAX 32u

/*
 * Memory of one queue, shared with the device: descriptors, available ring and
 * used ring, in the one layout that legacy devices accept, too. Its alignment
 * keeps it inside one page.
 */
#define TPROF_VIRTQUEUE_BYTES 1024u
#define TPROF_VIRTQUEUE_ALIGN 64u /* of the used ring */

struct tprof_virtqueue_memory {
    _Alignas(TPROF_VIRTQUEUE_BYTES) uint8_t bytes[TPROF_VIRTQUEUE_BYTES];
};

/* Offsets of the rings of a queue of (size) in its memory. The descriptors are
 * at 0. */
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
    uint32_t in_flight; /* a bit for each descriptor that the device has */
    uint16_t added;     /* descriptors ever added, wrapping */
    uint16_t reaped;    /* descriptors ever taken back, wrapping */
};

/*
 * Makes (q) an empty queue of (size), a power of two up to TPROF_VIRTQUEUE_MAX.
 * (memory) must outlive the device's use of the queue. The queue asks the
 * device for no interrupts.
 */
void tprof_virtqueue_init(struct tprof_virtqueue *q,
                          struct tprof_virtqueue_memory *memory, uint32_t size);

/* Is descriptor (id) with the device? */
static inline bool tprof_virtqueue_busy(const struct tprof_virtqueue *q,
                                        uint32_t id)
{
    return (q->in_flight >> id & 1) != 0;
}

/* Returns the first descriptor that the device does not have; (size) or more if
 * it has all. */
static inline uint32_t tprof_virtqueue_idle(const struct tprof_virtqueue *q)
{
    return (uint32_t)__builtin_ctzll(~(uint64_t)q->in_flight);
}

/*
 * Puts (length) bytes at physical (address) into descriptor (id), which is
 * below (size) and not busy. The device will write them if (writable),
 * otherwise read them. tprof_virtqueue_publish() shows the buffer to the
 * device.
 */
void tprof_virtqueue_add(struct tprof_virtqueue *q, uint32_t id,
                         uint64_t address, uint32_t length, bool writable);

/* Bytes at a physical address. */
struct tprof_virtqueue_part {
    uint64_t address;
    uint32_t length;
};

/*
 * Puts two parts, which are one buffer for the device, into descriptors (id)
 * and (id) + 1. (id) is even, below (size) and not busy. Only (id) becomes busy
 * and is reaped, so a caller of this function uses no odd descriptor itself.
 */
void tprof_virtqueue_add_pair(struct tprof_virtqueue *q, uint32_t id,
                              const struct tprof_virtqueue_part part[2],
                              bool writable);

/* Shows the device all added buffers. Returns whether the device wants to be
 * notified. */
bool tprof_virtqueue_publish(struct tprof_virtqueue *q);

/*
 * Asks the device to interrupt when it is done with a buffer, or not to. The
 * device need not obey. Earlier completions may cause no interrupt: after
 * switching this on, call tprof_virtqueue_waiting().
 */
void tprof_virtqueue_interrupt(struct tprof_virtqueue *q, bool on);

/* Is there a descriptor to reap, or an error to report? */
bool tprof_virtqueue_waiting(const struct tprof_virtqueue *q);

/*
 * Takes back the next descriptor that the device is done with. (*length) is the
 * number of bytes that the device claims to have written. The caller must
 * compare it with the buffer's size.
 *
 * Returns the descriptor;
 * TPROF_VIRTQUEUE_NONE: there is none;
 * TPROF_ERR_DEVICE: the device names a descriptor that it does not have, or
 * claims to have finished more than it was given.
 */
#define TPROF_VIRTQUEUE_NONE (-1)
int tprof_virtqueue_reap(struct tprof_virtqueue *q, uint32_t *length);

#endif

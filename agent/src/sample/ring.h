/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One core's ring of records. A record is one or more words. The low seven
 * bytes of each word are a cell of the wire (WIRE.md 5), the high byte is the
 * number of words in the record. All words of a record have that number, so a
 * reader can walk forwards from the head. A reader of memory (directory.h) can
 * also walk back from the tail, over records that were already drained.
 *
 * There is one writer: the core's tick. There is one reader at a time: the core
 * that has the pump's lock.
 */
#ifndef TPROF_RING_H
#define TPROF_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define TPROF_RING_COUNT_SHIFT 56 /* a record's number of words */

struct tprof_ring {
    uint64_t *words;
    uint32_t mask;                      /* number of words - 1 */
    _Alignas(64) _Atomic uint32_t tail; /* written by the tick only */
    _Alignas(64) _Atomic uint32_t head; /* written by the reader only */
};
_Static_assert(offsetof(struct tprof_ring, head) -
                       offsetof(struct tprof_ring, tail) ==
                   64,
               "writer and reader share no cache line");

/* Invariant: tail - head <= mask + 1, in wrapping uint32_t arithmetic. */

/* Makes (r), which is all 0, an empty ring of (count) words at (words). (count)
 * is a power of two. */
static inline void tprof_ring_init(struct tprof_ring *r, uint64_t *words,
                                   uint32_t count)
{
    r->words = words;
    r->mask = count - 1;
}

/* Writer: returns the number of words that may be written from the tail on. */
TPROF_HOT uint32_t tprof_ring_room(struct tprof_ring *r)
{
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    /* acquire: pairs with the release in tprof_ring_consume(); the reader is
     * done with the words before the head */
    uint32_t head = atomic_load_explicit(&r->head, memory_order_acquire);

    return r->mask + 1 - (tail - head);
}

/* Writer: returns the word (ahead) words after the tail. (ahead) is below
 * tprof_ring_room(). The reader does not see the word before
 * tprof_ring_publish(). */
TPROF_HOT uint64_t *tprof_ring_at(struct tprof_ring *r, uint32_t ahead)
{
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

    return &r->words[(tail + ahead) & r->mask];
}

/* Writer: returns the tail, where the next record begins. */
TPROF_HOT uint32_t tprof_ring_tail(struct tprof_ring *r)
{
    return atomic_load_explicit(&r->tail, memory_order_relaxed);
}

/* Writer: hands all words before (tail) to the reader. */
TPROF_HOT void tprof_ring_publish(struct tprof_ring *r, uint32_t tail)
{
    /* release: pairs with the acquire in tprof_ring_used() */
    atomic_store_explicit(&r->tail, tail, memory_order_release);
}

/* Reader: returns the number of words from the head on. */
TPROF_HOT uint32_t tprof_ring_used(struct tprof_ring *r)
{
    /* acquire: pairs with the release in tprof_ring_publish() */
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);

    return tail - atomic_load_explicit(&r->head, memory_order_relaxed);
}

/* Reader: gives (count) words back to the writer. */
static inline void tprof_ring_consume(struct tprof_ring *r, uint32_t count)
{
    uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

    /* release: pairs with the acquire in tprof_ring_room() */
    atomic_store_explicit(&r->head, head + count, memory_order_release);
}

#endif

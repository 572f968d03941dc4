/* SPDX-License-Identifier: BSD-2-Clause */
/* The rings of the bus. */
#include "bus.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "guest.h"
#include "sched.h"
#include "timed.h"

#define RING_MASK (BUS_QUEUE_LEN - 1)
_Static_assert((BUS_QUEUE_LEN & RING_MASK) == 0, "a power of two");

/* Indices count up and wrap; what lies below them is published. */
struct queue {
    struct {
        _Alignas(64) _Atomic uint16_t index; /* written by the receiver */
        uint16_t ring[BUS_QUEUE_LEN];        /* numbers of lent buffers */
    } available;
    struct {
        _Alignas(64) _Atomic uint16_t index; /* written by the sender */
        struct {
            uint32_t buffer;
            uint32_t len;
        } ring[BUS_QUEUE_LEN];
    } used;
    _Alignas(64) _Atomic uint16_t last_available; /* written by the sender */
    const void *_Atomic sender;                   /* the thread, at its wait */
    _Alignas(64) uint16_t last_used;              /* the receiver's */
    const void *_Atomic receiver;
    _Alignas(64) unsigned char buffers[BUS_QUEUE_LEN][BUS_BUFFER_LEN];
};

static struct queue queues[GUEST_CORES_MAX][BUS_BACK + 1]; /* [from][to] */

/* The receiver lends buffer (number). True: the sender had none. */
static bool VirtIOAddBuffer(struct queue *queue, uint16_t number)
{
    uint16_t index =
        atomic_load_explicit(&queue->available.index, memory_order_relaxed);

    queue->available.ring[index & RING_MASK] = number;
    /* release: pairs with the acquire in is_lent(); the buffer is read */
    atomic_store_explicit(&queue->available.index, (uint16_t)(index + 1),
                          memory_order_release);
    /* seq_cst: a sender that has taken its last buffer sees this one, or we
     * see that it took it */
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&queue->last_available, memory_order_relaxed) ==
           index;
}

static void lend_all(struct queue *queue)
{
    for (uint16_t i = 0; i < BUS_QUEUE_LEN; i++)
        VirtIOAddBuffer(queue, i);
}

void bus_init(unsigned cores)
{
    for (unsigned from = 0; from < cores; from++) {
        for (unsigned to = 0; to < cores; to++)
            lend_all(&queues[from][to]);
        lend_all(&queues[from][BUS_BACK]);
    }
}

/* Is there a buffer for the sender? */
static bool is_lent(const void *arg)
{
    const struct queue *queue = arg;

    return atomic_load_explicit(&queue->available.index,
                                memory_order_acquire) !=
           atomic_load_explicit(&queue->last_available, memory_order_relaxed);
}

/* Is there a message for the receiver? */
static bool is_filled(const void *arg)
{
    const struct queue *queue = arg;

    /* acquire: pairs with the release in VirtIOAddConsumedBuffer() */
    return atomic_load_explicit(&queue->used.index, memory_order_acquire) !=
           queue->last_used;
}

/* A lent buffer's number; waits for one. */
static uint16_t VirtIOGetAvailBuffer(struct queue *queue)
{
    atomic_store_explicit(&queue->sender, CurrentThread(),
                          memory_order_relaxed);
    while (!is_lent(queue))
        WaitFor(is_lent, queue);
    uint16_t index =
        atomic_load_explicit(&queue->last_available, memory_order_relaxed);

    atomic_store_explicit(&queue->last_available, (uint16_t)(index + 1),
                          memory_order_relaxed);
    return queue->available.ring[index & RING_MASK];
}

/* The sender gives buffer (number) back with (len) bytes in it. */
static void VirtIOAddConsumedBuffer(struct queue *queue, uint16_t number,
                                    size_t len)
{
    uint16_t index =
        atomic_load_explicit(&queue->used.index, memory_order_relaxed);

    queue->used.ring[index & RING_MASK].buffer = number;
    queue->used.ring[index & RING_MASK].len = (uint32_t)len;
    /* release: pairs with the acquire in is_filled(); the bytes are there */
    atomic_store_explicit(&queue->used.index, (uint16_t)(index + 1),
                          memory_order_release);
}

void SendTo(unsigned core, const void *buffer, size_t len)
{
    struct queue *queue = &queues[core_index()][core];
    uint16_t number = VirtIOGetAvailBuffer(queue);

    memcpy(queue->buffers[number], buffer, len);
    VirtIOAddConsumedBuffer(queue, number, len);
    timed_wake(atomic_load_explicit(&queue->receiver, memory_order_relaxed));
    if (core != BUS_BACK)
        Wake(core);
}

size_t RecvFrom(unsigned core, void *buffer)
{
    unsigned self = core_index();
    struct queue *queue =
        core == BUS_BACK ? &queues[self][core] : &queues[core][self];

    atomic_store_explicit(&queue->receiver, CurrentThread(),
                          memory_order_relaxed);
    while (!is_filled(queue))
        WaitFor(is_filled, queue);
    unsigned slot = queue->last_used++ & RING_MASK;
    uint32_t number = queue->used.ring[slot].buffer;
    size_t len = queue->used.ring[slot].len;

    memcpy(buffer, queue->buffers[number], len);
    bool had_none = VirtIOAddBuffer(queue, (uint16_t)number);

    if (had_none)
        timed_wake(atomic_load_explicit(&queue->sender, memory_order_relaxed));
    if (had_none && core != BUS_BACK)
        Wake(core);
    return len;
}

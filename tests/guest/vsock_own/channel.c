/* SPDX-License-Identifier: BSD-2-Clause */
/* struct tprof_channel, by callbacks over vsock.h. */
#include "channel.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "cpu.h"
#include "guest.h"
#include "vsock.h"

static atomic_flag locked = ATOMIC_FLAG_INIT;
static atomic_bool turned_away;         /* a profiler that found it so */
static atomic_int session = VSOCK_NONE; /* the collector's socket */
static uint64_t busy;

static bool try_lock(void)
{
    return !atomic_flag_test_and_set_explicit(&locked, memory_order_acquire);
}

/* Kernel code: another core's profiler holds it for a moment at most. */
void channel_lock(void)
{
    while (!try_lock())
        cpu_pause();
}

void channel_unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
    if (atomic_exchange_explicit(&turned_away, false, memory_order_relaxed))
        tprof_poll();
}

/* The profiler does not wait: the core that it has interrupted may be the one
 * that holds the lock. */
static bool enter(const bool *is_polled)
{
    if (try_lock())
        return true;
    if (*is_polled)
        guest_fail("own: called while the driver is in use");
    atomic_store_explicit(&turned_away, true, memory_order_relaxed);
    busy++;
    return false;
}

/* (result) of the driver's: the socket may be at its end. */
static int leave(int result)
{
    if (result < 0) {
        vsock_close(session);
        session = VSOCK_NONE;
        result = TPROF_ERR_CLOSED;
    }
    atomic_flag_clear_explicit(&locked, memory_order_release);
    return result;
}

static int channel_open(void *is_polled)
{
    (void)is_polled;
    return session >= 0;
}

static int channel_send(void *is_polled, const void *data, uint32_t size)
{
    if (!enter(is_polled))
        return 0;
    vsock_poll(); /* the kernel may do so seldom */
    return leave(vsock_send(session, data, size));
}

static int channel_receive(void *is_polled, void *data, uint32_t size)
{
    if (!enter(is_polled))
        return 0;
    vsock_poll();
    return leave(vsock_receive(session, data, size));
}

void channel_init(void)
{
    /* one collector at a time: the driver refuses a second one */
    if (!vsock_listen(CHANNEL_PORT, 1))
        guest_fail("own: too many listeners");
}

void channel_accept(void)
{
    if (session < 0)
        session = vsock_accept(CHANNEL_PORT);
}

uint64_t channel_busy(void)
{
    return busy;
}

static bool yes = true, no = false;

const struct tprof_channel channel_polled = {
    .context = &yes,
    .open = channel_open,
    .send = channel_send,
    .receive = channel_receive,
};

const struct tprof_channel channel_irq_safe = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .context = &no,
    .open = channel_open,
    .send = channel_send,
    .receive = channel_receive,
};

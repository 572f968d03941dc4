/* SPDX-License-Identifier: BSD-2-Clause */
/* struct tprof_channel, by callbacks over vsock.h. */
#include "channel.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "cpu.h"
#include "guest.h"
#include "vsock.h"

static atomic_flag locked = ATOMIC_FLAG_INIT;
static int session = VSOCK_NONE; /* the collector's socket */
static uint64_t busy;

/* Kernel code: another core's profiler holds it for a moment at most. */
void channel_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        cpu_pause();
}

void channel_unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

/* The profiler does not wait: the core that it has interrupted may be the one
 * that holds the lock. (context) is not NULL where that may happen. */
static bool enter(const void *context)
{
    if (!atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        return true;
    if (context == NULL)
        guest_fail("own: called while the driver is in use");
    busy++;
    return false;
}

static void leave(int socket)
{
    if (socket < 0 && session >= 0) {
        vsock_close(session);
        vsock_poll();
        session = VSOCK_NONE;
    }
    channel_unlock();
}

static int channel_open(void *context)
{
    if (!enter(context))
        return 0;
    vsock_poll();
    session = vsock_accept(CHANNEL_PORT);
    int found = session >= 0;

    leave(0);
    return found;
}

static int channel_send(void *context, const void *data, uint32_t size)
{
    if (!enter(context))
        return 0;
    vsock_poll(); /* the kernel may do so seldom */
    int done = vsock_send(session, data, size);

    leave(done);
    return done < 0 ? TPROF_ERR_CLOSED : done;
}

static int channel_receive(void *context, void *data, uint32_t size)
{
    if (!enter(context))
        return 0;
    vsock_poll();
    int done = vsock_receive(session, data, size);

    leave(done);
    return done < 0 ? TPROF_ERR_CLOSED : done;
}

void channel_init(void)
{
    /* one collector at a time: the driver refuses a second one */
    if (!vsock_listen(CHANNEL_PORT, 1))
        guest_fail("own: too many listeners");
}

uint64_t channel_busy(void)
{
    return busy;
}

const struct tprof_channel channel_polled = {
    .open = channel_open,
    .send = channel_send,
    .receive = channel_receive,
};

const struct tprof_channel channel_irq_safe = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .context = &locked, /* anything: see enter() */
    .open = channel_open,
    .send = channel_send,
    .receive = channel_receive,
};

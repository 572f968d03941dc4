/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that owns its vsock device: core 0 serves connections, the others
 * work, and the profiler has a socket among the kernel's own.
 *
 * irq=1   the profiler drains inside its interrupts; else core 0 calls
 *         tprof_poll() between two rounds
 * call=P  at its begin it calls port P of the host, and echoes what comes
 * none=1  it is expected that there is no such device
 * and rate=HZ. It ends when somebody connects to port 1, and prints what it
 * and the profiler have counted.
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "channel.h"
#include "cpu.h"
#include "guest.h"
#include "must.h"
#include "services.h"
#include "vsock.h"
#include "work.h"

#define FLUSH_FRAMES 4096 /* more than all rings hold */

static atomic_bool over;
static atomic_uint ended; /* cores that have left the profiler */
static volatile uint64_t results[GUEST_CORES_MAX];

static void work(void)
{
    must(tprof_start_cpu());
    cpu_irq_enable();
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        results[core_index()] = work_one(work_three(results[core_index()]));
    must(tprof_stop_cpu());
    atomic_fetch_add(&ended, 1);
}

static void serve(bool polls)
{
    bool goes_on = true;

    must(tprof_start_cpu());
    cpu_irq_enable();
    while (goes_on) {
        channel_lock();
        vsock_poll();
        channel_accept();
        goes_on = services_run();
        channel_unlock();
        if (polls)
            tprof_poll();
    }
    atomic_store_explicit(&over, true, memory_order_relaxed);
    must(tprof_stop_cpu());
    while (atomic_load(&ended) < core_count() - 1)
        cpu_pause();
}

static void print_counts(unsigned core)
{
    struct tprof_stats s;

    must(tprof_get_stats(core, &s));
    con_printf("core %u: ticks %lu samples %lu missed %lu ring_full %lu "
               "reentered %lu\n",
               core, s.ticks, s.samples, s.missed, s.ring_full, s.reentered);
}

/* The last samples leave, as fast as the host takes them. */
static void flush(void)
{
    for (int i = 0; i < 100000 && tprof_flush(FLUSH_FRAMES); i++)
        cpu_pause();
}

static void set_up(bool polls)
{
    const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 0),
        .cpus = core_count(),
        .cpu_source = TPROF_CPU_GS,
        .channel = polls ? &channel_polled : &channel_irq_safe,
    };
    uint32_t call = (uint32_t)opt_u64("call", 0);

    channel_init();
    services_init();
    if (call != 0)
        services_call(call);
    must(tprof_init(&config));
    con_printf("own: cid %lu\n", vsock_cid());
}

int guest_main(void)
{
    const struct service_counts *counts = services_counts();
    bool polls = opt_u64("irq", 0) == 0;

    if (!vsock_init()) {
        con_printf("own: no vsock device\n");
        return opt_u64("none", 0) == 1 ? 0 : 1;
    }
    set_up(polls);
    core_start_others(work);
    serve(polls);
    flush();
    for (unsigned i = 0; i < core_count(); i++)
        print_counts(i);
    con_printf("own: connections %lu received %lu sent %lu busy %lu\n",
               counts->connections, counts->received, counts->sent,
               channel_busy());
    return 0;
}

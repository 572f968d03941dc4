/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks that do what the header forbids, or nearly: a kernel's send() ends by
 * switching interrupts on, whatever they were before. Nobody may write on the
 * stack that it runs on.
 *
 * case=poll  the channel is not for interrupts: tprof_poll() calls it as any
 *            code of the kernel's, so ticks come meanwhile, and are samples
 * case=tick  it says that it is for interrupts: ticks that come meanwhile are
 *            counted, and no more
 * case=hook  config.cpu_index() uses 2 KiB of its stack
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "mem.h"
#include "must.h"

#define WORK  300000000u /* TSC ticks of all */
#define SEND  300000u    /* of each send(): three ticks' time */
#define WORDS 16

static uint32_t flags = TPROF_CHANNEL_ONE_WAY;
static uint64_t sends, inside;

static struct tprof_stats stats_now(void)
{
    struct tprof_stats s;

    must(tprof_get_stats(0, &s));
    return s;
}

static int open_always(void *context)
{
    (void)context;
    return 1;
}

/* A socket's send(): its locks have other interrupts in mind. */
static int send(void *context, const void *data, uint32_t size)
{
    volatile uint64_t local[WORDS];
    uint64_t end = cpu_rdtsc() + SEND;
    uint64_t ticks = stats_now().samples;

    (void)context;
    (void)data;
    for (uint64_t i = 0; i < WORDS; i++)
        local[i] = sends + i;
    cpu_irq_enable();
    while (cpu_rdtsc() < end)
        ;
    for (uint64_t i = 0; i < WORDS; i++) {
        if (local[i] != sends + i)
            guest_fail("a local variable of the channel's has changed");
    }
    sends++;
    inside += stats_now().samples - ticks;
    return (int)size; /* interrupts stay on */
}

static uint32_t cpu_index(void *context)
{
    volatile char local[2048];

    (void)context;
    for (uint32_t i = 0; i < sizeof local; i++)
        local[i] = (char)i;
    return core_index() + (local[5] == 5 ? 0 : 1000);
}

static int send_quickly(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

static struct tprof_channel channel = {.open = open_always, .send = send};

static void work(void)
{
    must(tprof_start_cpu());
    cpu_irq_enable();
    for (uint64_t end = cpu_rdtsc() + WORK; cpu_rdtsc() < end;) {
        tprof_poll();
        for (volatile int i = 0; i < 20000; i++)
            ;
    }
    cpu_irq_disable();
}

int guest_main(void)
{
    char what[8];
    struct tprof_config c = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .rate_hz = 10000,
        .channel = &channel,
        .tsc_hz = 1000000000u,
        .cpus = core_count(),
    };

    opt_str("case", "poll", what, sizeof what);
    if (what[0] != 'p')
        flags |= TPROF_CHANNEL_IRQ_SAFE;
    channel.flags = flags;
    if (what[0] == 'h') {
        channel.send = send_quickly;
        c.cpu_source = TPROF_CPU_HOOK;
        c.cpu_index = cpu_index;
    }
    must(tprof_init(&c));
    core_run_all(work);

    struct tprof_stats s = stats_now();

    con_printf("careless: %lu ticks, %lu samples, %lu reentered, %lu missed; "
               "%lu inside %lu sends\n",
               s.ticks, s.samples, s.reentered, s.missed, inside, sends);
    if (s.ticks != s.samples + s.ring_full + s.reentered)
        guest_fail("the counters do not add up");
    if (s.ticks + s.missed < 2000)
        guest_fail("ticks have stayed away");
    if (what[0] == 'p' && (s.reentered > 0 || inside < sends))
        guest_fail("no samples of the channel");
    if (what[0] == 't' && s.reentered == 0)
        guest_fail("no tick came inside");
    return 0;
}

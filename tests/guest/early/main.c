/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that is profiled from boot on, by a host that comes when boot is
 * over. It boots in two phases: the second does three times the work of the
 * first. Then it serves, as long as the first phase. The kernel is its own
 * host, and what the agent sends goes to the debug port.
 *
 *   keep=N       config.boot, enum tprof_boot
 *   ring=BYTES   config.ring_bytes (default 64 KiB)
 *   rounds=N     how long the first phase is (default 6000)
 *   apps=N       applications that come and go in the second phase (default 0)
 */
#include <tprof/tprof.h>

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "host.h"
#include "must.h"

#define ROUND      1000u
#define DEBUGCON   0xe9
/* WIRE.md 2 and 7 */
#define FRAME_TYPE 2
#define STATE      5
#define STOPPED    0u
#define SAMPLING   1u

static volatile uint64_t results[3]; /* so that all is done */
static volatile int host_waits;
static volatile uint32_t state = SAMPLING;
static struct host_frame order;

/* Global, with frames: they are to be seen in a profile. */
uint64_t boot_first(uint64_t rounds);
uint64_t boot_second(uint64_t rounds);
uint64_t serve(uint64_t rounds);

static inline uint64_t work(uint64_t rounds)
{
    uint64_t x = 1;

    for (uint64_t i = 0; i < rounds * ROUND; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x;
}

__attribute__((noinline)) uint64_t boot_first(uint64_t rounds)
{
    return work(rounds);
}

__attribute__((noinline)) uint64_t boot_second(uint64_t rounds)
{
    __asm__ volatile(""); /* so that each call of the same is made */
    return work(3 * rounds);
}

/* The second phase in (apps) parts and one, with an application after each but
 * the last: all cores take new orders over when images change. */
static uint64_t boot_apps(uint64_t rounds, uint64_t apps)
{
    static uint8_t code[4096] __attribute__((aligned(4096)));
    const struct tprof_mapping app = {.name = "app",
                                      .start = (uintptr_t)code,
                                      .size = sizeof code,
                                      .link_start = 4096};
    uint64_t x = 0;

    for (uint64_t i = 0; i < apps; i++) {
        x += boot_second(rounds / (apps + 1));
        must(tprof_map(&app));
        must(tprof_unmap(app.start));
    }
    return x + boot_second(rounds / (apps + 1));
}

__attribute__((noinline)) uint64_t serve(uint64_t rounds)
{
    return work(rounds);
}

static int open(void *context)
{
    (void)context;
    return host_waits;
}

static int send(void *context, const void *data, uint32_t size)
{
    const uint8_t *byte = data;

    (void)context;
    if (byte[FRAME_TYPE] == HOST_STATUS)
        state = (uint32_t)host_field(data, size, STATE, SAMPLING);
    for (uint32_t i = 0; i < size; i++)
        cpu_out8(DEBUGCON, byte[i]);
    return (int)size;
}

static void print_own(unsigned core)
{
    (void)core;
    con_printf("keep %lu", opt_u64("keep", 0));
}

/* Mark this moment, and print its time. */
static void mark(const char *name)
{
    uint64_t before = cpu_rdtsc();

    must(tprof_mark(name));
    con_printf("mark %s %lu %lu\n", name, before, cpu_rdtsc());
}

int guest_main(void)
{
    static const struct tprof_channel channel = {
        .open = open,
        .send = send,
        .receive = host_says,
        .context = &order,
        .flags = TPROF_CHANNEL_IRQ_SAFE,
    };
    const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .rate_hz = 5000,
        .ring_bytes = (uint32_t)opt_u64("ring", 0),
        .boot = (uint32_t)opt_u64("keep", 0),
        .seed = 1,
        .channel = &channel,
    };
    uint64_t rounds = opt_u64("rounds", 6000);

    must(tprof_init(&config));
    must(tprof_start_cpu());
    cpu_irq_enable();
    results[0] = boot_first(rounds);
    mark("apps");
    results[1] = boot_apps(rounds, opt_u64("apps", 0));
    mark("ready");
    host_start(&order, 5000, 0);
    host_waits = 1;
    results[2] = serve(rounds);
    host_frame(&order, HOST_STOP);
    while (state != STOPPED) /* meanwhile the rest is sent */
        results[2] += serve(1);
    agent_print_stats(print_own);
    return 0;
}

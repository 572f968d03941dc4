/* SPDX-License-Identifier: BSD-2-Clause */
/* Owns the agent's set-up and its one-way channel; see profile.h. */
#include "profile.h"

#include "agent.h"
#include "cpu.h"
#include "guest.h"
#include "marks.h"
#include "must.h"

#define WIRE_PORT    0xe9
#define FLUSH_FRAMES 100000

struct tprof_config profile_config;

static bool with_agent;
static bool live;

static int wire_open(void *context)
{
    (void)context;
    return 1;
}

static int wire_send(void *context, const void *data, uint32_t size)
{
    uint64_t left = size;

    (void)context;
    __asm__ volatile("rep outsb"
                     : "+S"(data), "+c"(left)
                     : "d"((uint16_t)WIRE_PORT)
                     : "memory");
    return (int)size;
}

/*
 * A byte to a port costs QEMU three microseconds, a system call among them; one
 * to memory costs what an instruction does, and both are one instruction of the
 * guest's time. One core sends at a time.
 */
static int memory_send(void *context, const void *data, uint32_t size)
{
    volatile uint64_t *sent = (volatile uint64_t *)PROFILE_MEMORY;
    uint8_t *to = (uint8_t *)PROFILE_MEMORY_BYTES + *sent;
    uint64_t left = size;

    (void)context;
    __asm__ volatile("rep movsb"
                     : "+S"(data), "+D"(to), "+c"(left)
                     :
                     : "memory");
    *sent += size;
    return (int)size;
}

static const struct tprof_channel memory = {
    .flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE,
    .open = wire_open,
    .send = memory_send,
};

static const struct tprof_channel wire = {
    .flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE,
    .open = wire_open,
    .send = wire_send,
};

void profile_init(void)
{
    with_agent = opt_u64("agent", 1) != 0;
    live = opt_u64("live", 0) != 0;
    if (!with_agent)
        return;
    profile_config.version = TPROF_CONFIG_VERSION;
    profile_config.rate_hz = (uint32_t)opt_u64("rate", 0);
    profile_config.max_frames = (uint32_t)opt_u64("depth", 0);
    profile_config.seed = opt_u64("seed", 0);
    profile_config.always = (uint32_t)opt_u64("always", 0);
    profile_config.boot = (uint32_t)opt_u64("boot", 0);
    profile_config.cpu_source = TPROF_CPU_GS; /* the kit keeps it at gs:0 */
    if (!live)
        profile_config.channel = opt_u64("memory", 0) ? &memory : &wire;
    if (agent_is_vsock())
        profile_config.transport = &tprof_vsock;
    must(tprof_init(&profile_config));
}

/* The agent looks for a host four times a second, a one-way channel being one
 * that is always there. The core sleeps meanwhile. */
static void wait_for_sampling(void)
{
    struct tprof_stats stats;

    do {
        cpu_irq_disable();
        must(tprof_get_stats(core_index(), &stats));
        if (stats.ticks == 0)
            cpu_wait();
    } while (stats.ticks == 0);
}

void profile_begin(void)
{
    if (with_agent)
        must(tprof_start_cpu());
    if (with_agent && profile_config.timer == TPROF_TIMER_APIC)
        wait_for_sampling();
    cpu_irq_enable();
    truth_begin();
}

void profile_end(void)
{
    truth_end();
    cpu_irq_disable();
    if (with_agent && !live)
        must(tprof_stop_cpu());
}

void profile_drain(void)
{
    if (with_agent && tprof_flush(FLUSH_FRAMES) != 0)
        guest_fail("not everything was sent");
}

void profile_fini(void)
{
    profile_drain();
}

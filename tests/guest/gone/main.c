/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core is parked for good with interrupts off, and does not call
 * tprof_stop_cpu(): as by a hot unplug or a panic. The host, a channel in this
 * guest, must still get its last STATS, and the next host must be heard. Core 1
 * tells the story; nobody polls.
 *
 * core=N   the core that goes, 0 (which watches for the host) or 2
 * idle=1   it goes while no host is there; then one tprof_poll(), on core 1,
 *          is what notices
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "host.h"
#include "must.h"

#define SECOND   1000000000u /* of the TSC; --icount keeps that */
#define STOPPED  0u          /* states, and a flag: WIRE.md 6 and 7 */
#define SAMPLING 1u
#define FINAL    1u
#define NONE     255u

static _Atomic uint32_t joined, leaves, gone;
static uint32_t going;

/* --- The host ------------------------------------------------------------- */

static struct host_frame order; /* size 0: has been heard */
static _Atomic uint32_t attached, asked, state = NONE, final;
static _Atomic uint32_t came[8]; /* frames of each type */
static _Atomic uint32_t sampled; /* cores whose SAMPLES came, as bits */

static int host_open(void *context)
{
    (void)context;
    asked++;
    return attached != 0;
}

static int host_send(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data;
    uint8_t type = frame[2];

    (void)context;
    if (!attached)
        return TPROF_ERR_CLOSED;
    came[type % 8]++;
    if (type == HOST_SAMPLES)
        sampled |= 1u << frame[8];
    if (type == HOST_STATS && host_field(frame, size, 4, 0) & FINAL)
        final |= 1u << host_field(frame, size, 1, 0);
    if (type == HOST_STATUS)
        state = (uint32_t)host_field(frame, size, 5, NONE);
    return (int)size;
}

static int host_receive(void *context, void *data, uint32_t size)
{
    return attached ? host_says(context, data, size) : TPROF_ERR_CLOSED;
}

static const struct tprof_channel channel = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .context = &order,
    .open = host_open,
    .send = host_send,
    .receive = host_receive,
};

/* --- The story ------------------------------------------------------------ */

/* Waits until (*what) has all (bits), for a second at most. */
static void wait_for(const _Atomic uint32_t *what, uint32_t bits,
                     const char *otherwise)
{
    uint64_t end = cpu_rdtsc() + SECOND;

    while ((*what & bits) != bits) {
        if (cpu_rdtsc() > end)
            guest_fail(otherwise);
    }
}

static void wait_for_state(uint32_t wanted, const char *otherwise)
{
    uint64_t end = cpu_rdtsc() + SECOND;

    while (state != wanted) {
        if (cpu_rdtsc() > end)
            guest_fail(otherwise);
    }
}

static void wait(uint64_t ticks)
{
    uint64_t end = cpu_rdtsc() + ticks;

    while (cpu_rdtsc() < end)
        ;
}

static void attach(uint32_t cores)
{
    came[HOST_HELLO] = sampled = final = 0;
    state = NONE;
    attached = 1;
    wait_for(&came[HOST_HELLO], 1, "the host is not heard");
    host_start(&order, 1000, 0);
    wait_for_state(SAMPLING, "START is not answered");
    wait_for(&sampled, cores, "a core does not sample");
}

static void detach(uint32_t cores)
{
    host_frame(&order, HOST_STOP);
    wait_for_state(STOPPED, "STOP is not answered");
    if (final != cores)
        guest_fail("the last STATS are of other cores");
    attached = 0;
    asked = 0;
    wait_for(&asked, 1, "the agent does not notice that the host has left");
}

static void go(void)
{
    leaves = 1;
    lapic_send(going, 0x40);
    while (!gone)
        ;
}

static void tell_story(void)
{
    uint32_t others = 7u & ~(1u << going);

    if (opt_u64("idle", 0)) {
        wait(SECOND / 2);
        go();
        wait(2 * (uint64_t)SECOND);
        tprof_poll();
    } else {
        attach(7);
        go();
        detach(others);
    }
    wait(2 * (uint64_t)SECOND);
    attach(others);
    detach(others);
    con_printf("gone: well\n");
    guest_exit(0);
}

/* --- Cores ---------------------------------------------------------------- */

IDT_ENTRY(kernel_entry, kernel_interrupt);

void kernel_interrupt(const struct idt_frame *frame)
{
    (void)frame;
    lapic_eoi();
}

static void run(void)
{
    unsigned core = core_index();

    while (joined != core)
        cpu_pause();
    must(tprof_start_cpu());
    joined++;
    cpu_irq_enable();
    if (core == 1) {
        while (joined < 3)
            cpu_pause();
        tell_story();
    }
    for (;;) {
        cpu_irq_disable();
        if (core == going && leaves) {
            gone = 1;
            for (;;)
                __asm__ volatile("hlt");
        }
        cpu_wait();
    }
}

int guest_main(void)
{
    const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .channel = &channel,
        .cpus = core_count(),
        .tsc_hz = SECOND,
    };

    going = (uint32_t)opt_u64("core", 0);
    must(tprof_init(&config));
    idt_set_gate(0x40, kernel_entry);
    core_run_all(run);
    return 0;
}

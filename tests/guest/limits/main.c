/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What does a host get that asks for more than the kernel allows? The host is a
 * channel in this guest. The guest prints what STATUS says, and how many ticks
 * came in a second, rounded to a tenth of the rate:
 *
 *     limits: 1000 Hz 16 deep, 1000 ticks
 *
 * ask=HZ period=TICKS    in START; its depth is 127
 * max=HZ frames=N        config.rate_max_hz, frames_max
 * fixed=1                config.control
 * rate=HZ depth=N        config.rate_hz, max_frames
 * kernel=HZ              TPROF_TIMER_KERNEL, with ticks at this rate
 */
#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "host.h"
#include "must.h"

#define HZ       1000000000u /* of the TSC; --icount 0 keeps that */
#define WINDOW   HZ
#define STATE    5u
#define SAMPLING 1u

static struct host_frame order;
static volatile uint32_t rate, depth; /* by STATUS */

static int host_send(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data;

    (void)context;
    if (frame[2] == HOST_STATUS &&
        host_field(frame, size, STATE, 0) == SAMPLING) {
        depth = (uint32_t)host_field(frame, size, 2, 0);
        rate = (uint32_t)host_field(frame, size, 1, 0);
    }
    return (int)size;
}

static const struct tprof_channel channel = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .context = &order,
    .open = host_is_there,
    .send = host_send,
    .receive = host_says,
};

static uint64_t count_ticks(void)
{
    struct tprof_stats s;

    must(tprof_get_stats(0, &s));
    return s.ticks;
}

/* Lets (ticks) of the TSC pass, with the kernel's ticks at (kernel_hz). */
static void pass(uint64_t ticks, uint32_t kernel_hz)
{
    uint64_t now = cpu_rdtsc(), end = now + ticks;
    uint64_t due = kernel_hz ? now : end;
    const struct tprof_regs regs = {0};

    for (; now < end; now = cpu_rdtsc()) {
        if (now < due)
            continue;
        due += HZ / kernel_hz;
        tprof_tick(&regs);
    }
}

int guest_main(void)
{
    uint32_t kernel_hz = (uint32_t)opt_u64("kernel", 0);
    const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 0),
        .max_frames = (uint32_t)opt_u64("depth", 0),
        .rate_max_hz = (uint32_t)opt_u64("max", 0),
        .frames_max = (uint32_t)opt_u64("frames", 0),
        .control = (uint32_t)opt_u64("fixed", 0),
        .timer = kernel_hz ? TPROF_TIMER_KERNEL : TPROF_TIMER_APIC,
        .kernel_hz = kernel_hz,
        .channel = &channel,
        .tsc_hz = HZ,
        .seed = 1,
    };

    host_start(&order, (uint32_t)opt_u64("ask", 0),
               (uint32_t)opt_u64("period", 0));
    must(tprof_init(&config));
    must(tprof_start_cpu());
    cpu_irq_enable();
    while (rate == 0)
        pass(HZ / 1000, kernel_hz);
    uint64_t before = count_ticks(), step = rate / 10;

    pass(WINDOW, kernel_hz);
    cpu_irq_disable();
    uint64_t ticks = count_ticks() - before;

    if (step > 0)
        ticks = (ticks + step / 2) / step * step;
    con_printf("limits: %u Hz %u deep, %lu ticks\n", rate, depth, ticks);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of the kernel's own timer, one of several of which is a sample. */
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "check.h"
#include "machine.h"

#define HZ      1000000u /* of the clock */
#define TICK_HZ 1000u
#define RATE_HZ 10u
#define SECONDS 300u

static int somebody(void *context)
{
    (void)context;
    return 1;
}

static int take_all(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

static const struct tprof_channel one_way = {
    .flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE,
    .open = somebody,
    .send = take_all,
};

/* Starts the agent with one-way (channel), which begins anew each second. */
static void start(void)
{
    static const char code[4096];
    const struct tprof_image image = {
        .text_start = code,
        .text_end = code + sizeof code,
        .image_start = code,
        .image_end = code + sizeof code,
    };
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .timer = TPROF_TIMER_KERNEL,
        .kernel_hz = TICK_HZ,
        .rate_hz = RATE_HZ,
        .tsc_hz = HZ,
        .cpus = 1,
        .seed = 1,
        .channel = &one_way,
    };

    /* whole pages, which aligned_alloc() wants */
    config.memory_size = (tprof_mem_size(&config) + 4095) & ~(size_t)4095;
    config.memory = aligned_alloc(4096, config.memory_size);
    CHECK_EQ(tprof_init_image(&config, &image), TPROF_OK);
    CHECK_EQ(tprof_start_cpu(), TPROF_OK);
}

/* Catches: a sample that each START forces, ten per cent too many here. The
 * number of samples has a variance of a third for each: four standard
 * deviations. */
TEST(kernel_ticks_are_sampled_at_the_rate_of_a_one_way_channel)
{
    const struct tprof_regs at = {0};
    struct tprof_stats s;
    uint32_t expected = RATE_HZ * SECONDS;

    start();
    for (uint32_t i = 0; i < TICK_HZ * SECONDS; i++) {
        tprof_machine.now = (uint64_t)(i + 1) * (HZ / TICK_HZ);
        tprof_tick(&at);
    }
    CHECK_EQ(tprof_get_stats(0, &s), TPROF_OK);
    CHECK(tprof_agent.generation > SECONDS - 5); /* it did begin anew */
    CHECK(s.ticks + 127 > expected);
    CHECK(s.ticks < expected + 127);
}

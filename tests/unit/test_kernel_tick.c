/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of the kernel's own timer, one of several of which is a sample. */
#include "check.h"
#include "machine.h"
#include "one_way.h"
#include "state/agent.h"

#define HZ      1000000u /* of the clock */
#define TICK_HZ 1000u
#define RATE_HZ 10u
#define SECONDS 300u

static int take_all(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

/* Starts the agent, which begins anew each second, since it only sends. */
static void start(void)
{
    struct tprof_config config = {
        .timer = TPROF_TIMER_KERNEL,
        .kernel_hz = TICK_HZ,
        .rate_hz = RATE_HZ,
        .tsc_hz = HZ,
        .cpus = 1,
        .seed = 1,
    };

    one_way_init(&config, take_all);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* As many cores as may be: each joins, samples, and is told of. */
#include <stdlib.h>

#include "check.h"
#include "machine.h"
#include "one_way.h"
#include "state/agent.h"

#define CORES 256u
#define HZ    1000000u /* of the clock */
#define TICKS 3000u    /* of each core, a millisecond apart */

static bool told[CORES];
static uint32_t others; /* STATS of cores that there are not */
static uint32_t frames; /* of samples */

/* One frame. STATS begin with the core: tag 1, its size, its bytes. */
static int take(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data, *body = frame + WIRE_FRAME_HEADER;

    (void)context;
    frames += frame[WIRE_FRAME_TYPE] == WIRE_SAMPLES;
    if (frame[WIRE_FRAME_TYPE] == WIRE_STATS) {
        uint32_t core = 0;

        CHECK_EQ(body[0], 1);
        for (uint32_t i = body[1]; i > 0; i--)
            core = core << 8 | body[1 + i];
        if (core < CORES)
            told[core] = true;
        else
            others++;
    }
    return (int)size;
}

static void start(void)
{
    struct tprof_config config = {
        .timer = TPROF_TIMER_KERNEL,
        .kernel_hz = 1000,
        .rate_hz = 10,
        .tsc_hz = HZ,
        .cpus = CORES,
        .ring_bytes = 4096,
        .dict_slots = 64,
    };

    one_way_init(&config, take);
    for (uint32_t i = 0; i < CORES; i++) {
        tprof_machine.core = i;
        tprof_machine.cores[i].hardware_id = 16 * i; /* up to 4080 */
        CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    }
}

TEST(each_of_256_cores_is_told_of) /* catches: sets of 64 bits */
{
    const struct tprof_regs regs = {0};
    struct tprof_stats s;

    start();
    for (uint32_t t = 0; t < TICKS; t++) {
        tprof_machine.now += HZ / 1000;
        for (uint32_t i = 0; i < CORES; i++) {
            tprof_machine.core = i;
            tprof_tick(&regs);
        }
    }
    for (uint32_t i = 0; i < CORES; i++) {
        CHECK(told[i]);
        CHECK_EQ(tprof_get_stats(i, &s), TPROF_OK);
        CHECK(s.samples > 10 && s.apic_id % 16 == 0);
        CHECK(s.apic_id >= CORES || s.apic_id == i);
    }
    CHECK_EQ(others, 0);
}

static void join(uint32_t core, uint32_t apic_id)
{
    tprof_machine.core = core;
    tprof_machine.cores[core].hardware_id = apic_id;
    CHECK_EQ(tprof_start_cpu(), TPROF_OK);
}

/* catches: a second core that comes first and is called core 0, as of NuttX,
 * ToaruOS and Nautilus */
TEST(cores_that_join_out_of_order_have_the_numbers_of_their_ids)
{
    static const uint32_t ids[] = {0, 7, 2, 1}; /* by number */
    struct tprof_config config = {.tsc_hz = HZ, .cpus = 4};
    struct tprof_stats s;

    one_way_init(&config, take);
    join(0, 2);
    join(1, 0);
    join(2, 7); /* is no number: the first that is free */
    join(3, 1); /* is another's */
    tprof_machine.core = 2;
    CHECK_EQ(tprof_stop_cpu(), TPROF_OK);
    tprof_machine.core = 1;
    CHECK_EQ(tprof_stop_cpu(), TPROF_OK);
    tprof_machine.core = 2;
    CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_EQ(tprof_get_stats(i, &s), TPROF_OK);
        CHECK_EQ(s.apic_id, ids[i]);
    }
}

/* Frames of samples in a second of one core, of (cpus) that may join, which
 * left and came back (returns) times. */
static uint32_t frames_a_second(uint32_t cpus, uint32_t returns)
{
    const struct tprof_regs regs = {0};
    struct tprof_config config = {
        .timer = TPROF_TIMER_KERNEL,
        .kernel_hz = 1000,
        .rate_hz = 1000,
        .tsc_hz = HZ,
        .cpus = cpus,
        .seed = 1,
    };

    one_way_init(&config, take);
    CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    for (uint32_t i = 0; i < returns; i++) {
        CHECK_EQ(tprof_stop_cpu(), TPROF_OK);
        CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    }
    frames = 0;
    for (uint32_t t = 0; t < 10000; t++) {
        tprof_machine.now += HZ / 1000;
        tprof_tick(&regs);
    }
    CHECK_EQ(tprof_exit(), TPROF_OK);
    free(config.memory);
    return frames / 10;
}

/* Each frame is a notification of the device, and so a VM exit. Eight are due
 * in a second, of which HELLO and STATS take some. */
TEST(one_core_is_drained_alike_however_many_may_join) /* catches: 68 of them */
{
    uint32_t alone = frames_a_second(1, 0);

    CHECK(alone >= 4 && alone <= 8);
    CHECK_EQ(frames_a_second(16, 0), alone);
    CHECK_EQ(frames_a_second(16, 20), alone); /* it counts once */
}

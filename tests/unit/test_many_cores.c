/* SPDX-License-Identifier: BSD-2-Clause */
/* As many cores as may be: each joins, samples, and is told of. */
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "check.h"
#include "machine.h"

#define CORES 256u
#define HZ    1000000u /* of the clock */
#define TICKS 3000u    /* of each core, a millisecond apart */

static bool told[CORES];
static uint32_t others; /* STATS of cores that there are not */

static int somebody(void *context)
{
    (void)context;
    return 1;
}

/* One frame. STATS begin with the core: tag 1, its size, its bytes. */
static int take(void *context, const void *data, uint32_t size)
{
    const uint8_t *frame = data, *body = frame + WIRE_FRAME_HEADER;

    (void)context;
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

static const struct tprof_channel one_way = {
    .flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE,
    .open = somebody,
    .send = take,
};

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
        .kernel_hz = 1000,
        .rate_hz = 10,
        .tsc_hz = HZ,
        .cpus = CORES,
        .ring_bytes = 4096,
        .dict_slots = 64,
        .channel = &one_way,
    };

    config.memory_size = tprof_mem_size(&config);
    config.memory = aligned_alloc(4096, (config.memory_size + 4095) & ~4095ul);
    CHECK_EQ(tprof_init_image(&config, &image), TPROF_OK);
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
        CHECK(s.samples > 10 && s.apic_id == 16 * i);
    }
    CHECK_EQ(others, 0);
}

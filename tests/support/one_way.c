/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "check.h"
#include "machine.h"
#include "one_way.h"

#define PAGE 4096u

static int somebody(void *context)
{
    (void)context;
    return 1;
}

void one_way_init(struct tprof_config *config,
                  int (*take)(void *context, const void *data, uint32_t size))
{
    static struct tprof_channel channel = {
        .flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE,
        .open = somebody,
    };
    static const char code[PAGE];
    const struct tprof_image image = {
        .text_start = code,
        .text_end = code + sizeof code,
        .image_start = code,
        .image_end = code + sizeof code,
    };

    channel.send = take;
    config->version = TPROF_CONFIG_VERSION;
    if (config->channel == NULL)
        config->channel = &channel;
    /* whole pages, which aligned_alloc() wants */
    config->memory_size = (tprof_mem_size(config) + PAGE - 1) & ~(PAGE - 1ul);
    config->memory = aligned_alloc(PAGE, config->memory_size);
    CHECK_EQ(tprof_init_image(config, &image), TPROF_OK);
}

void one_way_cores(uint32_t cores, uint64_t tsc_hz, uint32_t rate_hz,
                   int (*take)(void *context, const void *data, uint32_t size))
{
    struct tprof_config config = {
        .timer = TPROF_TIMER_KERNEL,
        .kernel_hz = 1000,
        .rate_hz = rate_hz,
        .tsc_hz = tsc_hz,
        .cpus = cores,
    };

    one_way_init(&config, take);
    for (uint32_t i = 0; i < cores; i++) {
        on_core(i);
        tprof_machine.cores[i].hardware_id = i;
        CHECK_EQ(tprof_start_cpu(), TPROF_OK);
    }
    on_core(0);
}

void on_core(uint32_t core)
{
    tprof_machine.core = core;
}

void at(uint64_t time)
{
    CHECK(tprof_machine.now < time);
    tprof_machine.now = time - 1;
}

uint64_t varint(const uint8_t **bytes)
{
    uint64_t value = 0;
    uint32_t bit = 0;

    do
        value |= (uint64_t)(**bytes & 0x7f) << bit, bit += 7;
    while (*(*bytes)++ >= 0x80);
    return value;
}

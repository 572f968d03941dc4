/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel of somebody else's: sees the installed headers and library alone.
 * Samples itself into a buffer that stands for its own way to the host.
 */
#include <tprof/tprof.h>
#include <tprof/tprof_wire.h>

#include "cpu.h"
#include "guest.h"

#define SAMPLES_WANTED 20

static uint8_t sent[1 << 20];
static uint32_t sent_size;

static int always_open(void *context)
{
    (void)context;
    return 1;
}

static int keep(void *context, const void *data, uint32_t size)
{
    const uint8_t *bytes = data;

    (void)context;
    for (uint32_t i = 0; i < size && sent_size < sizeof sent; i++)
        sent[sent_size++] = bytes[i];
    return (int)size;
}

static void must(int error)
{
    if (error != TPROF_OK)
        guest_fail(tprof_strerror(error));
}

int guest_main(void)
{
    static const struct tprof_channel channel = {
        .flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE,
        .open = always_open,
        .send = keep,
    };
    struct tprof_config config = {.version = TPROF_CONFIG_VERSION};
    struct tprof_stats stats = {0};

    if (tprof_version() != TPROF_VERSION)
        guest_fail("header and library are not of one version");
    config.channel = &channel;
    must(tprof_init(&config));
    must(tprof_start_cpu());
    cpu_irq_enable();
    while (stats.samples < SAMPLES_WANTED)
        must(tprof_get_stats(0, &stats));
    must(tprof_stop_cpu());
    tprof_flush(1000);

    if (sent_size < WIRE_FRAME_HEADER ||
        (uint32_t)(sent[0] | sent[1] << 8) != WIRE_MAGIC ||
        sent[WIRE_FRAME_TYPE] != WIRE_HELLO)
        guest_fail("what was sent does not begin with HELLO");
    con_printf("package: tprof %s, %u samples\n", TPROF_VERSION_STRING,
               (unsigned)stats.samples);
    return 0;
}

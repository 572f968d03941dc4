/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may a host take from a guest that it floods with orders? The host is a
 * channel in this guest. It asks for samples, and from the middle on it fills
 * each receive() with frames of one type. Each core counts how often it gets
 * round a loop in the first half and in the second; the sum counts, since cores
 * under icount share the time.
 *
 * type=N    the frames: 32 START, 33 STOP, 34 PING, 35 RESET, 0 START and STOP
 *           by turns, as enum wire_type (default 32)
 * rate=HZ   that START asks for (default 50000)
 * ns=N      how long a half takes, in ticks of the TSC (default 250000000)
 * share=N   per mille of the guest that may be gone (default 20)
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "host.h"
#include "must.h"

#define FRAMES 2u

static struct host_frame frames[FRAMES]; /* the host's, by turns */
static uint32_t rate;
static uint64_t half_ns;
static _Atomic uint64_t begin_tsc; /* 0: some core has not started yet */
static _Atomic uint32_t started;
static uint64_t heard; /* frames of the flood */
static volatile bool floods;
static uint64_t rounds[GUEST_CORES_MAX][2];

static int host_send(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

static int host_receive(void *context, void *data, uint32_t size)
{
    static struct host_frame first;
    uint8_t *to = data;
    uint32_t used = 0;

    (void)context;
    if (first.size == 0) {
        host_start(&first, rate, 0);
        for (; used < first.size; used++)
            to[used] = first.bytes[used];
    }
    for (;;) {
        const struct host_frame *f = &frames[heard % FRAMES];

        if (!floods || used + f->size > size)
            return (int)used;
        for (uint32_t i = 0; i < f->size; i++)
            to[used++] = f->bytes[i];
        heard++;
    }
}

static const struct tprof_channel channel = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .open = host_is_there,
    .send = host_send,
    .receive = host_receive,
};

static uint64_t count_until(uint64_t end)
{
    uint64_t n = 0;

    while (cpu_rdtsc() < end)
        n++;
    return n;
}

static void run(void)
{
    unsigned core = core_index();

    must(tprof_start_cpu());
    cpu_irq_enable();
    if (++started == core_count())
        begin_tsc = cpu_rdtsc() + half_ns / 5;
    while (begin_tsc == 0)
        cpu_pause();
    count_until(begin_tsc);
    rounds[core][0] = count_until(begin_tsc + half_ns);
    floods = true;
    rounds[core][1] = count_until(begin_tsc + 2 * half_ns);
    cpu_irq_disable();
}

static void check_rounds(uint64_t share)
{
    uint64_t quiet = 0, flooded = 0, full = 0;
    struct tprof_stats s;

    for (unsigned i = 0; i < core_count(); i++) {
        must(tprof_get_stats(i, &s));
        quiet += rounds[i][0];
        flooded += rounds[i][1];
        full += s.ring_full;
    }
    con_printf("flood: %lu frames; %lu rounds, %lu without; %lu ticks lost\n",
               heard, flooded, quiet, full);
    if (flooded * 1000 < quiet * (1000 - share))
        guest_fail("the flood has taken too much of the guest");
    if (full > 0)
        guest_fail("samples were lost");
}

int guest_main(void)
{
    const struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .channel = &channel,
        .cpus = core_count(),
        .tsc_hz = 1000000000u,
    };
    uint8_t type = (uint8_t)opt_u64("type", HOST_START);

    rate = (uint32_t)opt_u64("rate", 50000);
    host_frame(&frames[0], type);
    host_frame(&frames[1], type ? type : HOST_STOP);
    if (type == 0 || type == HOST_START)
        host_start(&frames[0], rate, 0);
    if (type == HOST_START)
        host_start(&frames[1], rate, 0);
    half_ns = opt_u64("ns", 250000000u);
    must(tprof_init(&config));
    core_run_all(run);
    check_rounds(opt_u64("share", 20));
    return 0;
}

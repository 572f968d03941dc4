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
#include "must.h"

#define START      32u
#define STOP       33u
#define FRAMES     2u
#define FRAME_SIZE 32u

static struct frame {
    uint32_t size;
    uint8_t bytes[FRAME_SIZE];
} frames[FRAMES]; /* the host's, by turns */

static uint64_t half_ns;
static _Atomic uint64_t begin_tsc; /* 0: some core has not started yet */
static _Atomic uint32_t started;
static uint64_t heard; /* frames of the flood */
static volatile bool floods;
static uint64_t rounds[GUEST_CORES_MAX][2];

/* CRC-32C, bit by bit. */
static uint32_t crc_of(const uint8_t *at, uint32_t size)
{
    uint32_t crc = 0xffffffffu;

    while (size-- > 0) {
        crc ^= *at++;
        for (int i = 0; i < 8; i++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

/* A frame as WIRE.md 2 has it. */
static void make_frame(struct frame *f, uint8_t type)
{
    uint64_t rate = opt_u64("rate", 50000);
    const uint8_t start[] = {1, 2,  (uint8_t)rate, (uint8_t)(rate >> 8), 2,
                             1, 127};
    uint32_t size = type == START ? sizeof start : 0;

    f->bytes[0] = 0x54;
    f->bytes[1] = 0x9d;
    f->bytes[2] = type;
    f->bytes[6] = (uint8_t)size;
    for (uint32_t i = 0; i < size; i++)
        f->bytes[8 + i] = start[i];
    uint32_t crc = crc_of(f->bytes, 8 + size);

    for (uint32_t i = 0; i < 4; i++)
        f->bytes[8 + size + i] = (uint8_t)(crc >> 8 * i);
    f->size = 12 + size;
}

static int host_open(void *context)
{
    (void)context;
    return 1;
}

static int host_send(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

static int host_receive(void *context, void *data, uint32_t size)
{
    static struct frame first;
    uint8_t *to = data;
    uint32_t used = 0;

    (void)context;
    if (first.size == 0) {
        make_frame(&first, START);
        for (; used < first.size; used++)
            to[used] = first.bytes[used];
    }
    for (;;) {
        const struct frame *f = &frames[heard % FRAMES];

        if (!floods || used + f->size > size)
            return (int)used;
        for (uint32_t i = 0; i < f->size; i++)
            to[used++] = f->bytes[i];
        heard++;
    }
}

static const struct tprof_channel channel = {
    .flags = TPROF_CHANNEL_IRQ_SAFE,
    .open = host_open,
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
    uint8_t type = (uint8_t)opt_u64("type", START);

    make_frame(&frames[0], type ? type : START);
    make_frame(&frames[1], type ? type : STOP);
    half_ns = opt_u64("ns", 250000000u);
    must(tprof_init(&config));
    core_run_all(run);
    check_rounds(opt_u64("share", 20));
    return 0;
}

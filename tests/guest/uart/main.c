/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The profiler over a channel of the kernel's own: COM1, byte by byte, while
 * the console is elsewhere (boot --com1).
 *
 * way=1  one-way: sampling begins by itself, interrupts send
 * way=2  two-way: a host is attached from the start (chardev wait=on); the
 *        driver takes a lock, so only tprof_poll() in the main loop calls it
 * through=uart, debugcon  by the agent's own transport instead, one-way
 * port=N  ... through that port
 * absent=1  no host ever comes
 * cycles=N  how long to work, in ticks of the TSC; rate=HZ
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "must.h"

/* 16550 UART; PC16550D data sheet, 8.0. */
#define UART_DATA    0x3f8 /* rw */
#define UART_IER     0x3f9 /* rw */
#define UART_FCR     0x3fa /* w */
#define UART_FIFO    0x07  /* on, and both of them cleared */
#define UART_MCR     0x3fc /* rw */
#define UART_DTR_RTS 0x03
#define UART_LSR     0x3fd /* r */
#define UART_READY   0x01  /* a byte has come */
#define UART_EMPTY   0x20  /* room for a whole FIFO */
#define FIFO_BYTES   16

#define FLUSH_FRAMES 4096

static atomic_flag locked = ATOMIC_FLAG_INIT;
static volatile uint64_t result;
static bool absent;
static char through[16];
static uint64_t looks;

/* A host that comes and goes cannot be seen here: it is always there. */
static int uart_open(void *context)
{
    (void)context;
    looks++;
    return !absent;
}

static int uart_send(void *context, const void *data, uint32_t size)
{
    const uint8_t *bytes = data;

    (void)context;
    if (!(cpu_in8(UART_LSR) & UART_EMPTY))
        return 0;
    if (size > FIFO_BYTES)
        size = FIFO_BYTES;
    for (uint32_t i = 0; i < size; i++)
        cpu_out8(UART_DATA, bytes[i]);
    return (int)size;
}

static int uart_receive(void *context, void *data, uint32_t size)
{
    uint8_t *bytes = data;
    uint32_t len = 0;

    (void)context;
    while (len < size && (cpu_in8(UART_LSR) & UART_READY))
        bytes[len++] = cpu_in8(UART_DATA);
    return (int)len;
}

/* The driver's lock, which is no interrupt's: whoever is interrupted while
 * it holds it would never let go. */
static void lock(void)
{
    if (atomic_flag_test_and_set(&locked))
        guest_fail("uart: called while somebody holds its lock");
}

static void unlock(void)
{
    atomic_flag_clear(&locked);
}

static int locked_send(void *context, const void *data, uint32_t size)
{
    lock();
    int done = uart_send(context, data, size);

    unlock();
    return done;
}

static int locked_receive(void *context, void *data, uint32_t size)
{
    lock();
    int done = uart_receive(context, data, size);

    unlock();
    return done;
}

static const struct tprof_channel one_way = {
    .flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE,
    .open = uart_open,
    .send = uart_send,
};

static const struct tprof_channel two_way = {
    .open = uart_open,
    .send = locked_send,
    .receive = locked_receive,
};

__attribute__((noinline)) static uint64_t work_mix(uint64_t x)
{
    for (int i = 0; i < 3000; i++)
        x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    return x;
}

__attribute__((noinline)) static uint64_t work_divide(uint64_t x)
{
    for (uint64_t i = 1; i < 1000; i++)
        x += ~x / i;
    return x;
}

/* Work that holds the driver's lock with interrupts on, as a kernel's own use
 * of its device would: a tick that called the driver here would be caught. */
__attribute__((noinline)) static uint64_t work_locked(uint64_t x)
{
    lock();
    x = work_mix(x);
    unlock();
    return x;
}

/* The transport that the options name; NULL: our own channel. */
static const struct tprof_transport *transport(void)
{
    opt_str("through", "", through, sizeof through);
    if (through[0] == '\0')
        return NULL;
    return through[0] == 'u' ? &tprof_uart : &tprof_debugcon;
}

/* What a transport of the agent's does by itself. */
static void set_uart_up(void)
{
    cpu_out8(UART_IER, 0);
    cpu_out8(UART_FCR, UART_FIFO);
    cpu_out8(UART_MCR, UART_DTR_RTS);
}

int guest_main(void)
{
    bool is_two_way = opt_u64("way", 1) == 2;
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = (uint32_t)opt_u64("rate", 0),
        .cpu_source = TPROF_CPU_GS,
        .device.address = opt_u64("port", 0),
        .transport = transport(),
    };
    uint64_t cycles = opt_u64("cycles", 1000000000);
    struct tprof_stats stats;

    absent = opt_u64("absent", 0);
    if (!config.transport) {
        config.channel = is_two_way ? &two_way : &one_way;
        set_uart_up();
    }
    must(tprof_init(&config));
    must(tprof_start_cpu());
    cpu_irq_enable();

    uint64_t start = cpu_rdtsc();

    for (unsigned i = 1; cpu_rdtsc() - start < cycles; i++) {
        result = work_divide(work_mix(result));
        result = work_locked(result);
        if (is_two_way && i % 16 == 0) /* its port accesses are slow */
            tprof_poll();
    }
    must(tprof_stop_cpu()); /* so that the counts below are the last */
    /* a bounded flush may end early: the UART takes 16 bytes at a time */
    for (int i = 0; i < 100000 && tprof_flush(FLUSH_FRAMES); i++)
        cpu_pause();
    must(tprof_get_stats(0, &stats));
    con_printf("uart: %lu deadlines, %lu samples, %lu missed, %lu ring_full\n",
               stats.ticks + stats.missed, stats.samples, stats.missed,
               stats.ring_full);
    con_printf("counted: ticks %lu samples %lu missed %lu looks %lu\n",
               stats.ticks, stats.samples, stats.missed, looks);
    return 0;
}

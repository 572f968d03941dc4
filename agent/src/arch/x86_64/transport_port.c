/* SPDX-License-Identifier: BSD-2-Clause */
/* One-way channels through ports: QEMU's debug port, and a UART. */
#include "transport/transport.h"
#include "uart_regs.h"

/* For a kernel that uses every virtio device itself. The ports take one byte at
 * a time, so a call sends few bytes, and the rest of a frame is sent in the
 * next ticks. If the line is too slow, records stay in the rings until the
 * rings are full, which is counted. */
#define DEBUGCON       0xe9u
#define DEBUGCON_THERE 0xe9u /* value of a read of the port */
#define DEBUGCON_CHUNK 256u  /* bytes a call */
#define COM1           0x3f8u
#define UART_CHUNKS    4u /* FIFOs a call, if the line takes them */
#define UART_MARK      0x5a
#define PORT_MAX       0xfff8u

static uint8_t in8(uint32_t port)
{
    uint8_t value;

    __asm__ volatile("inb %w1, %0" : "=a"(value) : "Nd"(port) : "memory");
    return value;
}

static void out8(uint32_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %w1" : : "a"(value), "Nd"(port) : "memory");
}

/* Sends with one instruction: this is a single VM exit, if the hypervisor takes
 * whole strings. */
static void out_bytes(uint32_t port, const void *data, uint64_t size)
{
    __asm__ volatile("rep outsb"
                     : "+S"(data), "+c"(size)
                     : "d"(port)
                     : "memory");
}

static uint32_t port_of(void *context)
{
    return (uint32_t)(uintptr_t)context;
}

/* The guest cannot see whether a host reads. */
static int port_open(void *context)
{
    (void)context;
    return 1;
}

static int debugcon_send(void *context, const void *data, uint32_t size)
{
    if (size > DEBUGCON_CHUNK)
        size = DEBUGCON_CHUNK;
    out_bytes(port_of(context), data, size);
    return (int)size;
}

static int uart_send(void *context, const void *data, uint32_t size)
{
    uint32_t port = port_of(context);
    const uint8_t *from = data;
    uint32_t sent = 0;

    for (uint32_t i = 0; i < UART_CHUNKS && sent < size; i++) {
        uint32_t some = size - sent;

        if (!(in8(port + UART_LSR) & UART_THRE))
            break;
        if (some > UART_FIFO_SIZE)
            some = UART_FIFO_SIZE;
        out_bytes(port + UART_DATA, from + sent, some);
        sent += some;
    }
    return (int)sent;
}

/* Fills in (channel) for the port of (where), or for the port (usual) if that
 * is 0. Returns the port; 0 if the number is no port. */
static uint32_t fill_channel(struct tprof_channel *channel,
                             const struct tprof_device *where, uint32_t usual)
{
    uint32_t port = where->address ? (uint32_t)where->address : usual;

    channel->flags = TPROF_CHANNEL_ONE_WAY | TPROF_CHANNEL_IRQ_SAFE;
    channel->context = (void *)(uintptr_t)port;
    channel->open = port_open;
    return where->address > PORT_MAX ? 0 : port;
}

static int debugcon_init(const struct tprof_transport_setup *setup,
                         struct tprof_channel *channel)
{
    uint32_t port = fill_channel(channel, setup->where, DEBUGCON);

    channel->send = debugcon_send;
    return port && in8(port) == DEBUGCON_THERE ? TPROF_OK : TPROF_ERR_IO_PORT;
}

static int uart_init(const struct tprof_transport_setup *setup,
                     struct tprof_channel *channel)
{
    uint32_t port = fill_channel(channel, setup->where, COM1);

    channel->send = uart_send;
    if (port == 0)
        return TPROF_ERR_IO_PORT;
    out8(port + UART_SCRATCH, UART_MARK);
    if (in8(port + UART_SCRATCH) != UART_MARK)
        return TPROF_ERR_IO_PORT;
    out8(port + UART_IER, 0);
    out8(port + UART_LCR, UART_DLAB);
    out8(port + UART_DIVISOR, 1); /* 115200 baud */
    out8(port + UART_IER, 0);
    out8(port + UART_LCR, UART_8N1);
    out8(port + UART_FCR, UART_FIFO);
    out8(port + UART_MCR, UART_DTR_RTS);
    return (in8(port + UART_IIR) & UART_FIFO_ON) == UART_FIFO_ON
               ? TPROF_OK
               : TPROF_ERR_IO_PORT; /* an 8250, or a 16450 */
}

const struct tprof_transport tprof_debugcon = {debugcon_init, NULL, NULL};
const struct tprof_transport tprof_uart = {uart_init, NULL, NULL};

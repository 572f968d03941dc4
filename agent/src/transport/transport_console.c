/* SPDX-License-Identifier: BSD-2-Clause */
/* The channel over virtio-serial: control messages, and two byte streams */
#include "transport/transport_console.h"

#include <stddef.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "transport/console_queues.h"
#include "transport/transport.h"
#include "virtio/virtio_console_regs.h"
#include "virtio/virtio_regs.h"

/* Limit of batches of control messages in one call. It is enough for a device
 * with a few ports to get from reset to attached in one call. */
#define CONTROL_ROUNDS 8

/* Limit of looks at a device without a given address, before it answers. They
 * take half a second or more, because a busy host may answer late. Each look
 * reads memory only: VM exits would keep the host's core from answering. */
#define HANDSHAKE_LOOKS 10000000

/* Calls of open() that follow soon after a start, until the port has sent its
 * name. The device may answer at any time. */
#define SOON_LOOKS 8

/* --- Control -------------------------------------------------------------- */

/* Sends (event) of (port) to the device. Returns false if there is no room now.
 */
static bool tell_device(struct tprof_console *c, uint32_t port, uint32_t event,
                        uint32_t value)
{
    struct tprof_console_queue *q = &c->queues[TPROF_CONSOLE_CONTROL_OUT];

    tprof_console_reap_all(c, q);
    uint32_t id = tprof_virtqueue_idle(&q->ring);

    if (id >= q->ring.size || c->dead)
        return false;
    c->replies[id] = port | (uint64_t)(event | value << 16) << 32;
    tprof_virtqueue_add(&q->ring, id, (uintptr_t)&c->replies[id] + c->physical,
                        VIRTIO_CONSOLE_CONTROL_SIZE, false);
    tprof_console_publish(c, q);
    return true;
}

/* Is (name), with or without a final 0, our port's? (length) may be any number,
 * because a long name was cut. 8 bytes can be read at (name) in any case. */
static bool is_our_name(const uint8_t *name, uint32_t length)
{
    const uint64_t ours = 0x00302e666f727074; /* "tprof.0", little-endian */
    uint64_t differ = tprof_load64(name) ^ ours;

    return (length == 8 && differ == 0) || (length == 7 && differ << 8 == 0);
}

static void handle_control(struct tprof_console *c, const uint8_t *message,
                           uint32_t length)
{
    /* read once: the device may change the message meanwhile */
    uint64_t head = *(const volatile uint64_t *)(const void *)message;
    uint32_t port = (uint32_t)head;
    uint32_t bit = 1u << (port % TPROF_CONSOLE_PORTS);
    bool set = head >> 48 != 0;

    if (length < VIRTIO_CONSOLE_CONTROL_SIZE || port >= TPROF_CONSOLE_PORTS)
        return;
    switch (head >> 32 & 0xffff) {
    case VIRTIO_CONSOLE_PORT_ADD:
        c->ports |= bit;
        c->asked &= ~bit;
        break;
    case VIRTIO_CONSOLE_PORT_REMOVE:
        set = false; /* the port's host is gone, too */
        /* fall through */
    case VIRTIO_CONSOLE_PORT_OPEN:
        c->attached = set ? c->attached | bit : c->attached & ~bit;
        c->restart |= !set && port == c->port;
        break;
    case VIRTIO_CONSOLE_PORT_NAME:
        if (!is_our_name(message + VIRTIO_CONSOLE_CONTROL_SIZE,
                         length - VIRTIO_CONSOLE_CONTROL_SIZE))
            break;
        c->named = port == c->port;
        c->restart |= !c->named; /* now with the queues of this port */
        c->port = port;
        break;
    default: /* console port, resize: for terminals */
        break;
    }
}

/* Takes the pending control messages. Returns their number. */
static uint32_t drain_control(struct tprof_console *c)
{
    struct tprof_console_queue *q = &c->queues[TPROF_CONSOLE_CONTROL_IN];
    uint32_t count = 0;
    uint32_t length;
    int id;

    while (count < q->ring.size &&
           (id = tprof_console_reap(c, q, &length)) >= 0) {
        handle_control(c, q->buffers[id], length);
        tprof_console_add(c, q, (uint32_t)id);
        count++;
    }
    /* Starts the device again, because all buffers were full: the device may
     * have dropped a message, and the known state of the ports may be wrong.
     * Does nothing before any port was asked, because until then the messages
     * were announcements, for which there is room. */
    if (count == q->ring.size && c->asked)
        c->restart = true;
    if (count > 0 && !c->dead)
        tprof_console_publish(c, q);
    return count;
}

/* Asks for the name and state of a port that may be ours, first of the port
 * that was ours before. Returns whether a port was asked. */
static bool ask_for_name(struct tprof_console *c)
{
    uint32_t wanted = c->named ? 0 : c->ports & ~c->asked;

    if (wanted == 0)
        return false;
    uint32_t port = (uint32_t)__builtin_ctz(wanted);

    if (c->port != TPROF_CONSOLE_NO_PORT && wanted >> c->port & 1)
        port = c->port;
    if (!tell_device(c, port, VIRTIO_CONSOLE_PORT_READY, 1))
        return false;
    c->asked |= 1u << port;
    return true;
}

/* --- Life of the device --------------------------------------------------- */

/* Is the reset finished? Until then the device may still read sent bytes. */
static bool is_reset(struct tprof_console *c)
{
    int done = tprof_virtio_is_reset(&c->device);

    if (done > 0)
        c->sent_first = c->sent_next = c->sent_bytes = 0;
    if (done < 0)
        tprof_console_give_up(c);
    return done > 0;
}

/* Begins to start the device, in any state. */
static void begin_start(struct tprof_console *c)
{
    c->ports = 0;
    c->asked = 0;
    c->attached = 0;
    c->named = false;
    c->told_open = false;
    c->lost = true;
    c->restart = false;
    c->receive_left = 0;
    c->step = TPROF_CONSOLE_RESET;
    tprof_virtio_reset(&c->device);
    is_reset(c);
}

/* Takes the next step of the start, which is (c->step). */
static void take_step(struct tprof_console *c)
{
    uint32_t queue = c->step - TPROF_CONSOLE_ENABLE;
    uint32_t queues = c->port == TPROF_CONSOLE_NO_PORT ? TPROF_CONSOLE_DATA_IN
                                                       : TPROF_CONSOLE_QUEUES;

    if (c->step == TPROF_CONSOLE_RESET) {
        if (!is_reset(c))
            return;
        int error = tprof_virtio_agree(&c->device, VIRTIO_CONSOLE_F_MULTIPORT);

        if (error != TPROF_OK) {
            tprof_console_give_up(c);
            c->dead = error;
        }
        c->step = TPROF_CONSOLE_ENABLE;
    } else if (!tprof_virtio_has_agreed(&c->device)) {
        tprof_console_mark_dead(
            c); /* another driver has it now: touch nothing */
    } else if (queue < queues) {
        if (!tprof_console_enable(c, queue))
            tprof_console_give_up(c);
        c->step++;
    } else {
        tprof_virtio_go(&c->device);
        c->step = TPROF_CONSOLE_RUNS;
        c->soon = SOON_LOOKS;
        tprof_console_publish(c, &c->queues[TPROF_CONSOLE_CONTROL_IN]);
        tell_device(c, UINT32_MAX, VIRTIO_CONSOLE_DEVICE_READY, 1);
    }
}

/* Starts the device completely. In tprof_init() only. */
static int start_device(struct tprof_console *c)
{
    begin_start(c);
    while (c->step != TPROF_CONSOLE_RUNS && !c->dead)
        take_step(c);
    return c->dead;
}

/* Handles one batch of control messages. Returns whether another may follow. */
static bool hear_control_round(struct tprof_console *c)
{
    uint32_t count = drain_control(c);

    if (c->dead)
        return false;
    if (c->restart) {
        begin_start(c);
        return false;
    }
    return ask_for_name(c) || count > 0;
}

/* Continues the start of the device; after it, handles all control messages.
 * Returns 0, or the error that made the device dead. */
static int hear_control(struct tprof_console *c)
{
    if (!c->dead && c->step != TPROF_CONSOLE_RUNS) {
        take_step(c);
        return c->dead;
    }
    for (int i = 0; i < CONTROL_ROUNDS && !c->dead && hear_control_round(c);
         i++)
        ;
    return c->dead;
}

/* Is our port on the device that was just started? Returns TPROF_OK if it is.
 */
static int wait_for_port(struct tprof_console *c)
{
    struct tprof_console_queue *told = &c->queues[TPROF_CONSOLE_CONTROL_OUT];

    for (int i = 0; i < HANDSHAKE_LOOKS; i++) {
        tprof_console_reap_all(c, told);
        /* read before hear_control(), which then sees all answers */
        bool answered = told->ring.in_flight == 0;

        if (hear_control(c) < 0)
            return c->dead;
        while (c->step != TPROF_CONSOLE_RUNS && !c->dead)
            take_step(c);
        if (c->port != TPROF_CONSOLE_NO_PORT)
            return TPROF_OK;
        if (answered && told->ring.in_flight == 0)
            return TPROF_ERR_DEVICE_PORT; /* all ports were asked */
        tprof_arch_relax();
    }
    return TPROF_ERR_DEVICE;
}

/* Called for a device that the search has found: takes it or not. */
static int claim_device(void *context)
{
    struct tprof_console *c = context;

    c->dead = 0;
    c->port = TPROF_CONSOLE_NO_PORT;
    int error = start_device(c);

    return error != TPROF_OK || c->given ? error : wait_for_port(c);
}

/* --- The channel ---------------------------------------------------------- */

static int console_open(void *context)
{
    struct tprof_console *c = context;

    if (!c->dead && c->step == TPROF_CONSOLE_RUNS &&
        !tprof_virtio_works(&c->device))
        tprof_console_mark_dead(
            c); /* gone, or reset by another driver: touch nothing */
    hear_control(c);
    c->channel->flags &= ~TPROF_CHANNEL_SOON;
    if (c->step != TPROF_CONSOLE_RUNS || (!c->named && c->soon > 0)) {
        c->channel->flags |= TPROF_CHANNEL_SOON;
        c->soon--;
    }
    if (c->dead || !c->named)
        return c->dead;
    if (!c->told_open && tell_device(c, c->port, VIRTIO_CONSOLE_PORT_OPEN, 1)) {
        c->told_open = true;
        /* QEMU looks for data from the host only when it is notified of
         * buffers, and forgets notifications from before the port was open */
        tprof_console_publish(c, &c->queues[TPROF_CONSOLE_DATA_IN]);
    }
    if (c->dead || !(c->attached >> c->port & 1))
        return c->dead;
    c->lost = false;
    return 1;
}

/* Counts the bytes that the device has read, the oldest first. */
static void reap_sent(struct tprof_console *c)
{
    struct tprof_console_queue *q = &c->queues[TPROF_CONSOLE_DATA_OUT];

    tprof_console_reap_all(c, q);
    while (c->sent_bytes > 0) {
        uint32_t id = c->sent_first & (q->ring.size - 1);

        if (tprof_virtqueue_busy(&q->ring, id))
            break;
        c->sent_bytes -= c->sent_size[id];
        c->sent_first++;
    }
}

static int console_send(void *context, const void *data, uint32_t size)
{
    struct tprof_console *c = context;
    struct tprof_console_queue *q = &c->queues[TPROF_CONSOLE_DATA_OUT];

    if (c->dead)
        return c->dead;
    if (c->lost)
        return TPROF_ERR_CLOSED;
    reap_sent(c);
    if (c->dead || size == 0 || c->sent_next - c->sent_first == q->ring.size)
        return c->dead;
    uint32_t id = c->sent_next++ & (q->ring.size - 1);

    c->sent_size[id] = size;
    c->sent_bytes += size;
    tprof_virtqueue_add(&q->ring, id, (uintptr_t)data + c->physical, size,
                        false);
    tprof_console_publish(c, q);
    return (int)size;
}

static uint32_t console_pending(void *context)
{
    struct tprof_console *c = context;

    if (c->sent_bytes > 0 && c->step == TPROF_CONSOLE_RESET)
        is_reset(c);
    else if (c->sent_bytes > 0) /* so the device is alive, the queue set up */
        reap_sent(c);
    return c->sent_bytes;
}

/* Moves to the next received buffer if this one is empty. Returns the bytes
 * left in it; 0: nothing has come. */
static uint32_t find_received(struct tprof_console *c)
{
    uint32_t length;

    if (c->receive_left > 0)
        return c->receive_left;
    int id = tprof_console_reap(c, &c->queues[TPROF_CONSOLE_DATA_IN], &length);

    if (id < 0)
        return 0;
    if (length == 0 || length > TPROF_CONSOLE_BUFFER_SIZE) {
        tprof_console_give_up(c);
        return 0;
    }
    c->receive_id = (uint32_t)id;
    c->receive_left = length;
    c->receive_from = c->queues[TPROF_CONSOLE_DATA_IN].buffers[id];
    return length;
}

static int console_receive(void *context, void *data, uint32_t size)
{
    struct tprof_console *c = context;
    struct tprof_console_queue *q = &c->queues[TPROF_CONSOLE_DATA_IN];

    if (hear_control(c) < 0)
        return c->dead;
    if (c->lost)
        return TPROF_ERR_CLOSED;
    uint32_t left = find_received(c);

    if (left == 0)
        return c->dead;
    if (size > left)
        size = left;
    tprof_arch_copy(data, c->receive_from, size);
    c->receive_from += size;
    c->receive_left -= size;
    if (c->receive_left == 0) {
        tprof_console_add(c, q, c->receive_id);
        tprof_console_publish(c, q);
    }
    return (int)size;
}

/* --- Joining -------------------------------------------------------------- */

int tprof_console_init(const struct tprof_transport_setup *setup,
                       struct tprof_channel *channel)
{
    struct tprof_console *c = setup->memory;
    struct tprof_virtio_search search = {
        .where = setup->where,
        .type = VIRTIO_TYPE_CONSOLE,
        .dev = &c->device,
        .take = claim_device,
        .context = c,
    };

    tprof_arch_zero(c, sizeof *c);
    c->physical = setup->physical;
    c->device.second = setup->second;
    c->channel = channel;
    c->given = setup->where->address != 0;
    int error = tprof_virtio_find(&search);

    if (error != TPROF_OK)
        return error;
    channel->flags = TPROF_CHANNEL_IRQ_SAFE;
    channel->context = c;
    channel->open = console_open;
    channel->send = console_send;
    channel->pending = console_pending;
    channel->receive = console_receive;
    return TPROF_OK;
}
_Static_assert(sizeof(struct tprof_console) <= TPROF_TRANSPORT_MEMORY,
               "it fits");

void tprof_console_exit(void *memory)
{
    struct tprof_console *c = memory;

    if (!c->dead)
        tprof_virtio_let_go(&c->device);
}

void tprof_console_restart(void *context)
{
    struct tprof_console *c = context;

    if (!c->dead)
        begin_start(c);
}

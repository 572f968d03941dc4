/* SPDX-License-Identifier: BSD-2-Clause */
/* Control messages, and a byte stream each way, over a console's queues. */
#include "transport_console.h"

#include <stddef.h>

#include "mem.h"
#include "virtio/virtio_console_regs.h"
#include "virtio/virtio_regs.h"

static const char port_name[] = "tprof.0";

/* One call handles at most so many batches of control messages: enough for a
 * device with a few ports to get from reset to attached at one look. */
#define CONTROL_ROUNDS 8

/* Looks at a device found by itself, until it has answered. */
#define HANDSHAKE_LOOKS 1000000

/* Nothing more is to be had from the device. */
static int die(struct tprof_console *c)
{
    c->sent_bytes = 0; /* none of them is in use any more */
    c->dead = TPROF_ERR_DEVICE;
    return c->dead;
}

/* The device lies, or cannot do what we need. */
static int give_up(struct tprof_console *c)
{
    tprof_virtio_give_up(&c->device);
    return die(c);
}

static bool is_attached(const struct tprof_console *c)
{
    return c->port != TPROF_CONSOLE_NO_PORT && c->attached >> c->port & 1;
}

/* --- Queues -----------------------------------------------------------------
 */

static void publish(struct tprof_console *c, enum tprof_console_queue which)
{
    if (tprof_virtqueue_publish(&c->queues[which].ring))
        c->device.notify(c->queues[which].doorbell, c->queues[which].index);
}

static void add(struct tprof_console *c, enum tprof_console_queue which,
                uint32_t id, const void *data, uint32_t size)
{
    bool in =
        which == TPROF_CONSOLE_CONTROL_IN || which == TPROF_CONSOLE_DATA_IN;

    tprof_virtqueue_add(&c->queues[which].ring, id,
                        (uintptr_t)data + c->physical, size, in);
}

static void add_control(struct tprof_console *c, uint32_t id)
{
    add(c, TPROF_CONSOLE_CONTROL_IN, id, c->controls[id],
        TPROF_CONSOLE_CONTROL_SIZE);
}

static void add_receive(struct tprof_console *c, uint32_t id)
{
    add(c, TPROF_CONSOLE_DATA_IN, id, c->receives[id],
        TPROF_CONSOLE_RECEIVE_SIZE);
}

/* How many descriptors came back; a device that lies is given up: then 0. */
static uint32_t ready(struct tprof_console *c, enum tprof_console_queue which)
{
    int count = tprof_virtqueue_ready(&c->queues[which].ring);

    if (count < 0)
        give_up(c);
    return count < 0 ? 0 : (uint32_t)count;
}

/* The next of them, or negative after giving up. */
static int reap(struct tprof_console *c, enum tprof_console_queue which,
                uint32_t *length)
{
    int id = tprof_virtqueue_reap(&c->queues[which].ring, length);

    return id < 0 ? give_up(c) : id;
}

/* Queue (index) of the device, of at most (size), becomes our (which). */
static bool enable(struct tprof_console *c, enum tprof_console_queue which,
                   uint32_t index, uint32_t size)
{
    const struct tprof_virtio *dev = &c->device;
    struct tprof_virtqueue_memory *memory = &c->rings[which];
    uint32_t max = dev->select(dev, index);

    while (size > max)
        size /= 2;
    if (size == 0)
        return false;
    tprof_virtqueue_init(&c->queues[which].ring, memory, size);
    c->queues[which].index = index;
    c->queues[which].doorbell =
        dev->enable(dev, size, (uintptr_t)memory + c->physical);
    return true;
}

/* --- Control ----------------------------------------------------------------
 */

/* Tell the device (event) of (port). False: no room now, tell it later. */
static bool tell(struct tprof_console *c, uint32_t port, uint16_t event,
                 uint16_t value)
{
    struct tprof_virtqueue *q = &c->queues[TPROF_CONSOLE_CONTROL_OUT].ring;
    uint32_t id = 0;
    uint32_t unused;

    for (uint32_t n = ready(c, TPROF_CONSOLE_CONTROL_OUT); n > 0; n--) {
        if (reap(c, TPROF_CONSOLE_CONTROL_OUT, &unused) < 0)
            return false;
    }
    while (id < q->size && tprof_virtqueue_busy(q, id))
        id++;
    if (id == q->size || c->dead)
        return false;
    tprof_store32(c->replies[id], port);
    tprof_store16(c->replies[id] + 4, event);
    tprof_store16(c->replies[id] + 6, value);
    add(c, TPROF_CONSOLE_CONTROL_OUT, id, c->replies[id],
        VIRTIO_CONSOLE_CONTROL_SIZE);
    publish(c, TPROF_CONSOLE_CONTROL_OUT);
    return true;
}

/* Is (name), with or without a final 0, our port's? One that was longer than
 * the buffer is not, so (length) may be any. */
static bool is_our_name(const uint8_t *name, uint32_t length)
{
    const uint32_t bare = sizeof port_name - 1;

    return (length == bare || (length == bare + 1 && name[bare] == 0)) &&
           memcmp(name, port_name, bare) == 0;
}

static void handle_control(struct tprof_console *c, const uint8_t *message,
                           uint32_t length)
{
    uint32_t port = tprof_load32(message);

    if (length < VIRTIO_CONSOLE_CONTROL_SIZE || port >= TPROF_CONSOLE_PORTS)
        return;
    uint32_t bit = 1u << port;

    switch (tprof_load16(message + 4)) {
    case VIRTIO_CONSOLE_PORT_ADD:
        c->ports |= bit;
        break;
    case VIRTIO_CONSOLE_PORT_REMOVE:
        c->ports &= ~bit;
        if (port == c->port) {
            c->port = TPROF_CONSOLE_NO_PORT;
            c->restart = true; /* it may come back as another number */
        }
        break;
    case VIRTIO_CONSOLE_PORT_OPEN:
        if (tprof_load16(message + 6) != 0) {
            c->attached |= bit;
        } else {
            c->attached &= ~bit;
            c->restart = c->restart || port == c->port;
        }
        break;
    case VIRTIO_CONSOLE_PORT_NAME:
        if (port != c->port &&
            is_our_name(message + VIRTIO_CONSOLE_CONTROL_SIZE,
                        length - VIRTIO_CONSOLE_CONTROL_SIZE)) {
            c->port = port;
            c->restart = true; /* with its queues */
        }
        break;
    default: /* console port, resize: not for us */
        break;
    }
}

/* Take the (count) control messages that wait. */
static void drain_control(struct tprof_console *c, uint32_t count)
{
    uint8_t message[TPROF_CONSOLE_CONTROL_SIZE];
    uint32_t length;
    bool full = count == c->queues[TPROF_CONSOLE_CONTROL_IN].ring.size;

    for (uint32_t i = 0; i < count; i++) {
        int id = reap(c, TPROF_CONSOLE_CONTROL_IN, &length);

        if (id < 0)
            return;
        /* a copy, which the device cannot change after it was looked at */
        memcpy(message, c->controls[id], sizeof message);
        add_control(c, (uint32_t)id);
        handle_control(c, message, length);
    }
    publish(c, TPROF_CONSOLE_CONTROL_IN);
    /* What came next found no buffer and was dropped: believe nothing. */
    if (full && c->asked)
        c->restart = true;
}

/* Ask for the name and state of one port that might be ours: of ours alone
 * once we know it, and it was announced. */
static bool ask(struct tprof_console *c)
{
    uint32_t wanted = c->ports & ~c->asked;

    if (c->port != TPROF_CONSOLE_NO_PORT && c->ports >> c->port & 1)
        wanted &= 1u << c->port;
    if (wanted == 0)
        return false;
    uint32_t port = (uint32_t)__builtin_ctz(wanted);

    if (!tell(c, port, VIRTIO_CONSOLE_PORT_READY, 1))
        return false;
    c->asked |= 1u << port;
    return true;
}

/* --- Life of the device ------------------------------------------------------
 */

/*
 * Start the device, from whatever state; with the port's queues if known.
 *
 * Also done whenever a host has left: QEMU drops what it had half sent to it,
 * and never gives that descriptor back. It also keeps one host's bytes, on
 * their way in or out, from the next one.
 */
static int start(struct tprof_console *c)
{
    c->ports = 0;
    c->asked = 0;
    c->attached = 0;
    c->told_open = false;
    c->lost = true;
    c->restart = false;
    c->receive_left = 0;
    c->sent_first = 0;
    c->sent_next = 0;
    c->sent_bytes = 0;

    if (tprof_virtio_begin(&c->device, VIRTIO_CONSOLE_F_MULTIPORT) < 0)
        return give_up(c);
    if (!enable(c, TPROF_CONSOLE_CONTROL_IN, VIRTIO_CONSOLE_QUEUE_CONTROL_IN,
                TPROF_CONSOLE_CONTROLS) ||
        !enable(c, TPROF_CONSOLE_CONTROL_OUT, VIRTIO_CONSOLE_QUEUE_CONTROL_OUT,
                TPROF_CONSOLE_REPLIES))
        return give_up(c);
    if (c->port != TPROF_CONSOLE_NO_PORT) {
        uint32_t index = c->port == 0 ? 0 : 2 * c->port + 2;

        if (!enable(c, TPROF_CONSOLE_DATA_IN, index, TPROF_CONSOLE_RECEIVES) ||
            !enable(c, TPROF_CONSOLE_DATA_OUT, index + 1, TPROF_VIRTQUEUE_MAX))
            return give_up(c);
        for (uint32_t i = 0; i < c->queues[TPROF_CONSOLE_DATA_IN].ring.size;
             i++)
            add_receive(c, i);
    }
    for (uint32_t i = 0; i < c->queues[TPROF_CONSOLE_CONTROL_IN].ring.size; i++)
        add_control(c, i);
    tprof_virtio_go(&c->device);
    if (c->port != TPROF_CONSOLE_NO_PORT)
        publish(c, TPROF_CONSOLE_DATA_IN);
    publish(c, TPROF_CONSOLE_CONTROL_IN);
    tell(c, UINT32_MAX, VIRTIO_CONSOLE_DEVICE_READY, 1);
    return TPROF_OK;
}

/* One batch of control messages. Returns whether another may follow. */
static bool control_round(struct tprof_console *c)
{
    uint32_t count = ready(c, TPROF_CONSOLE_CONTROL_IN);

    if (count > 0)
        drain_control(c, count);
    if (c->dead)
        return false;
    if (c->restart)
        return start(c) == TPROF_OK;
    return ask(c) || count > 0;
}

/* Learn what is new. Returns 0, or the error that the device is dead of. */
static int control(struct tprof_console *c)
{
    int rounds = CONTROL_ROUNDS;

    while (!c->dead && rounds-- > 0 && control_round(c))
        ;
    return c->dead;
}

/* Is our port on the device that was just started? */
static bool handshake(struct tprof_console *c)
{
    const struct tprof_virtqueue *told =
        &c->queues[TPROF_CONSOLE_CONTROL_OUT].ring;

    for (int i = 0; i < HANDSHAKE_LOOKS; i++) {
        /* first this: what it has answered by now, control() will see */
        uint16_t added = told->added;
        bool answered = ready(c, TPROF_CONSOLE_CONTROL_OUT) ==
                        (uint16_t)(added - told->reaped);

        if (control(c) < 0)
            return false;
        if (c->port != TPROF_CONSOLE_NO_PORT)
            return true;
        if (answered && told->added == added)
            return false; /* and there was nothing more to ask */
        __builtin_ia32_pause();
    }
    return false;
}

/* Take the device that was found? */
static bool claim(void *context)
{
    struct tprof_console *c = context;

    c->dead = 0;
    c->port = TPROF_CONSOLE_NO_PORT;
    return start(c) == TPROF_OK && (c->told || handshake(c));
}

/* --- The channel
 * -------------------------------------------------------------- */

static int console_open(void *context)
{
    struct tprof_console *c = context;

    if (!c->dead && !tprof_virtio_works(&c->device))
        die(c); /* gone, or somebody else has reset it: touch nothing */
    if (control(c) < 0)
        return c->dead;
    if (c->port != TPROF_CONSOLE_NO_PORT && !c->told_open &&
        tell(c, c->port, VIRTIO_CONSOLE_PORT_OPEN, 1)) {
        c->told_open = true;
        /* QEMU looks again for data from the host only when it hears of
         * buffers; what it heard of them before the port was open it forgot */
        publish(c, TPROF_CONSOLE_DATA_IN);
    }
    if (c->dead || !is_attached(c))
        return c->dead;
    c->lost = false;
    return 1;
}

/* Account for what the device has read, the oldest first. */
static void reap_sent(struct tprof_console *c)
{
    const struct tprof_virtqueue *q = &c->queues[TPROF_CONSOLE_DATA_OUT].ring;
    uint32_t unused;

    for (uint32_t n = ready(c, TPROF_CONSOLE_DATA_OUT); n > 0; n--) {
        if (reap(c, TPROF_CONSOLE_DATA_OUT, &unused) < 0)
            return;
    }
    while (c->sent_first != c->sent_next) {
        uint32_t id = c->sent_first & (q->size - 1);

        if (tprof_virtqueue_busy(q, id))
            break;
        c->sent_bytes -= c->sent_size[id];
        c->sent_first++;
    }
}

static int console_send(void *context, const void *data, uint32_t size)
{
    struct tprof_console *c = context;
    const struct tprof_virtqueue *q = &c->queues[TPROF_CONSOLE_DATA_OUT].ring;

    if (c->dead)
        return c->dead;
    if (c->lost)
        return TPROF_ERR_CLOSED;
    reap_sent(c);
    if (c->dead || size == 0 || c->sent_next - c->sent_first == q->size)
        return c->dead;
    uint32_t id = c->sent_next++ & (q->size - 1);

    c->sent_size[id] = size;
    c->sent_bytes += size;
    add(c, TPROF_CONSOLE_DATA_OUT, id, data, size);
    publish(c, TPROF_CONSOLE_DATA_OUT);
    return (int)size;
}

static uint32_t console_pending(void *context)
{
    struct tprof_console *c = context;

    if (!c->dead && c->sent_bytes > 0)
        reap_sent(c);
    return c->sent_bytes;
}

/* Make the next received buffer the one being copied. False: there is none. */
static bool next_receive(struct tprof_console *c)
{
    uint32_t length;

    if (c->receive_left > 0)
        return true;
    if (ready(c, TPROF_CONSOLE_DATA_IN) == 0)
        return false;
    int id = reap(c, TPROF_CONSOLE_DATA_IN, &length);

    if (id < 0)
        return false;
    if (length == 0 || length > TPROF_CONSOLE_RECEIVE_SIZE) {
        give_up(c);
        return false;
    }
    c->receive_id = (uint32_t)id;
    c->receive_at = 0;
    c->receive_left = length;
    return true;
}

static int console_receive(void *context, void *data, uint32_t size)
{
    struct tprof_console *c = context;
    uint8_t *to = data;
    uint32_t copied = 0;
    bool freed = false;

    if (control(c) < 0)
        return c->dead;
    if (c->lost)
        return TPROF_ERR_CLOSED;
    /* each turn ends a buffer or the call, and a lying device gives up its
     * buffers no faster than (size) runs out */
    while (copied < size && next_receive(c)) {
        uint32_t part = size - copied;

        if (part > c->receive_left)
            part = c->receive_left;
        memcpy(to + copied, c->receives[c->receive_id] + c->receive_at, part);
        copied += part;
        c->receive_at += part;
        c->receive_left -= part;
        if (c->receive_left == 0) {
            add_receive(c, c->receive_id);
            freed = true;
        }
    }
    if (c->dead)
        return c->dead;
    if (freed)
        publish(c, TPROF_CONSOLE_DATA_IN);
    return (int)copied;
}

static void console_close(void *context)
{
    struct tprof_console *c = context;

    if (!c->dead && c->told_open)
        c->told_open = !tell(c, c->port, VIRTIO_CONSOLE_PORT_OPEN, 0);
}

int tprof_console_init(struct tprof_console *c,
                       const struct tprof_device *where, uint64_t physical,
                       struct tprof_channel *channel)
{
    const struct tprof_virtio_search search = {
        .where = where,
        .type = VIRTIO_TYPE_CONSOLE,
        .dev = &c->device,
        .take = claim,
        .context = c,
    };

    c->physical = physical;
    c->told = where->address != 0;
    if (!tprof_virtio_find(&search))
        return TPROF_ERR_DEVICE;
    channel->flags = TPROF_CHANNEL_IRQ_SAFE;
    channel->context = c;
    channel->open = console_open;
    channel->send = console_send;
    channel->pending = console_pending;
    channel->receive = console_receive;
    channel->close = console_close;
    return TPROF_OK;
}

void tprof_console_fini(struct tprof_console *c)
{
    c->device.set_status(&c->device, 0);
    die(c);
}

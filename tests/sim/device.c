/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers and split rings, from the device's side. */
#include "device.h"

#include <string.h>

#define REGISTERS 0xfeb00e00u /* one of microvm's places */
#define PIN       7u
#define WORKS     0x04u /* of the status: DRIVER_OK */
#define BROKEN    0xc0u

struct queue {
    uint32_t size;
    uint64_t desc, avail, used;
    bool ready;
    uint16_t seen, done;
};

struct device_faults device_faults;
bool device_lied;

static const struct device_ops *ops;
static bool legacy;
static uint32_t status, feature_half, selected, page_size, ring_align;
static bool is_line_up;
static uint32_t aimed_at = UINT32_MAX;
static struct queue queues[DEVICE_QUEUES];

/* --- No device: a channel of the kernel's own (kernel.c) -------------------
 */

static void nothing(void)
{
}

static void let_in(void)
{
    link_now.state = LINK_OPEN;
}

static const struct device_ops no_device = {
    .act = nothing,
    .forget = nothing,
    .call = let_in,
    .hang_up = nothing,
    .resumed = link_hang_up,
};

void device_unplug(void)
{
    ops = &no_device;
}

/* --- The machine's -------------------------------------------------------- */

void device_init(struct tprof_config *config)
{
    ops = chance(500) ? &console_device : &vsock_device;
    legacy = ops == &console_device && chance(200);
    config->transport = ops == &vsock_device ? &tprof_vsock : NULL;
    if (chance(500))
        config->device.address = REGISTERS;
    else if (chance(500))
        config->device.command_line =
            "quiet virtio_mmio.device=512@0xfeb00c00:6 "
            "virtio_mmio.device=512@0xfeb00e00:7";
    if (chance(400))
        config->device.irq = PIN;
    config->device.bus = below(2); /* TPROF_BUS_AUTO, TPROF_BUS_MMIO */
    config->notice = chance(200) ? TPROF_NOTICE_LOOK : TPROF_NOTICE_AUTO;
    note(ops == &console_device ? "a console device, version %lu"
                                : "a vsock device, version %lu",
         legacy ? 1 : 2, 0, 0);
}

/* --- Rings ---------------------------------------------------------------- */

uint64_t load_le(const uint8_t *at, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, at, size);
    return value;
}

void store_le(uint8_t *at, uint64_t value, size_t size)
{
    memcpy(at, &value, size);
}

bool queue_works(uint32_t queue)
{
    return (status & (WORKS | BROKEN)) == WORKS && queues[queue].ready &&
           !device_faults.vanished;
}

static uint8_t *part_at(const uint8_t *desc, uint32_t *size)
{
    *size = (uint32_t)load_le(desc + 8, 4);
    return device_memory(load_le(desc, 8), *size);
}

bool queue_pop(uint32_t queue, struct buffer *b)
{
    struct queue *q = &queues[queue];

    if (!queue_works(queue))
        return false;
    const uint8_t *avail = device_memory(q->avail, 4 + 2 * (size_t)q->size);

    if (load_le(avail + 2, 2) == q->seen)
        return false;
    memset(b, 0, sizeof *b);
    b->id = (uint32_t)load_le(avail + 4 + 2 * (size_t)(q->seen++ % q->size), 2);
    const uint8_t *table = device_memory(q->desc, 16 * (size_t)q->size);
    const uint8_t *desc = table + 16 * (size_t)(b->id % q->size);

    if (b->id >= q->size)
        fail("queue %u: descriptor %u of %u", queue, b->id, q->size);
    b->part[0] = part_at(desc, &b->size[0]);
    b->writable = load_le(desc + 12, 2) & 2;
    if (load_le(desc + 12, 2) & 1) {
        desc = table + 16 * (size_t)(load_le(desc + 14, 2) % q->size);
        b->part[1] = part_at(desc, &b->size[1]);
    }
    return true;
}

/* The device's interrupt, if the driver wants it and somebody is to hear it. */
static void interrupt(const struct queue *q)
{
    if (load_le(device_memory(q->avail, 2), 2) & 1)
        return;
    if (!is_line_up && aimed_at != UINT32_MAX) {
        note("device: interrupts the core with id %lu", aimed_at, 0, 0);
        tprof_machine_raise(aimed_at);
    }
    is_line_up = true;
}

void queue_push(uint32_t queue, uint32_t id, uint32_t length)
{
    struct queue *q = &queues[queue];
    uint8_t *used = device_memory(q->used, 4 + 8 * (size_t)q->size);
    uint8_t *entry = used + 4 + 8 * (size_t)(q->done % q->size);
    uint32_t lie = device_faults.lie;

    if (lie > 0) {
        device_faults.lie = 0;
        device_lied = true;
        note("device: lies (%lu) about buffer %lu of queue %lu", lie, id,
             queue);
        if (lie == 1)
            id = (uint32_t)draw();
        else if (lie == 2)
            id = (id + 1) % q->size;
        else if (lie == 3)
            length = (uint32_t)draw();
        else
            q->done = (uint16_t)(q->done + below(400));
    }
    store_le(entry, id, 4);
    store_le(entry + 4, length, 4);
    q->done++;
    store_le(used + 2, q->done, 2);
    interrupt(q);
}

/* --- Registers ------------------------------------------------------------ */

static void reset(void)
{
    note("device: is reset", 0, 0, 0);
    memset(queues, 0, sizeof queues);
    is_line_up = false;
    link_hang_up();
    ops->forget();
}

uint32_t device_read(uintptr_t address, uint32_t width)
{
    uint32_t reg = (uint32_t)(address - REGISTERS);

    if (address - REGISTERS >= 0x100 || width != 4)
        return UINT32_MAX;
    if (device_faults.vanished)
        return UINT32_MAX;
    switch (reg) {
    case 0x000:
        return 0x74726976;
    case 0x004:
        return legacy ? 1 : 2;
    case 0x008:
        return ops->type;
    case 0x010:
        if (feature_half == 0)
            return (uint32_t)ops->features;
        return (uint32_t)(ops->features >> 32) | !legacy;
    case 0x034:
        return selected < DEVICE_QUEUES ? ops->queues[selected] : 0;
    case 0x060:
        return is_line_up;
    case 0x070:
        return status;
    default:
        return 0;
    }
}

static void write_queue(uint32_t reg, uint32_t value)
{
    struct queue *q = &queues[selected % DEVICE_QUEUES];

    switch (reg) {
    case 0x038:
        q->size = value;
        break;
    case 0x040: /* legacy: from here on all is known */
        q->desc = (uint64_t)value * page_size;
        q->avail = q->desc + 16 * (uint64_t)q->size;
        q->used = (q->avail + 6 + 2 * (uint64_t)q->size + ring_align - 1) /
                  ring_align * ring_align;
        q->ready = value != 0;
        break;
    case 0x044:
        q->ready = value == 1;
        break;
    case 0x080:
        q->desc = value;
        break;
    case 0x084:
        q->desc |= (uint64_t)value << 32;
        break;
    case 0x090:
        q->avail = value;
        break;
    case 0x094:
        q->avail |= (uint64_t)value << 32;
        break;
    case 0x0a0:
        q->used = value;
        break;
    case 0x0a4:
        q->used |= (uint64_t)value << 32;
        break;
    default:
        break;
    }
    if (q->ready && (q->size == 0 || q->size > ops->queues[selected]))
        fail("queue %u: ready with %u descriptors", selected, q->size);
}

void device_write(uintptr_t address, uint32_t width, uint32_t value)
{
    uint32_t reg = (uint32_t)(address - REGISTERS);

    if (address - REGISTERS >= 0x100 || width != 4)
        fail("a write of %u bytes to %#zx, where no device is", width,
             (size_t)address);
    if (device_faults.vanished)
        return;
    switch (reg) {
    case 0x014:
    case 0x024:
        feature_half = value;
        break;
    case 0x028:
        page_size = value;
        break;
    case 0x030:
        selected = value;
        break;
    case 0x03c:
        ring_align = value;
        break;
    case 0x050:
        if (chance(500))
            device_act(); /* at once, or when its turn comes */
        break;
    case 0x064:
        is_line_up = false;
        break;
    case 0x070:
        status = value;
        if (value == 0)
            reset();
        break;
    default:
        write_queue(reg, value);
    }
}

/* --- Life ----------------------------------------------------------------- */

bool device_has_pin(uint32_t pin)
{
    return pin == PIN;
}

int device_aim(uint32_t pin, uint32_t vector, uint32_t hardware_id)
{
    (void)vector;
    if (pin != PIN)
        return TPROF_ERR_DEVICE;
    note("agent: the device's interrupt goes to the core with id %lu",
         hardware_id, 0, 0);
    aimed_at = hardware_id;
    return TPROF_OK;
}

void device_mask(uint32_t pin)
{
    if (pin == PIN)
        aimed_at = UINT32_MAX;
}

void device_act(void)
{
    if (device_faults.vanished || host_now_ns() < device_faults.stalled)
        return;
    ops->act();
}

void device_resumed(void)
{
    ops->resumed();
}

void device_resumed_silently(void)
{
    link_now.to_guest_size = link_now.to_host_size = 0;
    if (ops == &vsock_device)
        device_resumed();
}

void link_call(void)
{
    link_now.state = LINK_CALLING;
    link_now.calls++;
    link_now.to_guest_size = link_now.to_host_size = 0;
    check_cut();
    ops->call();
}

void link_hang_up(void)
{
    if (link_now.state != LINK_NONE && link_now.state != LINK_CLOSED) {
        note("link: closed", 0, 0, 0);
        ops->hang_up();
        link_now.state = LINK_CLOSED;
    }
}

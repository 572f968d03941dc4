/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio devices on a PC's PCI bus, by their virtio 1.x capabilities. */
#include "virtio/virtio_pci.h"

#include "arch/arch.h"
#include "virtio/virtio.h"
#include "virtio/virtio_pci_regs.h"
#include "virtio/virtio_regs.h"

uintptr_t tprof_pci_bar(uint32_t function, uint32_t bar)
{
    if (bar >= PCI_BARS)
        return 0;
    uint32_t low = tprof_arch_pci_read(function, PCI_BAR0 + 4 * bar);
    uint64_t high = 0;

    if (low & PCI_BAR_IO)
        return 0;
    if (low & PCI_BAR_64 && bar + 1 < PCI_BARS)
        high = tprof_arch_pci_read(function, PCI_BAR0 + 4 * (bar + 1));
    return (uintptr_t)(high << 32 | (low & ~15u));
}

static const uint16_t pci_map[VIRTIO_GUEST_PAGE_SIZE] = {
    /* none is legacy */
    [VIRTIO_STATUS] = TPROF_VIRTIO_AT(VIRTIO_PCI_STATUS, 1),
    [VIRTIO_DEVICE_FEATURES_SEL] =
        TPROF_VIRTIO_AT(VIRTIO_PCI_DEVICE_FEATURES_SEL, 4),
    [VIRTIO_DEVICE_FEATURES] = TPROF_VIRTIO_AT(VIRTIO_PCI_DEVICE_FEATURES, 4),
    [VIRTIO_DRIVER_FEATURES_SEL] =
        TPROF_VIRTIO_AT(VIRTIO_PCI_DRIVER_FEATURES_SEL, 4),
    [VIRTIO_DRIVER_FEATURES] = TPROF_VIRTIO_AT(VIRTIO_PCI_DRIVER_FEATURES, 4),
    [VIRTIO_QUEUE_SEL] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_SEL, 2),
    [VIRTIO_QUEUE_SIZE_MAX] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_SIZE, 2),
    [VIRTIO_QUEUE_SIZE] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_SIZE, 2),
    [VIRTIO_QUEUE_DESC] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_DESC, 4),
    [VIRTIO_QUEUE_DESC_HIGH] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_DESC + 4, 4),
    [VIRTIO_QUEUE_AVAIL] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_AVAIL, 4),
    [VIRTIO_QUEUE_AVAIL_HIGH] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_AVAIL + 4, 4),
    [VIRTIO_QUEUE_USED] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_USED, 4),
    [VIRTIO_QUEUE_USED_HIGH] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_USED + 4, 4),
    [VIRTIO_QUEUE_READY] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_ENABLE, 2),
    [VIRTIO_QUEUE_NOTIFY_OFF] = TPROF_VIRTIO_AT(VIRTIO_PCI_QUEUE_NOTIFY_OFF, 2),
};

/* --- Finding -------------------------------------------------------------- */

/* A part of the memory behind a BAR, as a capability says. */
struct pci_part {
    uint32_t bar, offset, length;
    uintptr_t address; /* 0: there is none of use */
};

/* Reads the vendor capability at (cap) into (p), unless (p) has an address. */
static void read_part(const struct tprof_virtio_search *s, uint32_t cap,
                      struct pci_part *p)
{
    uint32_t function = s->dev->function;

    if (p->address)
        return; /* of several capabilities of a kind the first is the best */
    p->bar = tprof_arch_pci_read(function, cap + VIRTIO_CAP_BAR) & 0xff;
    p->offset = tprof_arch_pci_read(function, cap + VIRTIO_CAP_OFFSET);
    p->length = tprof_arch_pci_read(function, cap + VIRTIO_CAP_LENGTH);
    uintptr_t base = tprof_pci_bar(function, p->bar);

    if (base != 0 && !tprof_arch_faults(base + p->offset, 1, 0))
        p->address = base + p->offset;
}

/* Finds the registers in (common) and the doorbells in (notify). */
static bool read_capabilities(struct tprof_virtio_search *s,
                              struct pci_part *common, struct pci_part *notify)
{
    struct tprof_virtio *dev = s->dev;
    uint32_t cap = tprof_arch_pci_read(dev->function, PCI_CAPABILITIES);

    for (uint32_t i = 0; i < TPROF_PCI_CAPABILITIES_MAX && (cap &= 0xfc) != 0;
         i++) {
        uint32_t head = tprof_arch_pci_read(dev->function, cap + PCI_CAP_ID);
        uint32_t type = head >> 24;

        if ((head & 0xff) == PCI_CAP_VENDOR && type == VIRTIO_CAP_COMMON)
            read_part(s, cap, common);
        if ((head & 0xff) == PCI_CAP_VENDOR && type == VIRTIO_CAP_NOTIFY) {
            read_part(s, cap, notify);
            dev->doorbell_step =
                tprof_arch_pci_read(dev->function, cap + VIRTIO_CAP_STEP);
        }
        cap = head >> 8;
    }
    dev->registers = common->address;
    dev->doorbells = notify->address;
    dev->doorbell_bytes = notify->length;
    if (!common->address || !notify->address)
        s->why = TPROF_ERR_DEVICE_UNMAPPED;
    return common->address && notify->address &&
           common->length >= VIRTIO_PCI_COMMON_SIZE;
}

/* Does (p) end before its BAR does? Nobody may use (function), whose memory is
 * switched off. */
static bool is_in_bar(uint32_t function, const struct pci_part *p)
{
    uint32_t reg = PCI_BAR0 + 4 * p->bar;
    uint32_t kept = tprof_arch_pci_read(function, reg);

    tprof_arch_pci_write(function, reg, UINT32_MAX);
    /* the bits that stay 0 tell the size; all of them: 4 GiB or more */
    uint32_t last = ~(tprof_arch_pci_read(function, reg) & ~15u);

    tprof_arch_pci_write(function, reg, kept);
    return (uint64_t)p->offset + p->length - 1 <= last;
}

/* Is (function), which is (id), of the wanted type? Then offer it. */
static bool pci_offer(struct tprof_virtio_search *s, uint32_t function,
                      uint32_t id)
{
    struct pci_part common = {0}, notify = {0};
    struct tprof_virtio *dev = s->dev;
    bool transitional = s->type == VIRTIO_TYPE_CONSOLE &&
                        id == VIRTIO_PCI_ID_TRANSITIONAL_CONSOLE;

    if (id != VIRTIO_PCI_ID_MODERN(s->type) && !transitional)
        return false;
    uint32_t command = tprof_arch_pci_read(function, PCI_COMMAND);

    dev->legacy = false;
    dev->map = pci_map;
    dev->function = function;
    if (!(command & PCI_STATUS_CAPABILITIES) ||
        !read_capabilities(s, &common, &notify))
        return false;

    /* The upper half is status bits, which a written 1 would clear. A function
     * with a driver has the two bits below on already; others get them for a
     * look. */
    command &= 0xffff;
    uint32_t on = command | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
    bool taken = false;

    tprof_arch_pci_write(function, PCI_COMMAND, on);
    if (tprof_virtio_is_free(s)) {
        tprof_arch_pci_write(function, PCI_COMMAND,
                             command & ~PCI_COMMAND_MEMORY);
        taken = is_in_bar(function, &common) && is_in_bar(function, &notify);
        tprof_arch_pci_write(function, PCI_COMMAND, on);
        taken = taken && tprof_virtio_offer(s);
    }

    /* The line interrupt is switched off for good: nothing would answer it. */
    tprof_arch_pci_write(function, PCI_COMMAND,
                         taken ? on | PCI_COMMAND_INTX_DISABLE : command);
    return taken;
}

bool tprof_virtio_pci_exists(void)
{
    return tprof_arch_pci_read(0, PCI_ID) != PCI_ID_NONE;
}

bool tprof_virtio_pci_find(struct tprof_virtio_search *s)
{
    uint32_t told = (uint32_t)s->where->address;
    uint32_t end = 1u << 8; /* behind the last function of the last bus */

    if (told != 0)
        return pci_offer(s, told, tprof_arch_pci_read(told, PCI_ID));
    for (uint32_t function = 0; function < end; function++) {
        uint32_t id = tprof_arch_pci_read(function, PCI_ID);

        if (id == PCI_ID_NONE)
            continue;
        if (pci_offer(s, function, id))
            return true;
        if ((tprof_arch_pci_read(function, PCI_HEADER) & PCI_HEADER_LAYOUT) ==
            PCI_HEADER_BRIDGE) {
            uint32_t last =
                tprof_arch_pci_read(function, PCI_BUSES) >> 16 & 0xff;

            if ((last + 1) << 8 > end)
                end = (last + 1) << 8;
        }
    }
    return false;
}

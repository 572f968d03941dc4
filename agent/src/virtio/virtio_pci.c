/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio devices on a PC's PCI bus, by their virtio 1.x capabilities */
#include "virtio/virtio_pci.h"

#include "arch/arch.h"
#include "state/reach.h"
#include "virtio/virtio.h"
#include "virtio/virtio_pci_regs.h"
#include "virtio/virtio_regs.h"

uint64_t tprof_pci_bar(uint32_t function, uint32_t bar)
{
    if (bar >= PCI_BARS)
        return 0;
    uint32_t low = tprof_arch_pci_read(function, PCI_BAR0 + 4 * bar);
    uint64_t high = 0;

    if (low & PCI_BAR_IO)
        return 0;
    if (low & PCI_BAR_64 && bar + 1 < PCI_BARS)
        high = tprof_arch_pci_read(function, PCI_BAR0 + 4 * (bar + 1));
    return high << 32 | (low & ~15u);
}

static const uint16_t pci_map[VIRTIO_GUEST_PAGE_SIZE] = {
    /* no device here is legacy */
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

/* Returns the virtual address of the (*length) bytes to which the vendor
 * capability at (cap) points; 0 if they cannot be used. */
static uintptr_t cap_address(uint32_t function, uint32_t cap, uint32_t *length)
{
    uint32_t bar = tprof_arch_pci_read(function, cap + VIRTIO_CAP_BAR) & 0xff;
    uint64_t at = tprof_arch_pci_read(function, cap + VIRTIO_CAP_OFFSET);
    uint64_t base = tprof_pci_bar(function, bar);

    *length = tprof_arch_pci_read(function, cap + VIRTIO_CAP_LENGTH);
    /* A device may write false values. A BAR's address is a multiple of its
     * size, so the BAR ends before the added offset carries into the
     * address. */
    if (base == 0 || at + *length > (base & -base))
        return 0;
    base = tprof_reach(base + at, *length);
    return base && !tprof_arch_faults(base, 1, 0) ? base : 0;
}

/* Finds the registers. Of several capabilities of a kind the first is the best.
 */
static bool read_capabilities(struct tprof_virtio_search *s)
{
    struct tprof_virtio *dev = s->dev;
    uint32_t function = dev->function;
    uint32_t cap = tprof_arch_pci_read(function, PCI_CAPABILITIES);
    uint32_t length = 0;

    dev->registers = 0;
    dev->doorbells = 0;
    for (uint32_t i = 0; i < TPROF_PCI_CAPABILITIES_MAX && (cap &= 0xfc) != 0;
         i++) {
        uint32_t head = tprof_arch_pci_read(function, cap + PCI_CAP_ID);
        uint32_t type = (head & 0xff) == PCI_CAP_VENDOR ? head >> 24 : 0;

        if (type == VIRTIO_CAP_COMMON && !dev->registers)
            dev->registers = cap_address(function, cap, &length);
        if (type == VIRTIO_CAP_NOTIFY && !dev->doorbells) {
            dev->doorbells = cap_address(function, cap, &dev->doorbell_bytes);
            dev->doorbell_step =
                tprof_arch_pci_read(function, cap + VIRTIO_CAP_STEP);
        }
        cap = head >> 8;
    }
    if (dev->registers && dev->doorbells)
        return length >= VIRTIO_PCI_COMMON_SIZE;
    s->why = TPROF_ERR_DEVICE_UNMAPPED;
    return false;
}

/* Offers (function), which has the id (id), if it has the wanted type. */
static bool pci_offer(struct tprof_virtio_search *s, uint32_t function,
                      uint32_t id)
{
    struct tprof_virtio *dev = s->dev;
    bool transitional = s->type == VIRTIO_TYPE_CONSOLE &&
                        id == VIRTIO_PCI_ID_TRANSITIONAL_CONSOLE;

    if (id != VIRTIO_PCI_ID_MODERN(s->type) && !transitional)
        return false;
    uint32_t command = tprof_arch_pci_read(function, PCI_COMMAND);

    dev->legacy = false;
    dev->map = pci_map;
    dev->function = function;
    if (!(command & PCI_STATUS_CAPABILITIES) || !read_capabilities(s))
        return false;

    /* The upper half is status bits, which a written 1 would clear. A function
     * with a driver already has the two bits below on. Others get them for the
     * search. */
    command &= 0xffff;
    uint32_t on = command | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

    tprof_arch_pci_write(function, PCI_COMMAND, on);
    bool taken = tprof_virtio_offer(s);

    /* The line interrupt is switched off for good, because no driver would
     * answer it. */
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
    uint32_t end = 1u << 8; /* after the last function of the last bus */

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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "virtio/virtio_irq.h"

#include "arch/arch.h"
#include "state/reach.h"
#include "virtio/virtio_mmio_line.h"
#include "virtio/virtio_mmio_regs.h"
#include "virtio/virtio_pci.h"

#define QUEUES_MAX 8u /* more than any device here has */
#define ENTRY      0u /* of the MSI-X table: one for all queues */

static uint32_t read32(uintptr_t base, uint32_t reg)
{
    return tprof_arch_read(base + reg, 4);
}

static void write32(uintptr_t base, uint32_t reg, uint32_t val)
{
    tprof_arch_write(base + reg, 4, val);
}

/* --- Finding -------------------------------------------------------------- */

/* Returns the MSI-X capability of (function); 0 if it has none. */
static uint32_t find_msix(uint32_t function)
{
    uint32_t cap = tprof_arch_pci_read(function, PCI_CAPABILITIES);

    for (uint32_t i = 0; i < TPROF_PCI_CAPABILITIES_MAX && (cap &= 0xfc) != 0;
         i++) {
        uint32_t head = tprof_arch_pci_read(function, cap + PCI_CAP_ID);

        if ((head & 0xff) == PCI_CAP_MSIX)
            return cap;
        cap = head >> 8;
    }
    return 0;
}

/* Switches MSI-X on, and returns the first entry of (function)'s table, masked;
 * 0 if there is none. */
static uintptr_t enable_msix(uint32_t function)
{
    uint32_t cap = find_msix(function);

    if (cap == 0)
        return 0;
    uint32_t table = tprof_arch_pci_read(function, cap + PCI_MSIX_TABLE);
    uint64_t base = tprof_pci_bar(function, table & PCI_MSIX_TABLE_BAR);

    if (base == 0)
        return 0;
    uintptr_t entry =
        tprof_reach(base + (table & ~PCI_MSIX_TABLE_BAR), MSIX_ENTRY_SIZE);

    if (!entry || tprof_arch_faults(entry, 1, 0))
        return 0;
    write32(entry, MSIX_ENTRY_CONTROL, MSIX_ENTRY_MASKED);
    uint32_t control = tprof_arch_pci_read(function, cap + PCI_MSIX_CONTROL);

    tprof_arch_pci_write(function, cap + PCI_MSIX_CONTROL,
                         (control | PCI_MSIX_ENABLE) & ~PCI_MSIX_MASK_ALL);
    return entry;
}

/* Returns the number after the ':' of an entry on the command line; 0 if there
 * is none. */
static uint32_t parse_pin(const char *entry)
{
    uint32_t pin = 0;

    while (*entry != ':' && *entry != ' ' && *entry != '\0')
        entry++;
    if (*entry == ':')
        entry++;
    for (; *entry >= '0' && *entry <= '9' && pin < 1000; entry++)
        pin = 10 * pin + (uint32_t)(*entry - '0');
    return pin;
}

/* Returns the pin of the device whose registers are at (address), from the
 * command line. */
static uint32_t listed_pin(const char *line, uint64_t address)
{
    while (line && (line = tprof_mmio_line_next(line)) != NULL) {
        if (tprof_mmio_line_address(line) == address)
            return parse_pin(line);
    }
    return 0;
}

int tprof_virtio_irq_init(struct tprof_virtio_irq *irq,
                          const struct tprof_virtio *dev,
                          const struct tprof_device *where)
{
    irq->dev = dev;
    irq->entry = 0;
    irq->pin = 0;
    if (dev->function)
        irq->entry = enable_msix(dev->function);
    else if (where->irq)
        irq->pin = where->irq;
    else
        irq->pin = listed_pin(where->command_line, dev->physical);
    if (irq->pin && !tprof_arch_pin_exists(irq->pin))
        irq->pin = 0;
    return irq->entry || irq->pin ? TPROF_OK : TPROF_ERR_DEVICE;
}

/* --- At work -------------------------------------------------------------- */

int tprof_virtio_irq_bind(const struct tprof_virtio *dev)
{
    uintptr_t entry = dev->registers + VIRTIO_PCI_QUEUE_VECTOR;

    if (!dev->function)
        return TPROF_OK;
    for (uint32_t i = 0; i < QUEUES_MAX && tprof_virtio_select(dev, i); i++) {
        tprof_arch_write(entry, 2, ENTRY);
        if (tprof_arch_read(entry, 2) != ENTRY) /* no resource for it */
            return TPROF_ERR_DEVICE;
    }
    return TPROF_OK;
}

int tprof_virtio_irq_route(const struct tprof_virtio_irq *irq, uint32_t vector,
                           uint32_t hardware_id)
{
    int error = TPROF_ERR_DEVICE;
    uint64_t address;
    uint32_t data;

    if (irq->entry &&
        tprof_arch_message(vector, hardware_id, &address, &data)) {
        /* masked during the change, so that no message goes to half an address
         */
        write32(irq->entry, MSIX_ENTRY_CONTROL, MSIX_ENTRY_MASKED);
        write32(irq->entry, MSIX_ENTRY_ADDRESS, (uint32_t)address);
        write32(irq->entry, MSIX_ENTRY_HIGH, (uint32_t)(address >> 32));
        write32(irq->entry, MSIX_ENTRY_DATA, data);
        write32(irq->entry, MSIX_ENTRY_CONTROL, 0);
        error = TPROF_OK;
    } else if (!irq->entry && irq->pin) {
        error = tprof_arch_pin_aim(irq->pin, vector, hardware_id);
        /* a line that is already up would cause no edge */
        tprof_virtio_irq_ack(irq->dev);
    }
    return error;
}

void tprof_virtio_irq_mask(const struct tprof_virtio_irq *irq)
{
    if (irq->entry)
        write32(irq->entry, MSIX_ENTRY_CONTROL, MSIX_ENTRY_MASKED);
    else if (irq->pin)
        tprof_arch_pin_mask(irq->pin);
}

void tprof_virtio_irq_ack(const struct tprof_virtio *dev)
{
    if (dev->function)
        return; /* a message needs no acknowledgement */
    uint32_t reasons = read32(dev->registers, VIRTIO_MMIO_INTERRUPT_STATUS);

    if (reasons) /* without this, the write would be a VM exit for nothing */
        write32(dev->registers, VIRTIO_MMIO_INTERRUPT_ACK, reasons);
}

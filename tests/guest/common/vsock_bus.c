/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding a virtio device in memory or on PCI, and its registers there. */
#include "vsock_bus.h"

#include "cpu.h"

/* A register's offset, and its width in bytes. */
#define AT(offset, width) ((uint16_t)((width) << 8 | (offset)))

/* Virtio 1.2, 4.2.2. All of them 32 bits. */
#define MMIO_MAGIC   0x000 /* r */
#define MMIO_VIRT    0x74726976u
#define MMIO_VERSION 0x004 /* r   2: not legacy */
#define MMIO_TYPE    0x008 /* r   0: nothing plugged in */
#define MMIO_NOTIFY  0x050 /* w */
#define MMIO_CONFIG  0x100

/* Where QEMU's microvm has its devices */
#define MICROVM_START 0xfeb00000u
#define MICROVM_END   0xfeb03000u
#define MICROVM_STEP  0x200u

static const uint16_t mmio_map[BUS_REGS] = {
    [BUS_STATUS] = AT(0x70, 4),     [BUS_FEATURES_SEL] = AT(0x24, 4),
    [BUS_FEATURES] = AT(0x20, 4),   [BUS_QUEUE_SEL] = AT(0x30, 4),
    [BUS_QUEUE_SIZE] = AT(0x38, 4), [BUS_QUEUE_READY] = AT(0x44, 4),
    [BUS_QUEUE_DESC] = AT(0x80, 4), [BUS_QUEUE_AVAIL] = AT(0x90, 4),
    [BUS_QUEUE_USED] = AT(0xa0, 4),
};

/* PCI 3.0, chapter 6: configuration space, through two ports */
#define PCI_ADDRESS          0xcf8 /* w   1 << 31 | device << 11 | offset */
#define PCI_DATA             0xcfc /* rw */
#define PCI_DEVICES          32u   /* on the first bus */
#define PCI_ID               0x00  /* r   vendor, device << 16 */
#define PCI_NONE             0xffffffffu
#define PCI_COMMAND          0x04 /* rw */
#define PCI_COMMAND_MEMORY   (1u << 1)
#define PCI_COMMAND_MASTER   (1u << 2)
#define PCI_COMMAND_NO_INTX  (1u << 10)
#define PCI_BAR              0x10 /* rw  six of them */
#define PCI_BAR_64           (1u << 2)
#define PCI_CAPABILITIES     0x34 /* r   offset of the first */
#define PCI_VIRTIO(type)     (0x10401af4u + ((type) << 16))
#define PCI_CAPABILITY_LIMIT 48 /* as many as fit, so that a list ends */

/* Virtio 1.2, 4.1.4: a capability of these says where registers are */
#define CAP_VENDOR     0x09u
#define CAP_BAR        0x04
#define CAP_OFFSET     0x08
#define CAP_STEP       0x10
#define CAP_COMMON     1u
#define CAP_NOTIFY     2u
#define CAP_CONFIG     4u
#define PCI_NOTIFY_OFF 0x1e /* r   16, in the common registers */

static const uint16_t pci_map[BUS_REGS] = {
    [BUS_STATUS] = AT(0x14, 1),     [BUS_FEATURES_SEL] = AT(0x08, 4),
    [BUS_FEATURES] = AT(0x0c, 4),   [BUS_QUEUE_SEL] = AT(0x16, 2),
    [BUS_QUEUE_SIZE] = AT(0x18, 2), [BUS_QUEUE_READY] = AT(0x1c, 2),
    [BUS_QUEUE_DESC] = AT(0x20, 4), [BUS_QUEUE_AVAIL] = AT(0x28, 4),
    [BUS_QUEUE_USED] = AT(0x30, 4),
};

static uint32_t read32(uintptr_t at)
{
    return *(volatile uint32_t *)at;
}

static void write32(uintptr_t at, uint32_t val)
{
    *(volatile uint32_t *)at = val;
}

uint32_t bus_read(const struct bus_device *dev, enum bus_reg reg)
{
    uintptr_t at = dev->registers + (dev->map[reg] & 0xff);

    switch (dev->map[reg] >> 8) {
    case 1:
        return *(volatile uint8_t *)at;
    case 2:
        return *(volatile uint16_t *)at;
    default:
        return read32(at);
    }
}

void bus_write(const struct bus_device *dev, enum bus_reg reg, uint32_t val)
{
    uintptr_t at = dev->registers + (dev->map[reg] & 0xff);

    switch (dev->map[reg] >> 8) {
    case 1:
        *(volatile uint8_t *)at = (uint8_t)val;
        break;
    case 2:
        *(volatile uint16_t *)at = (uint16_t)val;
        break;
    default:
        write32(at, val);
        break;
    }
}

/* Memory is mapped one to one: a pointer is a physical address. */
void bus_write_address(const struct bus_device *dev, enum bus_reg reg,
                       const void *address)
{
    uintptr_t at = dev->registers + (dev->map[reg] & 0xff);

    write32(at, (uint32_t)(uintptr_t)address);
    write32(at + 4, (uint32_t)((uintptr_t)address >> 32));
}

uintptr_t bus_doorbell(const struct bus_device *dev)
{
    if (dev->doorbell_step == 0)
        return dev->doorbells;
    uint16_t off = *(volatile uint16_t *)(dev->registers + PCI_NOTIFY_OFF);

    return dev->doorbells + (uintptr_t)off * dev->doorbell_step;
}

void bus_notify(const struct bus_device *dev, uintptr_t doorbell,
                uint32_t queue)
{
    if (dev->map == pci_map)
        *(volatile uint16_t *)doorbell = (uint16_t)queue;
    else
        write32(doorbell, queue);
}

static bool mmio_find(struct bus_device *dev, uint32_t type)
{
    for (uintptr_t at = MICROVM_START; at < MICROVM_END; at += MICROVM_STEP) {
        if (read32(at + MMIO_MAGIC) != MMIO_VIRT ||
            read32(at + MMIO_VERSION) != 2 || read32(at + MMIO_TYPE) != type)
            continue;
        *dev = (struct bus_device){.map = mmio_map,
                                   .registers = at,
                                   .config = at + MMIO_CONFIG,
                                   .doorbells = at + MMIO_NOTIFY};
        return true;
    }
    return false;
}

static uint32_t pci_read(uint32_t device, uint32_t offset)
{
    cpu_out32(PCI_ADDRESS, 1u << 31 | device << 11 | (offset & ~3u));
    return cpu_in32(PCI_DATA) >> 8 * (offset & 3);
}

static void pci_write(uint32_t device, uint32_t offset, uint32_t val)
{
    cpu_out32(PCI_ADDRESS, 1u << 31 | device << 11 | offset);
    cpu_out32(PCI_DATA, val);
}

/* Where the registers of capability (cap) are: firmware gave the BARs their
 * addresses, below the 4 GiB that are mapped. */
static uintptr_t pci_place(uint32_t device, uint32_t cap)
{
    uint32_t bar = PCI_BAR + 4 * (pci_read(device, cap + CAP_BAR) & 7);
    uint64_t base = pci_read(device, bar);

    if (base & PCI_BAR_64)
        base |= (uint64_t)pci_read(device, bar + 4) << 32;
    return (uintptr_t)(base & ~15ull) + pci_read(device, cap + CAP_OFFSET);
}

static bool pci_open(struct bus_device *dev, uint32_t device)
{
    uint32_t cap = pci_read(device, PCI_CAPABILITIES) & 0xfc;

    *dev = (struct bus_device){.map = pci_map};
    for (int i = 0; cap != 0 && i < PCI_CAPABILITY_LIMIT; i++) {
        uint32_t head = pci_read(device, cap);
        uint32_t kind = (head & 0xff) == CAP_VENDOR ? head >> 24 : 0;

        if (kind == CAP_COMMON)
            dev->registers = pci_place(device, cap);
        if (kind == CAP_CONFIG)
            dev->config = pci_place(device, cap);
        if (kind == CAP_NOTIFY) {
            dev->doorbells = pci_place(device, cap);
            dev->doorbell_step = pci_read(device, cap + CAP_STEP);
        }
        cap = head >> 8 & 0xfc;
    }
    pci_write(device, PCI_COMMAND,
              PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_NO_INTX);
    return dev->registers && dev->config && dev->doorbells;
}

static bool pci_find(struct bus_device *dev, uint32_t type)
{
    for (uint32_t device = 0; device < PCI_DEVICES; device++) {
        if (pci_read(device, PCI_ID) == PCI_VIRTIO(type))
            return pci_open(dev, device);
    }
    return false;
}

bool bus_find(struct bus_device *dev, uint32_t type)
{
    /* where there is PCI, the addresses of a microvm may be anything */
    return pci_read(0, PCI_ID) != PCI_NONE ? pci_find(dev, type)
                                           : mmio_find(dev, type);
}

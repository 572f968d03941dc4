/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding a virtio device on PCI, by capabilities in a configuration space that
 * is played here by the specification; its registers and its MSI-X table are
 * memory. That real ones understand it is proven by tests/guest/virtio_console.
 */
#include <string.h>

#include "arch/arch.h"
#include "check.h"
#include "machine.h"
#include "state/agent.h"
#include "virtio/virtio.h"
#include "virtio/virtio_irq.h"

#define BRIDGE               0x10u  /* bus 0, device 2: bus 1 is behind it */
#define DEVICE               0x108u /* bus 1, device 1 */
#define CONSOLE_MODERN       0x10431af4u
#define CONSOLE_TRANSITIONAL 0x10031af4u

static uint32_t bridge[64], device[64]; /* configuration spaces */
static _Alignas(16384) uint8_t memory[16384];
#define bar (memory + 8192) /* of 8192 bytes, and aligned to no more */
static uint64_t hole;       /* what is not mapped; 0: all is */
static struct tprof_virtio dev;
static unsigned offered;
static bool is_taken, is_root;

static uint32_t pci_read(uint32_t function, uint32_t offset)
{
    if (function == 0 && is_root)
        return 0x29c08086;
    if (function == BRIDGE)
        return bridge[offset / 4];
    return function == DEVICE ? device[offset / 4] : UINT32_MAX;
}

static void pci_write(uint32_t function, uint32_t offset, uint32_t value)
{
    CHECK_EQ(function, DEVICE);
    CHECK(offset < 0x10 || offset >= 0x28); /* no BAR is ever moved */
    if (offset == 4) /* the upper half, status, is not written */
        value = (value & 0xffff) | (device[1] & 0xffff0000);
    device[offset / 4] = value;
}

static bool faults(uint64_t start, uint64_t size, bool write)
{
    (void)size;
    (void)write;
    return hole != 0 && start == hole;
}

static const struct tprof_machine_hooks hooks = {
    .pci_read = pci_read, .pci_write = pci_write, .faults = faults};

static int take(void *context)
{
    (void)context;
    offered++;
    return is_taken ? TPROF_OK : TPROF_ERR_DEVICE;
}

static void put_capability(uint32_t at, uint32_t next, uint32_t type,
                           uint32_t offset)
{
    device[at / 4] = 9 | next << 8 | 20u << 16 | type << 24;
    device[at / 4 + 1] = 4; /* BAR 4, of 64 bits */
    device[at / 4 + 2] = offset;
    device[at / 4 + 3] = 0x100; /* length */
    device[at / 4 + 4] = 4;     /* notify only: step */
}

static void plug_in(void)
{
    tprof_machine.hooks = &hooks;
    bridge[0] = 0x00011b36;
    bridge[3] = 1u << 16;   /* a bridge, */
    bridge[6] = 0x00010100; /* to bus 1 */
    device[0] = CONSOLE_MODERN;
    device[1] = 1u << 20; /* has capabilities */
    device[13] = 0x40;
    device[8] = (uint32_t)(uintptr_t)bar | 4; /* BAR 4 */
    device[9] = (uint32_t)((uint64_t)(uintptr_t)bar >> 32);
    device[0x40 / 4] = 0x11 | 0x50 << 8 | 3u << 16; /* MSI-X, 4 entries */
    device[0x44 / 4] = 4 | 0x800;                   /* table in BAR 4 */
    put_capability(0x50, 0x64, 1, 0);
    put_capability(0x64, 0, 2, 0x400);
}

static int why; /* what the last search said */

/* A kernel that has devices elsewhere: here FAR below. */
#define FAR 0x10000000000u

static void *map(void *context, uint64_t physical, size_t size)
{
    (void)size;
    return context ? (void *)(uintptr_t)(physical + FAR) : NULL;
}

static bool find(struct tprof_device where)
{
    struct tprof_virtio_search s = {
        .where = &where, .type = 3, .dev = &dev, .take = take};

    offered = 0;
    why = tprof_virtio_find(&s);
    return why == TPROF_OK;
}

static const struct tprof_device anywhere = {.bus = TPROF_BUS_PCI};

TEST(device_is_found_behind_a_bridge)
{
    plug_in();
    is_taken = true;
    CHECK(find(anywhere));
    CHECK_EQ(offered, 1);
    CHECK_EQ(dev.function, DEVICE);
    CHECK_EQ(dev.registers, (uintptr_t)bar);
    CHECK_EQ(dev.doorbells, (uintptr_t)bar + 0x400);
    CHECK_EQ(dev.doorbell_step, 4);
    CHECK_EQ(dev.doorbell_bytes, 0x100);
    CHECK_EQ(device[8], (uint32_t)(uintptr_t)bar | 4);
    CHECK(!dev.legacy);
    CHECK_EQ(device[1] & 0xffff, 0x406); /* memory, master, no line */
}

TEST(device_at_its_place_is_found)
{
    plug_in();
    is_taken = true;
    device[0] = CONSOLE_TRANSITIONAL;
    CHECK(find((struct tprof_device){.bus = TPROF_BUS_PCI, .address = DEVICE}));
    CHECK_EQ(dev.function, DEVICE);
}

TEST(bus_is_looked_at_where_it_has_a_bridge) /* catches: scanning beside PCI */
{
    plug_in();
    is_taken = true;
    CHECK(!tprof_virtio_pci_exists()); /* nothing is at 0 */
    CHECK(!find((struct tprof_device){.flags = TPROF_DEVICE_NO_SCAN}));
    CHECK_EQ(offered, 0);
    is_root = true;
    CHECK(tprof_virtio_pci_exists());
    CHECK(find((struct tprof_device){.bus = TPROF_BUS_AUTO}));
    CHECK_EQ(dev.function, DEVICE);
}

TEST(device_that_is_not_taken_is_as_before)
{
    plug_in();
    CHECK(!find(anywhere));
    CHECK_EQ(offered, 1);
    CHECK_EQ(device[1] & 0xffff, 0);
    CHECK_EQ(bar[0x14], 0); /* reset */
}

TEST(device_with_a_driver_is_left_alone)
{
    plug_in();
    bar[0x14] = 0x0f; /* DRIVER_OK and before */
    is_taken = true;
    CHECK(!find(anywhere));
    CHECK_EQ(offered, 0);
    CHECK_EQ(why, TPROF_ERR_DEVICE_TAKEN);
    CHECK_EQ(bar[0x14], 0x0f);
}

/* catches: stores outside the device's registers */
TEST(device_whose_parts_leave_its_bar_is_refused)
{
    plug_in();
    is_taken = true;
    device[0x64 / 4 + 3] = 8192 - 0x400; /* doorbells to the end of the BAR */
    CHECK(find(anywhere));
    device[0x64 / 4 + 3]++;
    CHECK(!find(anywhere));
    CHECK_EQ(offered, 0);
    device[0x64 / 4 + 3] = UINT32_MAX;
    CHECK(!find(anywhere));
    device[0x64 / 4 + 2] = 0xfffffc00; /* where the BAR would end, less 1 KiB */
    device[0x64 / 4 + 3] = 0x400;
    CHECK(!find(anywhere));
    plug_in();
    device[0x50 / 4 + 3] = 0x37; /* registers of a byte less */
    CHECK(!find(anywhere));
    CHECK_EQ(why, TPROF_ERR_DEVICE);
    device[0x50 / 4 + 3] = 0x38;
    CHECK(find(anywhere));
}

TEST(registers_are_where_the_kernel_maps_them)
{
    static const struct tprof_device where;
    uint64_t physical = (uintptr_t)bar - FAR;
    struct tprof_virtio_irq irq;

    plug_in();
    is_taken = true;
    device[8] = (uint32_t)physical | 4;
    device[9] = (uint32_t)(physical >> 32);
    tprof_agent.config.map = map;
    CHECK(!find(anywhere));
    CHECK_EQ(why, TPROF_ERR_DEVICE_UNMAPPED);
    tprof_agent.config.context = &dev;
    CHECK(find(anywhere));
    CHECK_EQ(dev.registers, (uintptr_t)bar);
    CHECK_EQ(dev.doorbells, (uintptr_t)bar + 0x400);
    CHECK_EQ(tprof_virtio_irq_init(&irq, &dev, &where), TPROF_OK);
    CHECK_EQ(irq.entry, (uintptr_t)bar + 0x800);
    tprof_agent.config.context = NULL;
    CHECK_EQ(tprof_virtio_irq_init(&irq, &dev, &where), TPROF_ERR_DEVICE);
}

TEST(doorbell_outside_the_doorbells_is_none)
{
    plug_in();
    is_taken = true;
    CHECK(find(anywhere));
    bar[0x1e] = 0xff / 4; /* QUEUE_NOTIFY_OFF, times 4 */
    CHECK_EQ(tprof_virtio_enable(&dev, 8, 0), (uintptr_t)bar + 0x400 + 0xfc);
    bar[0x1e] = 0x100 / 4;
    CHECK_EQ(tprof_virtio_enable(&dev, 8, 0), 0);
    bar[0x1e] = bar[0x1f] = 0xff;
    CHECK_EQ(tprof_virtio_enable(&dev, 8, 0), 0);
    dev.doorbell_step = UINT32_MAX;
    CHECK_EQ(tprof_virtio_enable(&dev, 8, 0), 0);
    dev.doorbell_step = 0; /* one doorbell for all, of 2 bytes */
    dev.doorbell_bytes = 2;
    CHECK_EQ(tprof_virtio_enable(&dev, 8, 0), (uintptr_t)bar + 0x400);
    dev.doorbell_bytes = 1;
    CHECK_EQ(tprof_virtio_enable(&dev, 8, 0), 0);
}

TEST(device_without_a_capability_is_none) /* catches: registers at 0 */
{
    plug_in();
    is_taken = true;
    put_capability(0x64, 0, 5, 0x400); /* of another kind */
    CHECK(!find(anywhere));
    put_capability(0x64, 0, 2, 0x400);
    device[1] = 0; /* no capabilities at all */
    CHECK(!find(anywhere));
    plug_in();
    hole = (uintptr_t)bar + 0x400;
    CHECK(!find(anywhere));
    CHECK_EQ(why, TPROF_ERR_DEVICE_UNMAPPED);
    hole = 0;
    device[8] = 0xc001; /* ports */
    CHECK(!find(anywhere));
    plug_in();
    device[0x54 / 4] = 6; /* no such BAR */
    CHECK(!find(anywhere));
    CHECK_EQ(offered, 0);
}

TEST(capabilities_in_a_circle_end) /* catches: a loop without end */
{
    plug_in();
    is_taken = true;
    put_capability(0x64, 0x50, 5, 0x400);
    CHECK(!find(anywhere));
}

TEST(message_of_the_device_is_aimed)
{
    static const struct tprof_device where;
    struct tprof_virtio_irq irq;
    uint32_t entry[4];

    plug_in();
    is_taken = true;
    CHECK(find(anywhere));
    CHECK_EQ(tprof_virtio_irq_init(&irq, &dev, &where), TPROF_OK);
    CHECK_EQ(irq.entry, (uintptr_t)bar + 0x800);
    CHECK_EQ(device[0x40 / 4] >> 31, 1); /* MSI-X is on */
    CHECK_EQ(tprof_virtio_irq_route(&irq, 64, 5), TPROF_OK);
    memcpy(entry, bar + 0x800, sizeof entry);
    CHECK_EQ(entry[0], 0xfee05000);
    CHECK_EQ(entry[2], 64);
    CHECK_EQ(entry[3], 0);
    tprof_virtio_irq_ack(&dev);
}

TEST(device_without_a_table_has_no_message)
{
    static const struct tprof_device where;
    struct tprof_virtio_irq irq;

    plug_in();
    is_taken = true;
    CHECK(find(anywhere));
    device[8] = 0xc001; /* the table's BAR is ports */
    CHECK_EQ(tprof_virtio_irq_init(&irq, &dev, &where), TPROF_ERR_DEVICE);
    plug_in();
    hole = (uintptr_t)bar + 0x800;
    CHECK_EQ(tprof_virtio_irq_init(&irq, &dev, &where), TPROF_ERR_DEVICE);
    device[13] = 0x50; /* no MSI-X */
    CHECK_EQ(tprof_virtio_irq_init(&irq, &dev, &where), TPROF_ERR_DEVICE);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a device's interrupt is aimed, on memory that stands for the device
 * and for a table of MSI-X. That real ones interrupt, and what an I/O APIC is
 * told, is proven by tests/guest/virtio_irq.
 */
#include <stdint.h>
#include <string.h>

#include "arch/arch.h"
#include "check.h"
#include "machine.h"
#include "virtio/virtio.h"
#include "virtio/virtio_irq.h"
#include "virtio/virtio_pci.h"

#define ADDRESS 0xfeb00e00u

static uint32_t registers[128]; /* by offset / 4 */
static uint32_t entry[4];
static struct tprof_virtio dev;
static struct tprof_virtio_irq irq;

/* What the I/O APIC was told, and what it says. */
static uint32_t aims, aimed_pin, aimed_vector, aimed_hardware_id;
static int answer = TPROF_OK;

static uint32_t selected; /* queue */

static int aim(uint32_t pin, uint32_t vector, uint32_t hardware_id)
{
    aims++;
    aimed_pin = pin;
    aimed_vector = vector;
    aimed_hardware_id = hardware_id;
    return answer;
}

static uint32_t unmapped; /* the I/O APIC with this pin; 0: none */

static bool pin_exists(uint32_t pin)
{
    return pin == 0 || pin != unmapped;
}

static uint32_t masked_pin;

static void mask(uint32_t pin)
{
    masked_pin = pin;
}

static const struct tprof_machine_hooks hooks = {
    .pin_exists = pin_exists,
    .pin_mask = mask,
    .pin_aim = aim,
};

/* Without this symbol the linker takes setup.c, and the devices with it. */
const char tprof_anchor[] = "tprof";

uintptr_t tprof_pci_bar(uint32_t function, uint32_t bar)
{
    (void)function;
    (void)bar;
    return 0;
}

__attribute__((constructor)) static void build_machine(void)
{
    tprof_machine.hooks = &hooks;
}

/* A device with 3 queues. */
uint32_t tprof_virtio_select(const struct tprof_virtio *d, uint32_t index)
{
    (void)d;
    selected = index;
    return index < 3 ? 64 : 0;
}

/* The pin that is found of the device at ADDRESS; 0: none, and it says so. */
static uint32_t pin_of(struct tprof_device where)
{
    dev.physical = ADDRESS; /* not looked at */
    int found = tprof_virtio_irq_init(&irq, &dev, &where);

    CHECK_EQ(found, irq.pin ? TPROF_OK : TPROF_ERR_DEVICE);
    return irq.pin;
}

static uint32_t pin_by(const char *line)
{
    return pin_of((struct tprof_device){.command_line = line});
}

TEST(what_was_aimed_can_be_masked)
{
    CHECK_EQ(pin_of((struct tprof_device){.irq = 12}), 12);
    tprof_virtio_irq_mask(&irq);
    CHECK_EQ(masked_pin, 12);
    irq = (struct tprof_virtio_irq){.dev = &dev, .entry = (uintptr_t)entry};
    CHECK_EQ(tprof_virtio_irq_route(&irq, 0xef, 3), TPROF_OK);
    CHECK_EQ(entry[3], 0);
    tprof_virtio_irq_mask(&irq);
    CHECK_EQ(entry[3], 1); /* Virtio and PCI: the mask bit */
}

TEST(pin_is_the_listed_one)
{
    CHECK_EQ(pin_by("virtio_mmio.device=512@0xfeb00e00:12"), 12);
    CHECK_EQ(pin_by("a=1 virtio_mmio.device=512@0xfeb00c00:11 "
                    "virtio_mmio.device=512@0xfeb00e00:9:3 b"),
             9);
    CHECK_EQ(pin_by("virtio_mmio.device=512@0xfeb00e00:5 "
                    "virtio_mmio.device=512@0xfeb00c00:11"),
             5);
}

TEST(pin_that_the_kernel_tells_comes_first)
{
    struct tprof_device where = {
        .irq = 7, .command_line = "virtio_mmio.device=512@0xfeb00e00:12"};

    CHECK_EQ(pin_of(where), 7);
}

TEST(pin_of_an_io_apic_that_is_not_mapped_is_none)
{
    unmapped = 7;
    CHECK_EQ(pin_of((struct tprof_device){.irq = 7}), 0);
    CHECK_EQ(pin_of((struct tprof_device){.irq = 8}), 8);
}

TEST(pin_of_another_device_is_not_taken)
{
    CHECK_EQ(pin_by("virtio_mmio.device=512@0xfeb00c00:11"), 0);
    /* catches: the next entry's colon */
    CHECK_EQ(pin_by("virtio_mmio.device=512@0xfeb00e00 "
                    "virtio_mmio.device=512@0xfeb00c00:11"),
             0);
}

TEST(pin_of_no_sense_is_none) /* catches: reading beyond the line */
{
    static const char *const lines[] = {
        "",
        "virtio_mmio.device=512@0xfeb00e00",
        "virtio_mmio.device=512@0xfeb00e00:",
        "virtio_mmio.device=512@0xfeb00e00:x",
        "virtio_mmio.device=512@0xfeb00e00: 12",
        "virtio_mmio.device=512@",
    };

    CHECK_EQ(pin_by(NULL), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        CHECK_EQ(pin_by(lines[i]), 0);
    /* no number so large that it begins anew: no I/O APIC has such a pin */
    CHECK(pin_by("virtio_mmio.device=512@0xfeb00e00:4294967308") > 255);
}

TEST(wire_is_aimed_then_lowered) /* catches: an edge that can not come */
{
    dev.registers = (uintptr_t)registers;
    registers[0x60 / 4] = 3;
    irq = (struct tprof_virtio_irq){.dev = &dev, .pin = 12};
    CHECK_EQ(tprof_virtio_irq_route(&irq, 0xef, 5), TPROF_OK);
    CHECK_EQ(aims, 1);
    CHECK_EQ(aimed_pin, 12);
    CHECK_EQ(aimed_vector, 0xef);
    CHECK_EQ(aimed_hardware_id, 5);
    CHECK_EQ(registers[0x64 / 4], 3);
}

TEST(wire_of_somebody_else_is_refused)
{
    dev.registers = (uintptr_t)registers;
    irq = (struct tprof_virtio_irq){.dev = &dev, .pin = 12};
    answer = TPROF_ERR_DEVICE;
    CHECK_EQ(tprof_virtio_irq_route(&irq, 0xef, 5), TPROF_ERR_DEVICE);
}

TEST(message_is_aimed_and_unmasked)
{
    static const uint32_t want[4] = {0xfee00000 | 254 << 12, 0, 0xef, 0};

    memset(entry, 0xff, sizeof entry);
    dev.function = 3 << 3;
    irq = (struct tprof_virtio_irq){.dev = &dev, .entry = (uintptr_t)entry};
    CHECK_EQ(tprof_virtio_irq_route(&irq, 0xef, 254), TPROF_OK);
    CHECK_MEM(entry, want, sizeof want);
    CHECK_EQ(aims, 0);
}

TEST(core_that_no_device_can_name_is_refused) /* catches: 255, which is all */
{
    static const uint32_t untouched[4];

    irq = (struct tprof_virtio_irq){.dev = &dev, .entry = (uintptr_t)entry};
    CHECK_EQ(tprof_virtio_irq_route(&irq, 0xef, 255), TPROF_ERR_DEVICE);
    CHECK_EQ(tprof_virtio_irq_route(&irq, 0xef, 256), TPROF_ERR_DEVICE);
    CHECK_MEM(entry, untouched, sizeof untouched);
    CHECK_EQ(aims, 0);
}

TEST(device_without_a_way_is_refused)
{
    irq = (struct tprof_virtio_irq){.dev = &dev};
    CHECK_EQ(tprof_virtio_irq_route(&irq, 0xef, 0), TPROF_ERR_DEVICE);
    dev.function = 3 << 3; /* without capabilities */
    CHECK_EQ(
        tprof_virtio_irq_init(&irq, &dev, &(struct tprof_device){.irq = 7}),
        TPROF_ERR_DEVICE);
    CHECK_EQ(irq.entry, 0);
    CHECK_EQ(irq.pin, 0);
}

TEST(queues_are_bound_on_pci_alone)
{
    dev.registers = (uintptr_t)registers;
    registers[0x18 / 4] = 0xffff0040; /* vector << 16 | size */
    CHECK_EQ(tprof_virtio_irq_bind(&dev), TPROF_OK);
    CHECK_EQ(registers[0x18 / 4], 0xffff0040);
    CHECK_EQ(selected, 0);
    dev.function = 3 << 3;
    CHECK_EQ(tprof_virtio_irq_bind(&dev), TPROF_OK);
    CHECK_EQ(registers[0x18 / 4], 0x40);
    CHECK_EQ(selected, 3);
}

TEST(acknowledgement_is_for_wires)
{
    dev.registers = (uintptr_t)registers;
    registers[0x60 / 4] = 1;
    tprof_virtio_irq_ack(&dev);
    CHECK_EQ(registers[0x64 / 4], 1);
    registers[0x60 / 4] = 0;
    tprof_virtio_irq_ack(&dev); /* catches: an exit for nothing */
    CHECK_EQ(registers[0x64 / 4], 1);
    registers[0x60 / 4] = 1;
    registers[0x64 / 4] = 0;
    dev.function = 3 << 3; /* where this would be another register */
    tprof_virtio_irq_ack(&dev);
    CHECK_EQ(registers[0x64 / 4], 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding a virtio-mmio device, and the registers that are written, on pages
 * of memory that stand for devices. That real ones understand it is proven by
 * tests/guest/virtio_console.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "machine.h"
#include "virtio/virtio.h"
#include "virtio/virtqueue.h"

#define DEVICES 3u

/* Registers, by offset / 4; below 4 GiB, as a command line gives them */
static uint32_t (*devices)[128];
static struct tprof_virtio dev;
static unsigned offered;
static uintptr_t wanted; /* what to take; 0: nothing */

/* This machine has no PCI bus. */
bool tprof_virtio_pci_exists(void)
{
    return false;
}

bool tprof_virtio_pci_find(struct tprof_virtio_search *s)
{
    (void)s;
    return false;
}

static uint64_t hole; /* an address that is not mapped; 0: all are */

static bool faults(uint64_t start, uint64_t size, bool write)
{
    (void)size;
    (void)write;
    return start == hole;
}

static const struct tprof_machine_hooks hooks = {.faults = faults};

static int take(void *context)
{
    (void)context;
    offered++;
    return dev.registers == wanted ? TPROF_OK : TPROF_ERR_DEVICE;
}

static void plug_in(uint32_t version, uint32_t type)
{
    devices = mmap((void *)0x50000000, 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(devices == (void *)0x50000000);
    for (uint32_t i = 0; i < DEVICES; i++) {
        devices[i][0] = 0x74726976;
        devices[i][1] = version;
        devices[i][2] = type;
    }
}

static int why; /* what the last search said */

static bool find(struct tprof_device where)
{
    struct tprof_virtio_search s = {
        .where = &where, .type = 3, .dev = &dev, .take = take};

    where.flags = TPROF_DEVICE_NO_SCAN; /* nothing is mapped there */
    offered = 0;
    why = tprof_virtio_find(&s);
    return why == TPROF_OK;
}

static bool find_by(const char *line)
{
    return find((struct tprof_device){.command_line = line});
}

TEST(device_whose_registers_are_not_mapped_is_none)
{
    plug_in(2, 3);
    wanted = 0x50000200;
    tprof_machine.hooks = &hooks;
    hole = 0x50000200;
    CHECK(!find_by("virtio_mmio.device=512@0x50000000:12 "
                   "virtio_mmio.device=512@0x50000200:13"));
    CHECK_EQ(offered, 1);
    CHECK_EQ(why, TPROF_ERR_DEVICE_UNMAPPED);
    CHECK(!find((struct tprof_device){.address = 0x50000200}));
    CHECK_EQ(why, TPROF_ERR_DEVICE_UNMAPPED);
    hole = 0;
    CHECK(find((struct tprof_device){.address = 0x50000200}));
}

TEST(device_is_found_on_the_command_line)
{
    plug_in(2, 3);
    wanted = 0x50000200;
    CHECK(find_by("virtio_mmio.device=512@0x50000000:12 "
                  "virtio_mmio.device=512@0x50000200:13"));
    CHECK_EQ(offered, 2);
    CHECK_EQ(devices[0][0x70 / 4], 0); /* the other is reset */
    CHECK(find_by(
        "quiet virtio_mmio.devic virtio_mmio.device=0x200@0x50000200:"));
    CHECK_EQ(offered, 1);
    CHECK(find_by("vvirtio_mmio.device=4K@0x50000200"));
    CHECK(find_by("virtio_mmio.virtio_mmio.device=4K@0x50000200 x"));
}

TEST(command_line_of_no_sense_finds_nothing) /* catches: reading beyond it */
{
    static const char *const lines[] = {
        "",
        "v",
        "virtio_mmio.device=",
        "virtio_mmio.device=512",
        "virtio_mmio.device=512@",
        "virtio_mmio.device=512@0",
        "virtio_mmio.device=512@0x",
        "virtio_mmio.device=512@0xg",
        "virtio_mmio.device=512@50000200",
        "virtio_mmio_device=512@0x50000200",
    };

    plug_in(2, 3);
    wanted = 0x50000200;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        CHECK(!find_by(lines[i]));
        CHECK_EQ(why, TPROF_ERR_DEVICE);
        CHECK_EQ(offered, 0);
    }
}

TEST(device_at_an_address_is_all_that_is_tried)
{
    plug_in(1, 3);
    wanted = 0x50000200;
    devices[1][0x70 / 4] = 4; /* even with a driver */
    CHECK(find((struct tprof_device){.address = 0x50000200}));
    CHECK(dev.legacy);
    CHECK(!find(
        (struct tprof_device){.bus = TPROF_BUS_MMIO, .address = 0x50000000}));
    CHECK_EQ(offered, 1);
    CHECK(!find(
        (struct tprof_device){.bus = TPROF_BUS_PCI, .address = 0x50000200}));
    CHECK_EQ(offered, 0);
}

TEST(what_is_no_such_device_is_not_offered)
{
    static const char line[] = "virtio_mmio.device=512@0x50000000:1";

    plug_in(2, 3);
    wanted = 0x50000000;
    CHECK(find_by(line));
    devices[0][2] = 2; /* a disk */
    CHECK(!find_by(line));
    devices[0][2] = 3;
    devices[0][1] = 3; /* of the future */
    CHECK(!find_by(line));
    devices[0][1] = 2;
    devices[0][0] = 0;
    CHECK(!find_by(line));
    devices[0][0] = 0x74726976;
    devices[0][0x70 / 4] = 4; /* DRIVER_OK */
    CHECK(!find_by(line));
    CHECK_EQ(why, TPROF_ERR_DEVICE_TAKEN);
    CHECK_EQ(devices[0][0x70 / 4], 4);
}

/* catches: "a driver has it", while another device is there and was refused */
TEST(what_the_search_has_met_is_told)
{
    static const char both[] = "virtio_mmio.device=512@0x50000000:1 "
                               "virtio_mmio.device=512@0x50000200:1";

    plug_in(2, 3);
    CHECK(!find_by(both));
    CHECK_EQ(offered, 2);
    CHECK_EQ(why, TPROF_ERR_DEVICE);
    devices[0][0x70 / 4] = 4;
    CHECK(!find_by(both));
    CHECK_EQ(offered, 1);
    CHECK_EQ(why, TPROF_ERR_DEVICE_TAKEN);
    wanted = 0x50000200;
    CHECK(find_by(both));
    CHECK_EQ(why, TPROF_OK);
}

TEST(queue_goes_where_each_version_wants_it)
{
    plug_in(2, 3);
    wanted = 0x50000000;
    CHECK(find((struct tprof_device){.address = wanted}));
    tprof_virtio_select(&dev, 9);
    CHECK_EQ(devices[0][0x30 / 4], 9);
    CHECK_EQ(tprof_virtio_enable(&dev, 32, 0x123456400), 0x50000050);
    CHECK_EQ(devices[0][0x38 / 4], 32);
    CHECK_EQ(devices[0][0x80 / 4], 0x23456400); /* descriptors */
    CHECK_EQ(devices[0][0x84 / 4], 1);
    CHECK_EQ(devices[0][0x90 / 4], 0x23456600); /* + 16 * 32 */
    CHECK_EQ(devices[0][0x94 / 4], 1);
    CHECK_EQ(devices[0][0xa0 / 4], 0x23456680); /* + 70, aligned */
    CHECK_EQ(devices[0][0xa4 / 4], 1);
    CHECK_EQ(devices[0][0x44 / 4], 1);
    tprof_virtio_notify(&dev, 0x50000050, 9);
    CHECK_EQ(devices[0][0x50 / 4], 9);

    devices[1][1] = 1;
    wanted = 0x50000200;
    CHECK(find((struct tprof_device){.address = wanted}));
    tprof_virtio_enable(&dev, 32, 0x123456400);
    CHECK_EQ(devices[1][0x38 / 4], 32);
    CHECK_EQ(devices[1][0x28 / 4], 1024); /* its page */
    CHECK_EQ(devices[1][0x3c / 4], 64);
    CHECK_EQ(devices[1][0x40 / 4], 0x123456400 / 1024);
    CHECK_EQ(devices[1][0x44 / 4], 0); /* it has no such register */
}

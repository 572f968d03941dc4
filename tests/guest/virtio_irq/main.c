/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device's interrupt alone: QEMU's virtio-rng, which is done with a buffer
 * as soon as it has one, interrupts the core that it was aimed at, then
 * another one. Fails where an interrupt is missing or nobody asked for it.
 *
 * Options: irq=PIN as in struct tprof_device; list=0 without the machine's
 * list of devices; taken=1 another driver has the pin; none=1 there is no way
 * to interrupt, and that must be said.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/ioapic_regs.h"
#include "arch/x86_64/probe.h"
#include "cpu.h"
#include "guest.h"
#include "kit.h"
#include "state/reach.h"
#include "virtio/virtio.h"
#include "virtio/virtio_irq.h"
#include "virtio/virtqueue.h"

#define TYPE_RNG 4u
#define VECTOR   0x50u
#define FOREIGN  0x60u        /* of another driver */
#define SIZE     8u           /* of the queue */
#define PATIENCE 30000000000u /* TSC ticks: a host may be busy */
#define QUIET    20000000u    /* an interrupt takes less, as a rule */
#define ROUNDS   100u

static struct tprof_virtio dev;
static struct tprof_virtio_irq irq;
static struct tprof_virtqueue queue;
static struct tprof_virtqueue_memory rings;
static uintptr_t doorbell;
static uint8_t random[16];
static int found; /* of tprof_virtio_irq_init() and _bind() */
static struct tprof_device where;
static bool ack = true;

static _Atomic uint32_t noticed[GUEST_CORES_MAX];

IDT_ENTRY(device_entry, device_interrupt);

void device_interrupt(const struct idt_frame *frame)
{
    (void)frame;
    if (ack)
        tprof_virtio_irq_ack(&dev);
    noticed[core_index()]++;
    lapic_eoi();
}

IDT_ENTRY(foreign_entry, foreign_interrupt);

void foreign_interrupt(const struct idt_frame *frame)
{
    (void)frame;
    guest_fail("the other driver was interrupted");
}

static int take(void *context)
{
    (void)context;
    if (tprof_virtio_begin(&dev, 0) != TPROF_OK ||
        tprof_virtio_select(&dev, 0) < SIZE)
        return TPROF_ERR_DEVICE;
    tprof_virtqueue_init(&queue, &rings, SIZE);
    tprof_virtqueue_interrupt(&queue, true);
    doorbell = tprof_virtio_enable(&dev, SIZE, (uintptr_t)&rings);
    found = tprof_virtio_irq_init(&irq, &dev, &where);
    if (tprof_virtio_irq_bind(&dev) != TPROF_OK)
        found = TPROF_ERR_DEVICE;
    tprof_virtio_go(&dev);
    return TPROF_OK;
}

/* Have the device do something, and wait until it has. */
static void provoke(void)
{
    uint64_t start = cpu_rdtsc();
    uint32_t length;

    tprof_virtqueue_add(&queue, 0, (uintptr_t)random, sizeof random, true);
    if (tprof_virtqueue_publish(&queue))
        tprof_virtio_notify(&dev, doorbell, 0);
    while (tprof_virtqueue_reap(&queue, &length) != 0) {
        cpu_pause();
        if (cpu_rdtsc() - start > PATIENCE)
            guest_fail("the device does nothing");
    }
}

/* How many interrupts come on (core) in (limit) TSC ticks, or until there are
 * (enough). */
static uint32_t count(unsigned core, uint32_t before, uint32_t enough,
                      uint64_t limit)
{
    uint64_t start = cpu_rdtsc();

    while (cpu_rdtsc() - start < limit && noticed[core] - before < enough)
        cpu_pause();
    return noticed[core] - before;
}

/* Aimed at (core), each of some rounds is noticed there and nowhere else. */
static void aim(unsigned core)
{
    unsigned other = !core;
    uint32_t elsewhere = noticed[other];

    if (tprof_virtio_irq_route(&irq, VECTOR, core_apic_id(core)) != TPROF_OK)
        guest_fail("it cannot be aimed");
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t before = noticed[core];

        provoke();
        if (count(core, before, 1, PATIENCE) != 1)
            guest_fail("an interrupt is missing");
    }
    if (noticed[other] != elsewhere)
        guest_fail("the wrong core was interrupted");
}

/* What is not acknowledged may hide what follows, and no more than that. */
static void forget_to_acknowledge(void)
{
    uint32_t before = noticed[0];

    ack = false;
    provoke();
    count(0, before, 1, PATIENCE);
    provoke();
    con_printf("irq: unacknowledged, %u of 2 are noticed\n",
               count(0, before, 2, QUIET));
    ack = true;
    aim(0);
}

static volatile uint32_t *ioapic(uint32_t reg)
{
    return (volatile uint32_t *)(uintptr_t)(IOAPIC_ADDRESS + reg);
}

/* The pin as another driver has it. */
static void occupy(uint32_t low)
{
    *ioapic(IOAPIC_SELECT) = IOAPIC_PIN(irq.pin);
    *ioapic(IOAPIC_WINDOW) = low;
}

/* Not even touched: neither the pin nor which register is selected. */
static void check_taken(void)
{
    occupy(FOREIGN);
    if (tprof_virtio_irq_route(&irq, VECTOR, core_apic_id(0)) !=
        TPROF_ERR_DEVICE)
        guest_fail("a pin was taken away");
    if (*ioapic(IOAPIC_SELECT) != IOAPIC_PIN(irq.pin))
        guest_fail("another register is selected");
    if (*ioapic(IOAPIC_WINDOW) != FOREIGN)
        guest_fail("the pin was changed");
    occupy(FOREIGN | IOAPIC_MASKED); /* it was closed: free */
}

static void sleep(void)
{
    for (;;)
        cpu_wait();
}

/* The machine's own command line, with its virtio_mmio.device= entries. */
static const char *machine_line(void)
{
    return *(const char *const *)(uintptr_t)(boot_info + 24);
}

/* Instead of the agent's: all memory is where it is. */
uintptr_t tprof_reach(uint64_t physical, uint64_t size)
{
    (void)size;
    return (uintptr_t)physical;
}

int guest_main(void)
{
    struct tprof_virtio_search search = {
        .where = &where, .type = TYPE_RNG, .dev = &dev, .take = take};

    where.irq = (uint32_t)opt_u64("irq", 0);
    where.command_line = opt_u64("list", 1) ? machine_line() : NULL;
    idt_set_gate(VECTOR, device_entry);
    idt_set_gate(FOREIGN, foreign_entry);
    core_start_others(sleep);
    tprof_probe_begin();
    if (tprof_virtio_find(&search) != TPROF_OK)
        guest_fail("no device");
    cpu_irq_enable();
    provoke();
    if (irq.entry && !(((volatile uint32_t *)irq.entry)[3] & 1))
        guest_fail("a message was open before it was aimed");
    if (count(0, 0, 1, QUIET) != 0)
        guest_fail("an interrupt before it was aimed");
    if (opt_u64("taken", 0))
        check_taken();
    if (tprof_virtio_irq_route(&irq, VECTOR, 255) != TPROF_ERR_DEVICE)
        guest_fail("it is aimed at all cores");
    if (found != TPROF_OK) {
        con_printf("irq: no way\n");
        return !opt_u64("none", 0) ||
               tprof_virtio_irq_route(&irq, VECTOR, core_apic_id(0)) ==
                   TPROF_OK;
    }
    aim(0);
    aim(1);
    aim(0);
    forget_to_acknowledge();
    con_printf("irq: %s, pin %u, %u interrupts\n",
               irq.entry ? "message" : "wire", irq.pin,
               noticed[0] + noticed[1]);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an agent that is idle learns of its host, and what that costs meanwhile.
 * Core 0 is the kernel's alone, woken by a tick of its own; the others have the
 * agent and nothing to do: each interrupt that wakes one is the agent's, and is
 * counted.
 *
 * While nothing samples, every (window) of the kernel's ticks gives a line
 *     notice: before S idle N ms M ticks T woken W1 W2 left L taken I
 * with the sessions so far plus 1, how long it was, all ticks of the agent so
 * far, the interrupts of each of two cores, whether core 1 has left, and
 * another driver's interrupts; N counts from 1. The guest ends after as many
 * sessions as wanted and one more window.
 *
 * Options: notice=N and irq=PIN as in struct tprof_config; window=N (default
 * 100, of 100 a second); sessions=N (default 1); poll=1 the kernel polls, at
 * each of its ticks; leave=1 core 1, which looks, leaves after the first line;
 * hook=PIN the kernel itself aims that, or on PCI a message; taken=PIN another
 * driver has that, and it is a level: a line that nobody lowers interrupts for
 * ever.
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "must.h"

#define VECTOR_TICK  0x40u
#define VECTOR_LEAVE 0x41u
#define VECTOR_TAKEN 0x42u /* the other driver's */
#define TICK_HZ      100u
#define QUIET_TICKS  50u /* without a sample: the session is over */

/* PCI configuration space, and what is looked for there. */
#define PCI_ADDRESS      0xcf8
#define PCI_DATA         0xcfc
#define PCI_VSOCK        0x10531af4u
#define PCI_BARS         0x10
#define PCI_CAPABILITIES 0x34
#define PCI_CAP_MSIX     0x11

/* Local APIC and I/O APIC; Intel SDM volume 3 and 82093AA. */
#define LAPIC          ((uintptr_t)0xfee00000)
#define LAPIC_TIMER    0x320
#define LAPIC_MASKED   (1u << 16)
#define LAPIC_PERIODIC (1u << 17)
#define LAPIC_INITIAL  0x380
#define LAPIC_CURRENT  0x390
#define LAPIC_DIVIDE   0x3e0
#define LAPIC_BY_1     0xb
#define APIC_HZ        1000000000u /* QEMU's */
#define IOAPIC_SELECT  ((uintptr_t)0xfec00000)
#define IOAPIC_WINDOW  ((uintptr_t)0xfec00010)
#define IOAPIC_PIN(n)  (0x10 + 2 * (n))
#define IOAPIC_LEVEL   (1u << 15)

static atomic_uint woken[GUEST_CORES_MAX]; /* written by each core */
static atomic_uint joined, leaving, left, taken;
static uint32_t hook_pin, routes;
static uintptr_t hook_entry;
static uint64_t tsc_hz;

static uint32_t read32(uintptr_t address)
{
    return *(volatile uint32_t *)address;
}

static void write32(uintptr_t address, uint32_t val)
{
    *(volatile uint32_t *)address = val;
}

/* --- Cores ---------------------------------------------------------------- */

IDT_ENTRY(kernel_entry, kernel_interrupt);

/* What the kernel's interrupts are for is looked at after the hlt. */
void kernel_interrupt(const struct idt_frame *frame)
{
    (void)frame;
    lapic_eoi();
}

IDT_ENTRY(taken_entry, taken_interrupt);

void taken_interrupt(const struct idt_frame *frame)
{
    (void)frame;
    atomic_fetch_add(&taken, 1);
    lapic_eoi();
}

/* The core has nothing to do but what interrupts it. */
static void sleep_core(void)
{
    unsigned core = core_index();

    while (atomic_load(&joined) != core - 1)
        cpu_pause(); /* the first one is the one that looks */
    must(tprof_start_cpu());
    atomic_store(&joined, core);
    for (;;) {
        cpu_irq_disable();
        if (core == 1 && atomic_load(&leaving) && !atomic_load(&left)) {
            must(tprof_stop_cpu());
            atomic_store(&left, 1);
        }
        cpu_wait();
        atomic_fetch_add(&woken[core], 1);
    }
}

/* --- The kernel's own routes ---------------------------------------------- */

static void set_pin(uint32_t pin, uint32_t vector, uint32_t apic_id)
{
    write32(IOAPIC_SELECT, IOAPIC_PIN(pin) + 1);
    write32(IOAPIC_WINDOW, apic_id << 24);
    write32(IOAPIC_SELECT, IOAPIC_PIN(pin));
    write32(IOAPIC_WINDOW, vector);
}

static uint32_t pci_read(uint32_t device, uint32_t offset)
{
    cpu_out32(PCI_ADDRESS, 0x80000000u | device << 11 | offset);
    return cpu_in32(PCI_DATA);
}

/* The first entry of the MSI-X table of the vsock device; 0: it is not on the
 * PCI bus. */
static uintptr_t find_entry(void)
{
    uint32_t device = 0;

    while (device < 32 && pci_read(device, 0) != PCI_VSOCK)
        device++;
    if (device == 32)
        return 0;
    uint32_t cap = pci_read(device, PCI_CAPABILITIES) & 0xfc;

    while (cap && (pci_read(device, cap) & 0xff) != PCI_CAP_MSIX)
        cap = pci_read(device, cap) >> 8 & 0xfc;
    uint32_t table = pci_read(device, cap + 4);

    return (pci_read(device, PCI_BARS + 4 * (table & 7)) & ~15u) +
           (table & ~7u);
}

static int route(void *context, uint32_t vector, uint32_t apic_id)
{
    (void)context;
    if (hook_entry) {
        write32(hook_entry, (uint32_t)LAPIC | apic_id << 12);
        write32(hook_entry + 4, 0);
        write32(hook_entry + 8, vector);
        write32(hook_entry + 12, 0);
    } else {
        set_pin(hook_pin, vector, apic_id);
    }
    routes++;
    return 0;
}

/* --- The agent ------------------------------------------------------------ */

static void start_agent(void)
{
    struct tprof_config config = {
        .version = TPROF_CONFIG_VERSION,
        .cpu_source = TPROF_CPU_GS,
        .tsc_hz = tsc_hz,
        .transport = &tprof_vsock,
        .notice = (uint32_t)opt_u64("notice", 0),
        .device.command_line = opt_line(),
        .device.irq = (uint32_t)opt_u64("irq", 0),
    };

    hook_pin = (uint32_t)opt_u64("hook", 0);
    if (hook_pin) {
        config.route_irq = route;
        hook_entry = find_entry();
    }
    if (opt_u64("taken", 0))
        set_pin((uint32_t)opt_u64("taken", 0), IOAPIC_LEVEL | VECTOR_TAKEN,
                core_apic_id(0));
    must(tprof_init(&config));
}

static uint64_t ticks(void)
{
    struct tprof_stats stats;
    uint64_t sum = 0;

    for (unsigned i = 1; i < core_count(); i++) {
        if (tprof_get_stats(i, &stats) == TPROF_OK)
            sum += stats.ticks;
    }
    return sum;
}

/* --- The kernel's loop ---------------------------------------------------- */

/* The APIC's counter and, in (tsc), the time when it was so: nothing had come
 * between, unless that is always so. */
static uint32_t read_both(uint64_t *tsc)
{
    uint32_t counter = 0;

    for (int i = 0; i < 100; i++) {
        *tsc = cpu_rdtsc();
        counter = read32(LAPIC + LAPIC_CURRENT);
        if (cpu_rdtsc() - *tsc < 100000)
            break;
    }
    return counter;
}

static void measure_tsc(void)
{
    uint64_t start, end;

    write32(LAPIC + LAPIC_DIVIDE, LAPIC_BY_1);
    write32(LAPIC + LAPIC_TIMER, LAPIC_MASKED);
    write32(LAPIC + LAPIC_INITIAL, UINT32_MAX);
    uint32_t from = read_both(&start);
    uint32_t to;

    do
        to = read_both(&end);
    while (from - to < APIC_HZ / 20);
    tsc_hz = (end - start) * APIC_HZ / (from - to);
}

static void start_tick(void)
{
    idt_set_gate(VECTOR_TICK, kernel_entry);
    write32(LAPIC + LAPIC_DIVIDE, LAPIC_BY_1);
    write32(LAPIC + LAPIC_TIMER, LAPIC_PERIODIC | VECTOR_TICK);
    write32(LAPIC + LAPIC_INITIAL, APIC_HZ / TICK_HZ);
}

/* Sleep for (count) of the kernel's ticks, or until something was sampled;
 * returns how many were slept. */
static uint64_t sleep_ticks(uint64_t count, bool polls)
{
    uint64_t start = ticks();
    uint64_t slept = 0;

    while (slept < count && ticks() == start) {
        cpu_irq_disable();
        cpu_wait();
        slept++;
        if (polls)
            tprof_poll();
    }
    return slept;
}

/* One line about (window) ticks in which nothing was sampled. False: something
 * was. */
static bool idle(uint64_t session, unsigned number, bool polls)
{
    uint64_t window = opt_u64("window", 100);
    unsigned first = atomic_load(&woken[1]);
    unsigned second = atomic_load(&woken[2]);
    unsigned foreign = atomic_load(&taken);
    uint64_t start = cpu_rdtsc();

    if (sleep_ticks(window, polls) < window)
        return false;
    con_printf(
        "notice: before %lu idle %u ms %lu ticks %lu woken %u %u left %u "
        "taken %u\n",
        session, number, (cpu_rdtsc() - start) * 1000 / tsc_hz, ticks(),
        atomic_load(&woken[1]) - first, atomic_load(&woken[2]) - second,
        atomic_load(&left), atomic_load(&taken) - foreign);
    return true;
}

static void leave(void)
{
    atomic_store(&leaving, 1);
    lapic_send(1, VECTOR_LEAVE);
    while (!atomic_load(&left))
        cpu_pause();
}

/* From a time when nothing is sampled to (session), or for one window if that
 * is one more than there are. */
static void await(uint64_t session, uint64_t sessions)
{
    bool polls = opt_u64("poll", 0) != 0;
    unsigned lines = 0;

    while (sleep_ticks(QUIET_TICKS, polls) < QUIET_TICKS)
        ;
    while (idle(session, ++lines, polls) && session <= sessions) {
        if (opt_u64("leave", 0) && session == 1 && lines == 1)
            leave();
    }
}

int guest_main(void)
{
    uint64_t sessions = opt_u64("sessions", 1);

    if (core_count() != 3)
        guest_fail("3 cores are wanted");
    measure_tsc();
    idt_set_gate(VECTOR_LEAVE, kernel_entry);
    idt_set_gate(VECTOR_TAKEN, taken_entry);
    start_agent();
    core_start_others(sleep_core);
    while (atomic_load(&joined) < 2)
        cpu_pause();
    start_tick();
    for (uint64_t session = 1; session <= sessions + 1; session++)
        await(session, sessions);
    con_printf("notice: routed %u times\n", routes);
    return 0;
}

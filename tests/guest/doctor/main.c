/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel that lacks one thing after another. tprof_init() and
 * tprof_start_cpu() name each, and leave the machine as it was: IDT, APIC,
 * MSRs, devices. Then it lacks nothing, on the same boot, and is sampled.
 *
 * what=init   all that tprof_init() may miss; the machine has a virtio-serial
 *             device on its command line, whose port is another's
 * what=start  all that tprof_start_cpu() may miss
 * what=pci    the registers of the device, on PCI, are not mapped
 * what=device the device is there, but not wanted
 * what=nmi    NMIs, page faults in their handler and on another core, and
 *             interrupts, while memory is asked for: 2 cores
 * what=off    the local APIC is disabled for good
 * what=none   the CPU has no local APIC
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "kit.h"
#include "lacking.h"
#include "mem.h"

#define VECTOR  0x60u
#define FAR     0x800000000000u /* no address: bit 47 goes on above it */
#define MEMORY  (512u << 10)
#define SCAN    0xfeb00000u
#define SCANNED 3u /* pages */

static _Alignas(4096) uint8_t memory[MEMORY];
static _Alignas(4096) uint8_t page[4096];
static struct state before;

/* --- A host that takes everything ----------------------------------------- */

static int open_host(void *context)
{
    (void)context;
    return 1;
}

static int send_host(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    return (int)size;
}

static const struct tprof_channel host = {
    .flags = TPROF_CHANNEL_IRQ_SAFE | TPROF_CHANNEL_ONE_WAY,
    .open = open_host,
    .send = send_host,
};

static struct tprof_config good(void)
{
    struct tprof_config c = {
        .version = TPROF_CONFIG_VERSION,
        .rate_hz = 1000,
        .cpus = 1,
        .cpu_source = TPROF_CPU_TSC_AUX,
        .channel = &host,
        .memory = memory,
    };

    c.memory_size = tprof_mem_size(&c);
    return c;
}

/* --- What is said --------------------------------------------------------- */

static void expect(int got, int want, const char *what)
{
    if (got == want)
        return;
    con_printf("doctor: %s: %s, not: %s\n", what, tprof_strerror(got),
               tprof_strerror(want));
    guest_exit(1);
}

static void refuse(struct tprof_config c, int want, const char *what)
{
    expect(tprof_init(&c), want, what);
    state_check(&before, what);
    expect(tprof_start_cpu(), TPROF_ERR_NOT_INIT, what);
    state_check(&before, what);
}

static void refuse_start(int want, const char *what)
{
    struct state now = state_get();
    struct tprof_stats stats;

    expect(tprof_start_cpu(), want, what);
    state_check(&now, what);
    expect(tprof_get_stats(0, &stats), TPROF_ERR_CPU, what);
}

/* It samples, after all. */
static void check_ticks(void)
{
    struct tprof_stats stats;

    expect(tprof_start_cpu(), TPROF_OK, "start, at last");
    expect(tprof_start_cpu(), TPROF_OK, "start again, as after a reset");
    cpu_irq_enable();
    do {
        cpu_pause();
        expect(tprof_get_stats(0, &stats), TPROF_OK, "stats");
    } while (stats.samples < 3);
    cpu_irq_disable();
    expect(tprof_stop_cpu(), TPROF_OK, "stop");
    if (!(lapic_reg_read(LAPIC_TIMER) & LAPIC_TIMER_MASKED))
        guest_fail("the timer is not masked when the core has left");
    expect(tprof_stop_cpu(), TPROF_ERR_STATE, "stop twice");
}

/* --- tprof_init() --------------------------------------------------------- */

static void lack_text(void)
{
    static const struct tprof_image nothing;
    struct tprof_config c = good();

    expect(tprof_init_image(&c, &nothing), TPROF_ERR_TEXT, "no text");
    c.text = (struct tprof_range){(uintptr_t)page, sizeof page};
    page_unmap((uintptr_t)page);
    refuse(c, TPROF_ERR_TEXT_UNMAPPED, "text not mapped");
    c.text = (struct tprof_range){(uintptr_t)page - 8, 16};
    refuse(c, TPROF_ERR_TEXT_UNMAPPED, "the end of text not mapped");
    c.text.start = FAR;
    refuse(c, TPROF_ERR_TEXT_UNMAPPED, "text nowhere");
    page_map((uintptr_t)page);
    /* a byte that is there, before one that is not */
    c.text = (struct tprof_range){(uintptr_t)memory + 4095, 1};
    c.memory_size = 0;
    page_unmap((uintptr_t)memory + 4096);
    refuse(c, TPROF_ERR_MEMORY, "text up to the last byte mapped");
    page_map((uintptr_t)memory + 4096);
}

static void lack_memory(void)
{
    static const struct tprof_image image = {.text_start = memory,
                                             .text_end = memory + 1};
    struct tprof_config c = good();

    c.memory = NULL;
    expect(tprof_init_image(&c, &image), TPROF_ERR_MEMORY, "no memory");
    c = good();
    c.memory_size = 0;
    refuse(c, TPROF_ERR_MEMORY, "memory of no size");
    c.memory_size = 4096;
    refuse(c, TPROF_ERR_MEMORY_SMALL, "a page of memory");
    c = good();
    c.memory_size--;
    refuse(c, TPROF_ERR_MEMORY_SMALL, "a byte too little");
    c.cpus = 0;
    refuse(c, TPROF_ERR_MEMORY_SMALL, "a byte too little for any core");
    c = good();
    c.cpus = 2;
    refuse(c, TPROF_ERR_MEMORY_SMALL, "memory for a core less");
    c = good();
    /* what it uses begins at a page's beginning, and ends within the last */
    for (uintptr_t at = 0; at + 4096 < c.memory_size; at += 4096) {
        page_unmap((uintptr_t)memory + at);
        refuse(c, TPROF_ERR_MEMORY_UNMAPPED, "a page of memory not mapped");
        page_map((uintptr_t)memory + at);
        page_protect((uintptr_t)memory + at);
        refuse(c, TPROF_ERR_MEMORY_UNMAPPED, "a page of memory read-only");
        page_map((uintptr_t)memory + at);
    }
    c.memory = (void *)(uintptr_t)FAR;
    refuse(c, TPROF_ERR_MEMORY_UNMAPPED, "memory nowhere");
}

static void lack_apic(void)
{
    struct tprof_config c = good();

    /* registers that stand still; and what is written there afterwards is
     * what has been there */
    memset(page, 0xff, sizeof page);
    c.lapic = (uintptr_t)page;
    refuse(c, TPROF_ERR_TIMER, "a timer that does not count");
    for (size_t i = 0; i < sizeof page; i++) {
        if (page[i] != 0xff)
            guest_fail("the timer's registers are not as they were");
    }
    c.lapic = 0;
    page_unmap(LAPIC);
    state_has_apic = false;
    refuse(c, TPROF_ERR_APIC_UNMAPPED, "the APIC not mapped");
    page_map(LAPIC);
    state_has_apic = true;
    page_unmap((uintptr_t)page);
    c.lapic = (uintptr_t)page;
    refuse(c, TPROF_ERR_APIC_UNMAPPED, "the APIC not where it is said to be");
    page_map((uintptr_t)page);
}

static void lack_gates(void)
{
    /* the second lacks the last byte of the first gate that might do */
    static const uint16_t limits[] = {32 * 16 - 1, 33 * 16 - 2, 0};
    struct tprof_config c = good();
    struct idt kernels = idt_get();
    struct idt shorter = kernels;

    idt_take_all(true);
    before = state_get();
    refuse(c, TPROF_ERR_VECTOR, "no gate is free");
    idt_take(32, false);
    before = state_get();
    c.channel = NULL;
    c.device.bus = TPROF_BUS_NONE;
    refuse(c, TPROF_ERR_DEVICE, "the first gate is free, but no device");
    c = good();
    idt_take_all(false);
    page_unmap(0); /* where nothing is to be read */
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        shorter.limit = limits[i];
        idt_set(&shorter);
        before = state_get();
        refuse(c, TPROF_ERR_IDT, "an IDT without interrupts, or none");
    }
    page_map(0);
    /* what a machine has that nobody gave one: in their gates lies all sorts */
    for (unsigned i = 0; i < 2; i++) {
        const struct idt left = {.limit = i ? 0x3ff : 0xffff};

        idt_set(&left);
        before = state_get();
        refuse(c, TPROF_ERR_IDT, "a reset's IDT, or real mode's");
    }
    idt_set(&kernels);
    before = state_get();
}

static void lack_device(void)
{
    struct tprof_config c = good();

    c.channel = NULL;
    c.device.command_line = opt_line();
    for (uint32_t bus = TPROF_BUS_AUTO; bus <= TPROF_BUS_NONE; bus++) {
        c.device.bus = bus;
        refuse(c,
               bus == TPROF_BUS_AUTO || bus == TPROF_BUS_MMIO
                   ? TPROF_ERR_DEVICE_PORT
                   : TPROF_ERR_DEVICE,
               "no device with our port");
    }
    c.device.bus = TPROF_BUS_AUTO;
    c.transport = &tprof_vsock;
    refuse(c, TPROF_ERR_DEVICE, "no vsock device");
    c.transport = NULL;
    c.device.bus = TPROF_BUS_MMIO;
    c.device.address = (uintptr_t)page;
    page_unmap((uintptr_t)page);
    refuse(c, TPROF_ERR_DEVICE_UNMAPPED, "a device where nothing is mapped");
    page_map((uintptr_t)page);
    c.device.address = FAR;
    refuse(c, TPROF_ERR_DEVICE_UNMAPPED, "a device nowhere");
    c.device.address = 0;
    c.device.command_line = NULL;
    state_has_device = false; /* it lies there */
    for (unsigned i = 0; i < SCANNED; i++)
        page_unmap(SCAN + i * 4096);
    refuse(c, TPROF_ERR_DEVICE, "QEMU's place of devices not mapped");
    c.device.bus = TPROF_BUS_AUTO;
    refuse(c, TPROF_ERR_DEVICE, "the same, to be found");
    for (unsigned i = 0; i < SCANNED; i++)
        page_map(SCAN + i * 4096);
    state_has_device = true;
}

static void lack_port(void)
{
    struct tprof_config c = good();

    c.channel = NULL;
    c.transport = &tprof_debugcon;
    refuse(c, TPROF_ERR_IO_PORT, "no debug port");
    c.transport = &tprof_uart;
    c.device.address = 0x2e8; /* COM4 */
    refuse(c, TPROF_ERR_IO_PORT, "no UART there");
    c.device.address = 0xfff9;
    refuse(c, TPROF_ERR_IO_PORT, "a UART with a register too many");
    c.device.address = 0x103f8; /* of which COM1 is the lower half */
    refuse(c, TPROF_ERR_IO_PORT, "a UART beyond all ports");
}

/* The kernel's hook loads another IDT meanwhile, as a scheduler might. */
static uint64_t change_idt(void *context, const void *address)
{
    idt_set(context);
    return (uintptr_t)address;
}

static void change_table(void)
{
    static uint8_t gates[256 * 16];
    struct tprof_config c = good();
    struct idt kernels = idt_get();
    struct idt other = {kernels.limit, (uintptr_t)gates};

    memcpy(gates, (const void *)kernels.base, sizeof gates);
    c.channel = NULL;
    c.physical = change_idt;
    c.context = &other;
    c.device.address = FAR;
    expect(tprof_init(&c), TPROF_ERR_DEVICE_UNMAPPED, "a device nowhere");
    if (idt_get().base != other.base)
        guest_fail("the kernel has loaded an IDT, and it is another");
    idt_set(&kernels);
}

static void what_init(void)
{
    struct tprof_config c = good();

    refuse((struct tprof_config){0}, TPROF_ERR_VERSION, "no version");
    c.vector = 31;
    refuse(c, TPROF_ERR_CONFIG, "a vector of the CPU's");
    lack_text();
    lack_memory();
    lack_apic();
    lack_gates();
    lack_device();
    lack_port();
    change_table();
    before = state_get();
    c = good();
    expect(tprof_init(&c), TPROF_OK, "a kernel that lacks nothing");
    state_check(&before, "after tprof_init()");
    expect(tprof_init(&c), TPROF_ERR_STATE, "init twice");
    check_ticks();
}

/* --- tprof_start_cpu() ---------------------------------------------------- */

static atomic_uint joined;

static void join_in_vain(void)
{
    expect(tprof_start_cpu(), TPROF_ERR_CPU, "a core too many");
    expect(tprof_stop_cpu(), TPROF_ERR_STATE, "stop it");
    atomic_fetch_add(&joined, 1);
}

static void what_start(void)
{
    struct tprof_config c = good();
    struct idt kernels = idt_get();
    struct idt shorter = kernels;
    uint32_t spurious = lapic_reg_read(LAPIC_SPURIOUS);
    uint64_t base = cpu_rdmsr(CPU_MSR_APIC_BASE);

    c.vector = VECTOR;
    expect(tprof_init(&c), TPROF_OK, "init");
    state_check(&before, "after tprof_init()");

    lapic_reg_write(LAPIC_SPURIOUS, spurious & ~LAPIC_SPURIOUS_ENABLED);
    refuse_start(TPROF_ERR_APIC_OFF, "the APIC off by software");
    lapic_reg_write(LAPIC_SPURIOUS, spurious);

    cpu_wrmsr(CPU_MSR_APIC_BASE, (base & 4095) | (uintptr_t)page);
    refuse_start(TPROF_ERR_APIC_OFF, "the APIC elsewhere than at first");
    cpu_wrmsr(CPU_MSR_APIC_BASE, base);

    shorter.limit = VECTOR * 16 - 1;
    idt_set(&shorter);
    refuse_start(TPROF_ERR_IDT, "an IDT that ends before our vector");
    shorter.limit = 0;
    idt_set(&shorter);
    refuse_start(TPROF_ERR_IDT, "no IDT");
    idt_set(&kernels);

    page_protect(kernels.base);
    page_protect(kernels.base + 4095); /* wherever it begins */
    refuse_start(TPROF_ERR_IDT, "an IDT that is read-only");
    page_map(kernels.base);
    page_map(kernels.base + 4095);

    idt_take(VECTOR, true);
    refuse_start(TPROF_ERR_VECTOR_TAKEN, "the vector is the kernel's");
    idt_take(VECTOR, false);

    /* last: its registers cannot be looked at meanwhile */
    page_unmap(LAPIC);
    expect(tprof_start_cpu(), TPROF_ERR_APIC_UNMAPPED, "the APIC not mapped");
    page_map(LAPIC);
    state_check(&before, "after all that");
    check_ticks();
    core_start_others(join_in_vain);
    while (atomic_load(&joined) + 1 < core_count())
        cpu_pause();
}

/* --- Other machines ------------------------------------------------------- */

static void what_pci(void)
{
    struct tprof_config c = good();

    c.channel = NULL;
    c.device.bus = TPROF_BUS_PCI;
    pci_unmap_bars(1u << 3);
    refuse(c, TPROF_ERR_DEVICE_UNMAPPED, "a PCI device's BAR not mapped");
    c.device.bus = TPROF_BUS_AUTO;
    refuse(c, TPROF_ERR_DEVICE_UNMAPPED, "the same, to be found");
    pci_map_bars();
    expect(tprof_init(&c), TPROF_OK, "the same, mapped");
    expect(tprof_start_cpu(), TPROF_OK, "start with a device");
}

static void what_device(void)
{
    struct tprof_config c = good();

    c.channel = NULL;
    c.device.command_line = opt_line();
    c.device.bus = TPROF_BUS_NONE;
    refuse(c, TPROF_ERR_DEVICE, "a device that is not to be used");
    c.device.bus = TPROF_BUS_AUTO;
    expect(tprof_init(&c), TPROF_OK, "the same, to be used");
    expect(tprof_start_cpu(), TPROF_OK, "start with a device");
}

/* Both kinds of APIC-less machine; a kernel's own ticks do without. */
static void refuse_apic(int want)
{
    struct tprof_config c = good();
    struct tprof_regs regs = {0};
    struct tprof_stats stats;

    state_has_apic = false;
    before = state_get();
    refuse(c, want, "no APIC to be had");
    c.timer = TPROF_TIMER_SHARED;
    c.channel = NULL;
    c.device.bus = TPROF_BUS_NONE;
    refuse(c, TPROF_ERR_DEVICE, "a shared timer, but no device");
    c = good();
    c.timer = TPROF_TIMER_KERNEL;
    c.kernel_hz = 1000;
    c.tsc_hz = 1000000000;
    expect(tprof_init(&c), TPROF_OK, "the kernel's ticks");
    expect(tprof_start_cpu(), TPROF_OK, "a core with the kernel's ticks");
    do {
        tprof_tick(&regs);
        expect(tprof_get_stats(0, &stats), TPROF_OK, "stats");
    } while (stats.ticks < 3);
}

static void what_off(void)
{
    uint64_t base = cpu_rdmsr(CPU_MSR_APIC_BASE);

    cpu_wrmsr(CPU_MSR_APIC_BASE, base & ~(uint64_t)LAPIC_BASE_ENABLED);
    refuse_apic(TPROF_ERR_APIC_OFF);
}

static void what_none(void)
{
    refuse_apic(TPROF_ERR_APIC);
}

/* --- Faults and NMIs of the kernel's own ---------------------------------- */

#define INSIDE     20u   /* NMIs while memory is asked for */
#define NMI_PERIOD 3001u /* ns */

#define TICKS 200u /* of an interrupt that must wait meanwhile */

static atomic_bool over;
static atomic_uint nmis, nmis_inside, faults, ticks;

IDT_ENTRY(nmi_entry, on_nmi);

/* A handler that faults itself. */
void on_nmi(const struct idt_frame *frame)
{
    struct idt now = idt_get();

    (void)frame;
    atomic_fetch_add(&nmis, 1);
    if (now.limit != 32 * 16 - 1)
        return;
    atomic_fetch_add(&nmis_inside, 1);
    faults += fault_at((uintptr_t)page);
}

IDT_ENTRY(tick_entry, on_tick);

void on_tick(const struct idt_frame *frame)
{
    struct idt now = idt_get();

    (void)frame;
    atomic_fetch_add(&ticks, 1);
    lapic_eoi();
    if (now.limit == 32 * 16 - 1)
        guest_fail("an interrupt while memory is asked for");
}

/* The kernel may have interrupts on. */
static void ask_with_interrupts(const struct tprof_config *c)
{
    uint32_t timer = lapic_reg_read(LAPIC_TIMER);

    idt_set_gate(VECTOR, tick_entry);
    lapic_reg_write(LAPIC_TIMER, LAPIC_TIMER_PERIODIC | VECTOR);
    lapic_reg_write(LAPIC_INITIAL, NMI_PERIOD);
    cpu_irq_enable();
    /* a tick that is lost would be the last: nobody ends it */
    while (atomic_load(&ticks) < TICKS)
        expect(tprof_init(c), TPROF_ERR_VECTOR, "no gate is free");
    cpu_irq_disable();
    lapic_reg_write(LAPIC_INITIAL, 0);
    lapic_reg_write(LAPIC_TIMER, timer);
}

/* Core 1: faults of its own. */
static void disturb(void)
{
    unsigned count = 0;

    while (!atomic_load(&over))
        count += fault_at((uintptr_t)page);
    if (count == 0)
        guest_fail("a fault on another core did not reach the kernel");
    atomic_fetch_add(&joined, 1);
}

static void what_nmi(void)
{
    struct tprof_config c = good();
    uint32_t timer = lapic_reg_read(LAPIC_TIMER);

    c.take_timer = 1; /* it is in use here */
    /* not the image, where (page) is: after a fault in an NMI's handler the
     * kernel's IDT is loaded, and the kernel has the fault that follows */
    c.readable[0] = (struct tprof_range){(uintptr_t)memory, MEMORY};
    page_unmap((uintptr_t)page);
    fault_init();
    idt_set_gate(2, nmi_entry);
    core_start_others(disturb);
    idt_take_all(true); /* so that nothing but memory is asked for */
    /* QEMU's timers send NMIs, too: as other things of a kernel's may */
    lapic_reg_write(LAPIC_TIMER, LAPIC_TIMER_PERIODIC_NMI);
    lapic_reg_write(LAPIC_INITIAL, NMI_PERIOD);
    before = state_get();
    while (atomic_load(&nmis_inside) < INSIDE)
        expect(tprof_init(&c), TPROF_ERR_VECTOR, "no gate is free");
    state_check(&before, "after NMIs");
    lapic_reg_write(LAPIC_INITIAL, 0);
    lapic_reg_write(LAPIC_TIMER, timer);
    atomic_store(&over, true);
    while (atomic_load(&joined) + 1 < core_count())
        cpu_pause();
    ask_with_interrupts(&c);
    idt_take_all(false);
    if (atomic_load(&faults) != atomic_load(&nmis_inside))
        guest_fail("a fault in an NMI did not reach the kernel");
    con_printf("doctor: %u NMIs, %u of them while memory was asked for\n",
               atomic_load(&nmis), atomic_load(&nmis_inside));
    page_map((uintptr_t)page);
    c = good();
    expect(tprof_init(&c), TPROF_OK, "init");
    check_ticks();
}

int guest_main(void)
{
    static const struct {
        char name[8];
        void (*run)(void);
    } all[] = {
        {"init", what_init},     {"start", what_start}, {"pci", what_pci},
        {"off", what_off},       {"none", what_none},   {"nmi", what_nmi},
        {"device", what_device},
    };
    char name[8] = "";

    opt_str("what", "", name, sizeof name);
    state_has_apic = memcmp(name, "none", 4) != 0;
    before = state_get();
    expect(tprof_start_cpu(), TPROF_ERR_NOT_INIT, "start before init");
    expect(tprof_stop_cpu(), TPROF_ERR_NOT_INIT, "stop before init");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (memcmp(name, all[i].name, sizeof name) == 0) {
            all[i].run();
            con_printf("doctor: %s done\n", name);
            return 0;
        }
    }
    guest_fail("no such what=");
}

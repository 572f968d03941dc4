/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setting the profiler up wrongly, in every way that its header names: each
 * returns its error, and leaves nothing half done. What is looked at afterwards
 * is the machine itself: gates, the APIC's timer, memory around ours.
 *
 * case=errors  tprof_init() in vain, then well; every call too early or twice
 * case=taken   config.vector has a gate of the kernel's
 * case=full    no gate is absent
 * case=given   config.vector is used, and no other
 * case=hook    config.install_vector refuses
 * case=cores   one core more than config.cpus
 */
#include <stdatomic.h>

#include <tprof/tprof.h>

#include "cpu.h"
#include "guest.h"
#include "mem.h"

#define FIRST_VECTOR 32
#define LAST_VECTOR  239
#define VECTOR       0x60

/* Local APIC registers; Intel SDM volume 3, 10.4.1. */
#define LAPIC         ((uintptr_t)0xfee00000)
#define LAPIC_TIMER   0x320
#define LAPIC_MASKED  (1u << 16)
#define LAPIC_CURRENT 0x390

#define MEMORY_SIZE (512ul * 1024)
#define GUARD       64
#define GUARD_BYTE  0xa5

static char memory[GUARD + MEMORY_SIZE + GUARD];
static size_t given; /* bytes of it */

static void expect(int got, int want, const char *what)
{
    if (got == want)
        return;
    con_printf("misuse: %s: %s, not: %s\n", what, tprof_strerror(got),
               tprof_strerror(want));
    guest_exit(1);
}

static void require(bool truth, const char *what)
{
    if (!truth)
        guest_fail(what);
}

static uint32_t lapic_read(uint32_t reg)
{
    return *(volatile uint32_t *)(LAPIC + reg);
}

/* The gate of (vector) in the table that is loaded. */
static bool has_gate(unsigned vector)
{
    struct __attribute__((packed)) {
        uint16_t limit;
        uint64_t base;
    } idt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    return ((const uint8_t *)idt.base)[16ul * vector + 5] & 0x80; /* present */
}

static unsigned count_gates(void)
{
    unsigned count = 0;

    for (unsigned v = FIRST_VECTOR; v <= LAST_VECTOR; v++)
        count += has_gate(v);
    return count;
}

/* Nothing of ours is in the machine. */
static void check_untouched(unsigned gates)
{
    require(count_gates() == gates, "a gate was left behind");
    require((lapic_read(LAPIC_TIMER) & LAPIC_MASKED) != 0 ||
                lapic_read(LAPIC_CURRENT) == 0,
            "the timer was left running");
    for (size_t i = 0; i < GUARD; i++)
        require((uint8_t)memory[i] == GUARD_BYTE &&
                    (uint8_t)memory[GUARD + given + i] == GUARD_BYTE,
                "memory beside ours was written");
}

static int open_nobody(void *context)
{
    (void)context;
    return 0; /* no host */
}

static int send_nothing(void *context, const void *data, uint32_t size)
{
    (void)context;
    (void)data;
    (void)size;
    return 0;
}

static const struct tprof_channel nobody = {
    .flags = TPROF_CHANNEL_IRQ_SAFE, .open = open_nobody, .send = send_nothing};

static struct tprof_config good(void)
{
    struct tprof_config c = {
        .version = TPROF_CONFIG_VERSION,
        .cpus = 1,
        .cpu_source = TPROF_CPU_GS,
        .device.command_line = opt_line(),
        .channel = &nobody,
        .memory = memory + GUARD,
    };

    c.memory_size = given = tprof_mem_size(&c);
    require(given > 0 && given <= MEMORY_SIZE, "tprof_mem_size()");
    memset(memory, GUARD_BYTE, sizeof memory);
    return c;
}

#define REFUSED(field, value, error)                                           \
    do {                                                                       \
        struct tprof_config bad = good();                                      \
                                                                               \
        bad.field = value;                                                     \
        expect(tprof_init(&bad), error, #field " = " #value);                  \
        check_untouched(0);                                                    \
        expect(tprof_start_cpu(), TPROF_ERR_NOT_INIT, "start after " #field);  \
    } while (0)

static void refuse_fields(void)
{
    REFUSED(version, 0, TPROF_ERR_VERSION);
    REFUSED(version, TPROF_CONFIG_VERSION + 1, TPROF_ERR_VERSION);
    REFUSED(rate_hz, 100001, TPROF_ERR_CONFIG);
    REFUSED(max_frames, 128, TPROF_ERR_CONFIG);
    REFUSED(cpus, 257, TPROF_ERR_CONFIG);
    REFUSED(ring_bytes, 2048, TPROF_ERR_CONFIG);
    REFUSED(ring_bytes, 4097, TPROF_ERR_CONFIG);
    REFUSED(ring_bytes, 1u << 25, TPROF_ERR_CONFIG);
    REFUSED(dict_slots, 32, TPROF_ERR_CONFIG);
    REFUSED(dict_slots, 100, TPROF_ERR_CONFIG);
    REFUSED(dict_slots, 16384, TPROF_ERR_CONFIG);
    REFUSED(vector, 31, TPROF_ERR_CONFIG);
    REFUSED(vector, 240, TPROF_ERR_CONFIG);
    REFUSED(cpu_source, 4, TPROF_ERR_CONFIG);
    REFUSED(cpu_source, TPROF_CPU_HOOK, TPROF_ERR_CONFIG);
    REFUSED(timer, 3, TPROF_ERR_CONFIG);
    REFUSED(timer, TPROF_TIMER_KERNEL, TPROF_ERR_CONFIG);
    REFUSED(device.bus, 4, TPROF_ERR_CONFIG);
    REFUSED(memory_size, given - 1, TPROF_ERR_MEMORY_SMALL);
    REFUSED(memory_size, 0, TPROF_ERR_MEMORY);
    REFUSED(cpus, 2, TPROF_ERR_MEMORY_SMALL);
}

/* This machine has none, wherever one looks. */
static void refuse_device(void)
{
    for (uint32_t bus = TPROF_BUS_AUTO; bus <= TPROF_BUS_NONE; bus++) {
        struct tprof_config bad = good();

        bad.channel = NULL;
        bad.device.bus = bus;
        expect(tprof_init(&bad), TPROF_ERR_DEVICE, "no device");
        check_untouched(0);
        expect(tprof_start_cpu(), TPROF_ERR_NOT_INIT, "start without one");
    }
}

static void refuse_image(void)
{
    static const struct tprof_image nothing;
    struct tprof_config c = good();

    expect(tprof_init_image(&c, &nothing), TPROF_ERR_TEXT, "an empty image");
    c.text = (struct tprof_range){(uintptr_t)__tprof_text_start, 4096};
    c.memory = NULL;
    expect(tprof_init_image(&c, &nothing), TPROF_ERR_MEMORY, "no memory");
    check_untouched(0);
}

/* Before tprof_init() every other call is harmless. */
static void call_too_early(void)
{
    struct tprof_regs regs = {0};
    struct tprof_stats stats;

    expect(tprof_start_cpu(), TPROF_ERR_NOT_INIT, "start before init");
    expect(tprof_stop_cpu(), TPROF_ERR_NOT_INIT, "stop before init");
    expect(tprof_get_stats(0, &stats), TPROF_ERR_CPU, "stats before init");
    expect(tprof_flush(10), 0, "flush before init");
    tprof_poll();
    tprof_tick(&regs);
    check_untouched(0);
}

static void case_errors(void)
{
    struct tprof_config c;
    struct tprof_stats stats;

    good();
    call_too_early();
    refuse_fields();
    refuse_device();
    refuse_image();
    c = good();
    expect(tprof_init(&c), TPROF_OK, "a good configuration, after all");
    check_untouched(0);
    expect(tprof_init(&c), TPROF_ERR_STATE, "init twice");
    expect(tprof_stop_cpu(), TPROF_ERR_STATE, "stop before start");
    expect(tprof_get_stats(0, &stats), TPROF_ERR_CPU, "stats before start");
    expect(tprof_start_cpu(), TPROF_OK, "start");
    require(count_gates() == 1, "one gate");
    require(has_gate(LAST_VECTOR), "the highest one");
    expect(tprof_start_cpu(), TPROF_OK, "start again, as after a reset");
    expect(tprof_get_stats(0, &stats), TPROF_OK, "stats");
    require(stats.started && stats.ticks == 0, "started, no ticks");
    expect(tprof_get_stats(1, &stats), TPROF_ERR_CPU, "stats of no core");
    cpu_irq_enable(); /* no host: it looks once, and is silent */
    for (int i = 0; i < 100; i++)
        tprof_poll();
    expect(tprof_stop_cpu(), TPROF_OK, "stop");
    expect(tprof_stop_cpu(), TPROF_ERR_STATE, "stop twice");
    check_untouched(1);
    expect(tprof_start_cpu(), TPROF_OK, "start again");
    expect(tprof_stop_cpu(), TPROF_OK, "stop again");
    check_untouched(1);
}

IDT_ENTRY(kernel_entry, kernel_handler);

void kernel_handler(const struct idt_frame *frame)
{
    (void)frame;
    guest_fail("an interrupt came through the kernel's gate");
}

static void case_taken(void)
{
    struct tprof_config c = good();
    struct tprof_stats stats;

    c.vector = VECTOR;
    idt_set_gate(VECTOR, kernel_entry);
    expect(tprof_init(&c), TPROF_OK, "init");
    for (int i = 0; i < 2; i++) {
        expect(tprof_start_cpu(), TPROF_ERR_VECTOR_TAKEN,
               "a vector that is taken");
        expect(tprof_get_stats(0, &stats), TPROF_ERR_CPU, "nothing started");
        check_untouched(1);
    }
}

static void case_full(void)
{
    struct tprof_config c = good();

    for (unsigned v = FIRST_VECTOR; v <= LAST_VECTOR; v++)
        idt_set_gate((uint8_t)v, kernel_entry);
    expect(tprof_init(&c), TPROF_ERR_VECTOR, "no gate is free");
    check_untouched(LAST_VECTOR - FIRST_VECTOR + 1);
    expect(tprof_start_cpu(), TPROF_ERR_NOT_INIT, "start after that");
}

static void case_given(void)
{
    struct tprof_config c = good();

    c.vector = VECTOR;
    expect(tprof_init(&c), TPROF_OK, "init");
    expect(tprof_start_cpu(), TPROF_OK, "start");
    require(has_gate(VECTOR) && count_gates() == 1, "that gate alone");
}

static int refuse(void *context, uint32_t vector, void (*entry)(void))
{
    require(context == memory && vector == LAST_VECTOR && entry != NULL,
            "what the hook is told");
    return TPROF_ERR_VECTOR;
}

static void case_hook(void)
{
    struct tprof_config c = good();

    c.install_vector = refuse;
    c.context = memory;
    expect(tprof_init(&c), TPROF_OK, "init");
    expect(tprof_start_cpu(), TPROF_ERR_VECTOR, "a hook that refuses");
    check_untouched(0);
}

static atomic_uint refused;

static void join_in_vain(void)
{
    expect(tprof_start_cpu(), TPROF_ERR_CPU, "a core too many");
    check_untouched(1);
    cpu_irq_enable();
    tprof_poll();
    expect(tprof_stop_cpu(), TPROF_ERR_STATE, "stop what is not started");
    atomic_fetch_add(&refused, 1);
}

static void case_cores(void)
{
    struct tprof_config c = good();

    expect(tprof_init(&c), TPROF_OK, "init");
    expect(tprof_start_cpu(), TPROF_OK, "start");
    core_start_others(join_in_vain);
    while (atomic_load(&refused) + 1 < core_count())
        cpu_pause();
}

static bool is_same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

int guest_main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"errors", case_errors}, {"taken", case_taken}, {"full", case_full},
        {"given", case_given},   {"hook", case_hook},   {"cores", case_cores},
    };
    char name[16];

    opt_str("case", "", name, sizeof name);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (is_same(name, cases[i].name)) {
            cases[i].run();
            return 0;
        }
    }
    guest_fail("misuse: no such case");
}

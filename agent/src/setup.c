/* SPDX-License-Identifier: BSD-2-Clause */
/* tprof_init(): checks what the kernel gave, finds what it left out, and lays
 * out the memory. */
#include "tprof/tprof.h"

#include "clock.h"
#include "directory.h"
#include "gate.h"
#include "mem.h"
#include "pump.h"
#include "tick.h"
#include "transport_console.h"

#define RATE_DEFAULT   997u
#define FRAMES_DEFAULT 64u
#define RING_DEFAULT   65536u
#define SLOTS_DEFAULT  4096u
#define VECTOR_END     0xf0u /* above are the kernel's own, by custom */
#define VECTOR_FIRST   32u
#define PAGE           4096u
#define HOOK_STACK     1024u
#define MEASURE_SPAN   ((uint64_t)1 << 20) /* TSC ticks */
#define SECOND_GUESS   ((uint64_t)1 << 31) /* TSC ticks, when unknown */
#define WATERMARK      280u                /* cells that fill a frame */

#define CPUID_1_C_SSE42       (1u << 20)
#define CPUID_1_C_RDRAND      (1u << 30)
#define CPUID_EXTENDED        0x80000000u
#define CPUID_EXTENDED_1      0x80000001u
#define CPUID_EXTENDED_RDTSCP (1u << 27)

const char tprof_anchor[] = "tprof " TPROF_VERSION_STRING;

struct tprof_directory tprof_directory;
struct tprof_cpu *tprof_cpu[TPROF_CPUS_MAX];
uint32_t tprof_cpus;
uint32_t tprof_gs_offset;
uint32_t *tprof_hook_stack[TPROF_CPUS_MAX];
uint8_t tprof_apic_to_cpu[256];
volatile uint32_t *tprof_apic_id_register;
volatile uint32_t *tprof_eoi_register;
uint32_t tprof_unknown_cpu;

/* Memory handed out from one end; an address of NULL only measures. */
struct carver {
    uintptr_t start, at;
};

static void *carve(struct carver *c, size_t size, size_t align)
{
    uintptr_t at = (c->at + align - 1) & ~(uintptr_t)(align - 1);

    c->at = at + size;
    return (void *)at;
}

/* The parts that all cores share. */
static void carve_shared(struct carver *c, void **pump, void **console)
{
    *pump = carve(c, tprof_pump_memory(), PAGE);
    *console = carve(c, sizeof(struct tprof_console), PAGE);
}

/* One core's part: its stack ends where its struct begins. */
static struct tprof_cpu *carve_core(struct carver *c,
                                    const struct tprof_config *config,
                                    uint32_t **hook_stack, uint64_t **ring,
                                    uint64_t **slots)
{
    uint8_t *hook = carve(c, HOOK_STACK, 64);

    carve(c, TPROF_STACK_SIZE, 64);
    struct tprof_cpu *cpu =
        carve(c, sizeof(struct tprof_cpu), _Alignof(struct tprof_cpu));

    *hook_stack = (uint32_t *)(void *)(hook + HOOK_STACK - 64);
    *ring = carve(c, config->ring_bytes, 64);
    *slots = carve(c, config->dict_slots * sizeof(uint64_t), 64);
    return cpu;
}

static void set_default(uint32_t *field, uint32_t value)
{
    if (*field == 0)
        *field = value;
}

static int is_power_of_two_in(uint32_t value, uint32_t low, uint32_t high)
{
    return value >= low && value <= high && (value & (value - 1)) == 0;
}

/* Defaults for what is 0, then ranges. */
static int complete(struct tprof_config *c)
{
    if (c->version != TPROF_CONFIG_VERSION)
        return TPROF_ERR_VERSION;
    set_default(&c->rate_hz, RATE_DEFAULT);
    set_default(&c->max_frames, FRAMES_DEFAULT);
    set_default(&c->ring_bytes, RING_DEFAULT);
    set_default(&c->dict_slots, SLOTS_DEFAULT);
    if (c->rate_hz > WIRE_RATE_MAX_HZ ||
        c->max_frames > WIRE_STACK_FRAMES_MAX || c->cpus > TPROF_CPUS_MAX ||
        !is_power_of_two_in(c->ring_bytes, 4096, 1u << 24) ||
        !is_power_of_two_in(c->dict_slots, 64, 8192) ||
        c->cpu_source > TPROF_CPU_HOOK ||
        (c->cpu_source == TPROF_CPU_HOOK && !c->cpu_index) ||
        c->timer > TPROF_TIMER_KERNEL ||
        (c->timer == TPROF_TIMER_KERNEL && c->kernel_hz == 0) ||
        (c->vector != 0 &&
         (c->vector < VECTOR_FIRST || c->vector >= VECTOR_END)))
        return TPROF_ERR_CONFIG;
    return TPROF_OK;
}

size_t tprof_mem_size(const struct tprof_config *config)
{
    struct tprof_config c = *config;
    struct carver m = {PAGE, PAGE};
    void *pump, *console;
    uint32_t *hook_stack;
    uint64_t *ring, *slots;

    if (complete(&c) != TPROF_OK)
        return 0;
    set_default(&c.cpus, 1);
    carve_shared(&m, &pump, &console);
    for (uint32_t i = 0; i < c.cpus; i++)
        carve_core(&m, &c, &hook_stack, &ring, &slots);
    return m.at - m.start + PAGE; /* at any alignment */
}

/* Where text is, and what may be read: as configured, else the image's. */
static int find_bounds(struct tprof_agent *a)
{
    const struct tprof_config *c = &a->config;
    const struct tprof_image *i = &a->image;
    struct tprof_bounds *b = &a->bounds;
    uintptr_t start = (uintptr_t)i->image_start;

    b->text_start = (uintptr_t)i->text_start;
    b->text_size = (uintptr_t)i->text_end - (uintptr_t)i->text_start;
    if (c->text.size) {
        b->text_start = c->text.start;
        b->text_size = c->text.size;
    }
    if (b->text_size == 0)
        return TPROF_ERR_TEXT;
    memcpy(b->readable, c->readable, sizeof b->readable);
    for (uint32_t r = 0; r < TPROF_RANGES; r++) {
        if (b->readable[r].size)
            return TPROF_OK;
    }
    b->readable[0].start = start;
    b->readable[0].size = (uintptr_t)i->image_end - start;
    return TPROF_OK;
}

/* The memory to be carved, and how many cores it serves. */
static int find_memory(struct tprof_agent *a, struct carver *m)
{
    struct tprof_config *c = &a->config;

    if (!c->memory) {
        c->memory = a->image.memory;
        c->memory_size =
            (uintptr_t)a->image.memory_end - (uintptr_t)a->image.memory;
    }
    if (!c->memory)
        return TPROF_ERR_MEMORY;
    m->start = m->at = (uintptr_t)c->memory;
    if (c->cpus == 0) {
        c->cpus = TPROF_CPUS_MAX;
        while (c->cpus > 1 && tprof_mem_size(c) > c->memory_size)
            c->cpus--;
    }
    return tprof_mem_size(c) > c->memory_size ? TPROF_ERR_MEMORY : TPROF_OK;
}

static int find_vector(struct tprof_agent *a)
{
    set_default(&a->config.vector, tprof_gate_find(VECTOR_END));
    if (a->config.vector == 0)
        return TPROF_ERR_VECTOR;
    a->lapic.vector = (uint8_t)a->config.vector;
    return TPROF_OK;
}

static int find_timer(struct tprof_agent *a)
{
    int error = tprof_lapic_init(&a->lapic, a->config.lapic);

    if (error == TPROF_OK && a->config.timer == TPROF_TIMER_APIC) {
        error = find_vector(a);
        if (error == TPROF_OK)
            error = tprof_lapic_measure(&a->lapic, MEASURE_SPAN);
    } else if (a->config.timer == TPROF_TIMER_KERNEL) {
        error = TPROF_OK; /* the APIC is wanted for its id at most */
    }
    a->tsc_hz =
        a->config.tsc_hz ? a->config.tsc_hz : tprof_clock_hz(a->lapic.per_tsc);
    a->second = a->tsc_hz ? a->tsc_hz : SECOND_GUESS;
    return error;
}

/* A number that differs from boot to boot as far as the machine allows. */
static uint64_t draw(uint64_t *state)
{
    uint64_t value = 0;
    uint8_t good = 0;

    if (tprof_cpuid(1).c & CPUID_1_C_RDRAND)
        __asm__ volatile("rdrand %0; setc %1" : "=r"(value), "=qm"(good));
    *state += tprof_rdtsc();
    return tprof_seed(*state, 0) ^ value;
}

static void draw_boot_id(struct tprof_agent *a)
{
    uint64_t state = 0;

    for (uint32_t i = 0; i < WIRE_BOOT_ID_SIZE; i += 8)
        tprof_store64(a->boot_id + i, draw(&state));
    if (a->config.seed == 0)
        a->config.seed = draw(&state);
}

/* RDTSCP is not everywhere, and one core needs no question. */
static void choose_cpu_source(struct tprof_config *c)
{
    if (c->cpu_source == TPROF_CPU_TSC_AUX &&
        (tprof_cpuid(CPUID_EXTENDED).a < CPUID_EXTENDED_1 ||
         !(tprof_cpuid(CPUID_EXTENDED_1).d & CPUID_EXTENDED_RDTSCP)))
        c->cpu_source = TPROF_CPU_APIC;
}

/* What to add to (address) to get what a device calls it. */
static uint64_t physical_offset(const void *address)
{
    const struct tprof_config *c = &tprof_agent.config;

    return c->physical ? c->physical(c->context, address) - (uintptr_t)address
                       : 0;
}

static void lay_out_core(struct tprof_agent *a, struct carver *m,
                         uint32_t index)
{
    uint64_t *ring, *slots;
    struct tprof_cpu *cpu =
        carve_core(m, &a->config, &tprof_hook_stack[index], &ring, &slots);
    struct tprof_directory_core *d = &tprof_directory.core[index];

    memset(cpu, 0, sizeof *cpu);
    memset(slots, 0, a->config.dict_slots * sizeof *slots);
    *tprof_hook_stack[index] = 0;
    cpu->index = index;
    cpu->recorder.bounds = &a->bounds;
    cpu->schedule.random = tprof_seed(a->config.seed, index);
    tprof_ring_init(&cpu->recorder.ring, ring,
                    a->config.ring_bytes / (uint32_t)sizeof *ring);
    tprof_stacks_init(&cpu->recorder.stacks, slots, a->config.dict_slots);
    cpu->reader.ring = &cpu->recorder.ring;
    a->core[index] = cpu;
    d->counts = (uintptr_t)&cpu->recorder.counts;
    d->ring = (uintptr_t)&cpu->recorder.ring;
    d->words = (uintptr_t)ring;
    d->slots = (uintptr_t)slots;
    d->physical = physical_offset(cpu);
}

static int open_channel(struct tprof_agent *a, void *console)
{
    const struct tprof_config *c = &a->config;

    if (c->channel) {
        a->channel = *c->channel;
        return TPROF_OK;
    }
    if (c->device.bus == TPROF_BUS_NONE)
        return TPROF_ERR_DEVICE;
    return tprof_console_init(console, &c->device, physical_offset(console),
                              &a->channel);
}

int tprof_init_image(const struct tprof_config *config,
                     const struct tprof_image *image)
{
    struct tprof_agent *a = &tprof_agent;
    struct carver m;
    void *pump, *console;
    int error;

    if (a->ready)
        return TPROF_ERR_STATE;
    memset(a, 0, sizeof *a);
    a->config = *config;
    a->image = *image;
    if ((error = complete(&a->config)) != TPROF_OK ||
        (error = find_bounds(a)) != TPROF_OK ||
        (error = find_memory(a, &m)) != TPROF_OK ||
        (error = find_timer(a)) != TPROF_OK)
        return error;

    choose_cpu_source(&a->config);
    tprof_crc32c_init(&a->crc, (tprof_cpuid(1).c & CPUID_1_C_SSE42) != 0);
    a->text_crc = tprof_crc32c(
        &a->crc, (const void *)(uintptr_t)a->bounds.text_start,
        a->bounds.text_size < WIRE_TEXT_CRC_SPAN ? a->bounds.text_size
                                                 : WIRE_TEXT_CRC_SPAN);
    draw_boot_id(a);
    carve_shared(&m, &pump, &console);
    tprof_pump_init(pump);
    error = open_channel(a, console);
    if (error != TPROF_OK && a->config.device.bus != TPROF_BUS_AUTO)
        return error;
    for (uint32_t i = 0; i < a->config.cpus; i++)
        lay_out_core(a, &m, i);
    memset(tprof_apic_to_cpu, 0xff, sizeof tprof_apic_to_cpu);
    tprof_gs_offset = a->config.gs_cpu_offset;
    if (a->lapic.registers) {
        tprof_apic_id_register =
            (volatile uint32_t *)(a->lapic.registers + LAPIC_ID);
        tprof_eoi_register =
            (volatile uint32_t *)(a->lapic.registers + LAPIC_EOI);
    }
    a->watermark = a->config.ring_bytes / 16 < WATERMARK
                       ? a->config.ring_bytes / 16
                       : WATERMARK;
    a->anchor = (uintptr_t)tprof_anchor;
    a->directory = (uintptr_t)&tprof_directory;
    tprof_directory.version = TPROF_DIRECTORY_VERSION;
    tprof_directory.cores = a->config.cpus;
    tprof_directory.ring_words = a->config.ring_bytes / 8;
    tprof_directory.dict_slots = a->config.dict_slots;
    tprof_directory.magic = TPROF_DIRECTORY_MAGIC;
    tprof_cpus = a->config.cpus;
    a->looker = tprof_cpus; /* nobody yet */
    a->ready = 1;
    return TPROF_OK;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "tprof/tprof.h"

#include "base/mem.h"
#include "drive/pump.h"
#include "nmi/nmi.h"
#include "state/agent.h"
#include "state/directory.h"
#include "transport/transport.h"

#define RATE_DEFAULT   997u
#define FRAMES_DEFAULT 64u
#define RING_DEFAULT   65536u
#define SLOTS_DEFAULT  4096u
#define VECTOR_END     0xf0u /* vectors from here on are the kernel's */
#define VECTOR_FIRST   32u
#define PAGE           4096u
#define PAGES_TRIED    16384u /* of the image: some milliseconds at most */
#define SECOND_GUESS   ((uint64_t)1 << 31) /* clock ticks */
#define WATERMARK      209u                /* cells that fill a frame */

const char tprof_anchor[] = "tprof " TPROF_VERSION_STRING;

/*
 * The memory, from a page boundary on: a part that all cores share, then a
 * block for each core. A block consists of the bytes that arch/ needs below a
 * stack, the core's stack, its struct tprof_cpu, its ring and its dictionary.
 * The struct must follow the stack (agent.h).
 */
#define SHARED_SIZE ALIGN(TPROF_PUMP_MEMORY + TPROF_TRANSPORT_MEMORY)
#define CPU_SIZE    ALIGN(sizeof(struct tprof_cpu))
#define ALIGN(size) (((size) + 63) & ~(size_t)63)

/* Returns the offset of struct tprof_cpu in a block. */
static size_t cpu_offset(const struct tprof_config *c)
{
    return TPROF_ARCH_SPARE(c) + TPROF_STACK_SIZE;
}

static size_t block_size(const struct tprof_config *c)
{
    return cpu_offset(c) + CPU_SIZE + c->ring_bytes +
           c->dict_slots * sizeof(uint64_t);
}
_Static_assert(PAGE + SHARED_SIZE <= TPROF_MEMORY(0) &&
                   TPROF_ARCH_SPARE_MAX + TPROF_STACK_SIZE + CPU_SIZE +
                           RING_DEFAULT + SLOTS_DEFAULT * sizeof(uint64_t) <=
                       TPROF_MEMORY(1) - TPROF_MEMORY(0),
               "what TPROF_MEMORY() promises");

static void set_default(uint32_t *field, uint32_t value)
{
    if (*field == 0)
        *field = value;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool is_power_of_two_in(uint32_t value, uint32_t low, uint32_t high)
{
    return value >= low && value <= high && (value & (value - 1)) == 0;
}

static bool are_numbers_in_range(const struct tprof_config *c)
{
    return c->rate_max_hz <= WIRE_RATE_MAX_HZ &&
           c->frames_max <= WIRE_STACK_FRAMES_MAX &&
           c->rate_hz <= c->rate_max_hz && c->max_frames <= c->frames_max &&
           c->cpus <= TPROF_CPUS_MAX &&
           is_power_of_two_in(c->ring_bytes, 4096, 1u << 24) &&
           is_power_of_two_in(c->dict_slots, 64, 8192);
}

static bool are_choices_known(const struct tprof_config *c)
{
    return c->cpu_source <= TPROF_CPU_HOOK && c->timer <= TPROF_TIMER_SHARED &&
           c->device.bus <= TPROF_BUS_NONE && c->notice <= TPROF_NOTICE_POLL &&
           c->control <= TPROF_CONTROL_FIXED && c->always <= 1 &&
           c->boot <= TPROF_BOOT_NEWEST;
}

/* Has each choice in (c) the other fields that it needs? */
static bool are_choices_complete(const struct tprof_config *c)
{
    return (c->cpu_source != TPROF_CPU_HOOK || c->cpu_index) &&
           (c->timer != TPROF_TIMER_KERNEL || c->kernel_hz > 0) &&
           (!c->nmi || c->nmi->suits(c));
}

static bool is_vector_free(uint32_t vector)
{
    return vector == 0 || (vector >= VECTOR_FIRST && vector < VECTOR_END);
}

/* Replaces 0 in (c) by defaults, and checks all values. */
static int complete_config(struct tprof_config *c)
{
    set_default(&c->rate_max_hz, WIRE_RATE_MAX_HZ);
    set_default(&c->frames_max, WIRE_STACK_FRAMES_MAX);
    set_default(&c->rate_hz, least(c->rate_max_hz, RATE_DEFAULT));
    set_default(&c->max_frames, least(c->frames_max, FRAMES_DEFAULT));
    set_default(&c->ring_bytes, RING_DEFAULT);
    set_default(&c->dict_slots, SLOTS_DEFAULT);
    return are_numbers_in_range(c) && are_choices_known(c) &&
                   are_choices_complete(c) && is_vector_free(c->vector)
               ? TPROF_OK
               : TPROF_ERR_CONFIG;
}

size_t tprof_mem_size(const struct tprof_config *config)
{
    struct tprof_config c = *config;

    if (c.version != TPROF_CONFIG_VERSION || complete_config(&c) != TPROF_OK)
        return 0;
    set_default(&c.cpus, 1);
    return PAGE + SHARED_SIZE + c.cpus * block_size(&c);
}

/* Returns the bytes of text under its checksum. */
static uint64_t crc_span(uint64_t text_size)
{
    return text_size < WIRE_TEXT_CRC_SPAN ? text_size : WIRE_TEXT_CRC_SPAN;
}

/* Stores the mapped parts of the memory from (start) to (end) in (ranges), as
 * far as there is room. Of a large image only one page of several is tested.
 * Returns the number of ranges. */
static uint32_t find_mapped(struct tprof_range *ranges, uint64_t start,
                            uint64_t end)
{
    uint64_t step = PAGE * ((end - start) / (PAGE * PAGES_TRIED) + 1);
    uint32_t count = 0;
    bool in_hole = true;

    for (uint64_t at = start; at < end; at = (at & -(uint64_t)PAGE) + step) {
        if (tprof_arch_faults(at, 1, 0)) {
            in_hole = true;
            continue;
        }
        count += in_hole;
        if (count > TPROF_RANGES)
            return TPROF_RANGES;
        struct tprof_range *r = &ranges[count - 1];
        uint64_t last = (at & -(uint64_t)PAGE) + PAGE;

        if (in_hole)
            r->start = at;
        r->size = (last < end ? last : end) - r->start;
        in_hole = false;
    }
    return count;
}

/* Finds the memory that may be read: the configured ranges, and the image,
 * unless the config says which parts of the image. */
static void find_readable(struct tprof_agent *a)
{
    const struct tprof_range *c = a->config.readable;
    struct tprof_range *r = a->bounds.readable;
    uint64_t start = (uintptr_t)a->image.image_start;
    uint64_t image_end = (uintptr_t)a->image.image_end, end = 0;
    uint32_t count = 0, pieces = 0;
    bool apart = true;

    for (; count < TPROF_RANGES && c[count].size > 0; count++) {
        end = c[count].start + c[count].size;
        apart &= image_end <= c[count].start || end <= start;
    }
    a->hello[WIRE_HELLO_READABLE] = count;
    bool first = count == 0 || start < c->start; /* the lowest is the first */

    if (apart)
        pieces = find_mapped(first ? r : r + count, start, image_end);
    if (pieces > 0 && image_end > end)
        end = image_end;
    tprof_arch_copy(first ? r + pieces : r, c, count * sizeof *c);
    a->bounds.extent = end - r->start;
}

/* Finds text and the memory that may be read: as configured, otherwise from the
 * image. */
static int find_bounds(struct tprof_agent *a)
{
    const struct tprof_config *c = &a->config;
    const struct tprof_image *i = &a->image;
    struct tprof_bounds *b = &a->bounds;
    struct tprof_range text = c->text;

    if (text.size == 0) {
        text.start = (uintptr_t)i->text_start;
        text.size = (uintptr_t)i->text_end - (uintptr_t)i->text_start;
    }
    if (text.size == 0)
        return TPROF_ERR_TEXT;
    if (tprof_arch_faults(text.start, crc_span(text.size), 0))
        return TPROF_ERR_TEXT_UNMAPPED;
    b->image.text.start = text.start;
    b->image.text.size = text.size;
    b->image.text.reach = TPROF_REACH_MAX;
    b->image.text.seed = TPROF_REACH_MAX; /* anything but 0 */
    a->hello[WIRE_HELLO_TEXT_START] = text.start;
    a->hello[WIRE_HELLO_TEXT_SIZE] = text.size;
    find_readable(a);
    return TPROF_OK;
}

/* Finds the memory, from a page boundary on, and the number of cores for which
 * it suffices. */
static int find_memory(struct tprof_agent *a)
{
    struct tprof_config *c = &a->config;

    if (!c->memory) {
        c->memory = a->image.memory;
        c->memory_size =
            (uintptr_t)a->image.memory_end - (uintptr_t)a->image.memory;
    }
    if (c->memory_size == 0)
        return TPROF_ERR_MEMORY;
    size_t size = block_size(c);

    if (c->memory_size < PAGE + SHARED_SIZE + size)
        return TPROF_ERR_MEMORY_SMALL;
    size_t cpus = (c->memory_size - PAGE - SHARED_SIZE) / size;

    set_default(&c->cpus,
                cpus < TPROF_CPUS_MAX ? (uint32_t)cpus : TPROF_CPUS_MAX);
    if (c->cpus > cpus)
        return TPROF_ERR_MEMORY_SMALL;
    uintptr_t start =
        ((uintptr_t)c->memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

    c->memory = (void *)start;
    return tprof_arch_faults(start, SHARED_SIZE + c->cpus * size, 1)
               ? TPROF_ERR_MEMORY_UNMAPPED
               : TPROF_OK;
}

/* Do cores sample before a host asks them to? */
static bool samples_alone(const struct tprof_agent *a)
{
    return (a->config.always | a->config.boot) != 0;
}

/* Finds the clock's rate. A hypervisor knows it better than the CPU, which may
 * report the host's rate. The hypervisor's function may use the agent's
 * (memory), which is still empty. */
static int find_clock(struct tprof_agent *a, void *memory)
{
    const struct tprof_hypervisor *h = a->config.hypervisor;
    uint64_t hz = a->config.tsc_hz;

    if (hz == 0 && h)
        hz = h->tsc_hz(&a->config, memory);
    if (hz == 0)
        hz = tprof_arch_clock_hz();
    a->hello[WIRE_HELLO_TSC_HZ] = hz;
    a->second = hz ? hz : SECOND_GUESS;
    /* no host can measure the rate before sampling begins */
    return hz == 0 && samples_alone(a) ? TPROF_ERR_CLOCK : TPROF_OK;
}

/* Draws a number that differs from boot to boot, as far as the machine allows.
 */
static uint64_t draw_number(uint64_t *state)
{
    *state += tprof_arch_now();
    return tprof_seed(*state, 0) ^ tprof_arch_random();
}

static void draw_boot_id(struct tprof_agent *a)
{
    uint64_t state = 0;

    for (uint32_t i = 0; i < sizeof a->boot_id; i += 8)
        tprof_store64(a->boot_id + i, draw_number(&state));
    if (a->config.seed == 0)
        a->config.seed = draw_number(&state);
}

/* Returns the difference that, added to (address), gives its physical address.
 */
static uint64_t physical_offset(const void *address)
{
    const struct tprof_config *c = &tprof_agent.config;

    return c->physical ? c->physical(c->context, address) - (uintptr_t)address
                       : 0;
}

static void lay_out_core(struct tprof_agent *a, uint8_t *block, uint32_t index)
{
    uint8_t *at = block + cpu_offset(&a->config);
    struct tprof_cpu *cpu = (void *)at;
    uint64_t *ring = (void *)(at + CPU_SIZE);
    uint64_t *slots = (void *)(at + CPU_SIZE + a->config.ring_bytes);

    cpu->index = index;
    tprof_arch_core_lay_out(cpu, block);
    cpu->recorder.span.bounds = &a->bounds;
    cpu->schedule.random = tprof_seed(a->config.seed, index);
    tprof_ring_init(&cpu->recorder.ring, ring,
                    a->config.ring_bytes / (uint32_t)sizeof *ring);
    tprof_stacks_init(&cpu->recorder.stacks, slots, a->config.dict_slots);
    cpu->recorder.watermark = a->watermark;
    cpu->reader.ring = &cpu->recorder.ring;
    if (a->config.nmi)
        a->config.nmi->lay_out(cpu, block);
    a->core[index] = cpu;
    tprof_directory_add_core(cpu, physical_offset(block));
}

/* Is the table of (transport) loaded? Tables of addresses are the agent's only
 * initialised data that a loader has to bring to a writable place. If the
 * loader has not brought them, the table may contain anything. The agent's
 * functions are near each other in memory, so this tests whether the addresses
 * are near, too. */
static bool is_loaded(const struct tprof_transport *transport)
{
    int64_t away =
        (int64_t)((uintptr_t)transport->init - (uintptr_t)tprof_init_image);

    return away == (int32_t)away;
}

static int open_channel(struct tprof_agent *a, void *memory)
{
    const struct tprof_config *c = &a->config;

    a->restart = NULL;
    if (c->channel) {
        a->channel = *c->channel;
        return TPROF_OK;
    }
    if (c->device.bus == TPROF_BUS_NONE)
        return TPROF_ERR_DEVICE;
    const struct tprof_transport_setup setup = {
        .memory = memory,
        .physical = physical_offset(memory),
        .where = &c->device,
        .second = a->second,
        .config = c,
        .turned_away = &a->counters.turned_away,
    };

    a->restart = c->transport ? c->transport->restart : tprof_console_restart;
    if (!c->transport)
        return tprof_console_init(&setup, &a->channel);
    return is_loaded(c->transport) ? c->transport->init(&setup, &a->channel)
                                   : TPROF_ERR_IMAGE;
}

/* Fills in the integers of HELLO that are not known yet. */
static void fill_hello(struct tprof_agent *a)
{
    const struct tprof_config *c = &a->config;
    uint64_t *hello = a->hello;
    uint64_t span = crc_span(hello[WIRE_HELLO_TEXT_SIZE]);

    hello[WIRE_HELLO_CORES] = c->cpus;
    hello[WIRE_HELLO_TEXT_CRC] = tprof_crc32c_sum(
        &a->crc, tprof_arch_text(hello[WIRE_HELLO_TEXT_START], span), span);
    hello[WIRE_HELLO_ANCHOR] = (uintptr_t)tprof_anchor;
    hello[WIRE_HELLO_RATE_HZ] = c->rate_hz;
    hello[WIRE_HELLO_DEPTH] = c->max_frames;
    hello[WIRE_HELLO_INTERVALS] = c->timer == TPROF_TIMER_KERNEL;
    hello[WIRE_HELLO_DICT_SLOTS] = c->dict_slots;
    hello[WIRE_HELLO_FEATURES] = (a->channel.flags & WIRE_FEATURE_ONE_WAY) |
                                 (c->lending ? WIRE_FEATURE_LENDING : 0) |
                                 (c->nmi ? WIRE_FEATURE_NMI : 0) |
                                 tprof_arch_in_blocks() * WIRE_FEATURE_BLOCKS |
                                 c->timer * WIRE_FEATURE_KERNEL_TIMER;
    hello[WIRE_HELLO_DIRECTORY] = tprof_directory_publish(a);
    hello[WIRE_HELLO_KERNEL_HZ] = c->kernel_hz;
    hello[WIRE_HELLO_CODE] = (uintptr_t)tprof_init_image;
}
_Static_assert((int)TPROF_TIMER_KERNEL == 1 && (int)TPROF_TIMER_SHARED == 2 &&
                   (int)WIRE_INTERVALS_KERNEL == 1 &&
                   WIRE_FEATURE_SHARED_TIMER == 2 * WIRE_FEATURE_KERNEL_TIMER &&
                   TPROF_CHANNEL_ONE_WAY == WIRE_FEATURE_ONE_WAY,
               "the same numbers");

int tprof_init_image(const struct tprof_config *config,
                     const struct tprof_image *image)
{
    struct tprof_agent *a = &tprof_agent;
    int error = tprof_arch_prove(image);

    if (error != TPROF_OK)
        return error;
    if (a->ready)
        return TPROF_ERR_STATE;
    if (config->version != TPROF_CONFIG_VERSION)
        return TPROF_ERR_VERSION;
    tprof_arch_zero(a, sizeof *a);
    a->config = *config;
    a->image = *image;
    tprof_arch_begin();
    if ((error = complete_config(&a->config)) != TPROF_OK ||
        (error = find_bounds(a)) != TPROF_OK ||
        (error = find_memory(a)) != TPROF_OK ||
        (error = tprof_arch_init(&a->config)) != TPROF_OK)
        return error;

    uint8_t *memory = a->config.memory;

    if ((error = find_clock(a, memory)) != TPROF_OK)
        return error;
    tprof_crc32c_init(&a->crc, tprof_arch_has_crc32c());
    draw_boot_id(a);
    tprof_pump_init(memory);
    if ((error = open_channel(a, memory + TPROF_PUMP_MEMORY)) != TPROF_OK)
        return error;
    a->watermark = a->config.ring_bytes / 16 < WATERMARK
                       ? a->config.ring_bytes / 16
                       : WATERMARK;
    memory += SHARED_SIZE;
    size_t size = block_size(&a->config);

    tprof_arch_zero(memory, a->config.cpus * size);
    for (uint32_t i = 0; i < a->config.cpus; i++, memory += size)
        lay_out_core(a, memory, i);
    tprof_arch_ready();
    tprof_cpus = a->config.cpus;
    fill_hello(a);
    a->watching_core = tprof_cpus; /* none yet */
    /* release: tprof_exit() has taken the lock */
    atomic_store_explicit(&tprof_pump_lock, 0, memory_order_release);
    if (samples_alone(a))
        tprof_pump_begin();
    a->ready = 1;
    return TPROF_OK;
}

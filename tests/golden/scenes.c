/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenes NAME: writes a scene of scenes.h to standard output. What scenes have
 * in common comes first, then a function for each scene. Addresses are those
 * of kernel.elf, and are put into the wire here as numbers, so that no code of
 * the collector takes part.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"

struct wiregen wire;
static struct core {
    uint64_t time;        /* units */
    uint64_t counters[4]; /* samples, missed, ring full, reentered */
    uint64_t cost;
} cores[CORES];

void hello(const struct hello *h)
{
    static const uint8_t boot_id[16] = {0xb0, 0x07};
    uint8_t id[20] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
                      0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
                      0xcd, 0xef, 0x01, 0x23, 0x45, 0x67};
    const char *agent = h->agent != NULL ? h->agent : "0.1.0";

    if (h->build_id_last != 0)
        id[19] = h->build_id_last;
    wiregen_open(&wire, WIRE_HELLO);
    wiregen_field(&wire, WIRE_HELLO_WIRE_VERSION, TPROF_WIRE_VERSION, 2);
    wiregen_field_bytes(&wire, WIRE_HELLO_AGENT_VERSION, agent,
                        (uint8_t)strlen(agent));
    wiregen_field(&wire, WIRE_HELLO_ARCH, WIRE_ARCH_X86_64, 1);
    wiregen_field_bytes(&wire, WIRE_HELLO_BOOT_ID, boot_id, sizeof boot_id);
    wiregen_field(&wire, WIRE_HELLO_CORES, h->cores ? h->cores : CORES, 2);
    wiregen_field(&wire, WIRE_HELLO_TSC_HZ, h->no_clock ? 0 : TSC_HZ, 8);
    if (!h->no_build_id)
        wiregen_field_bytes(&wire, WIRE_HELLO_BUILD_ID, id, sizeof id);
    wiregen_field(&wire, WIRE_HELLO_TEXT_START, TEXT_START + h->slide, 8);
    wiregen_field(&wire, WIRE_HELLO_TEXT_SIZE, TEXT_SIZE, 8);
    if (h->text_crc != 0)
        wiregen_field(&wire, WIRE_HELLO_TEXT_CRC, h->text_crc, 4);
    wiregen_field(&wire, WIRE_HELLO_ANCHOR, TEXT_START + ANCHOR + h->slide, 8);
    wiregen_field(&wire, WIRE_HELLO_RATE_HZ, 997, 4);
    wiregen_field(&wire, WIRE_HELLO_DEPTH, 64, 2);
    wiregen_field(&wire, WIRE_HELLO_INTERVALS, h->intervals, 1);
    wiregen_field(&wire, WIRE_HELLO_DICT_SLOTS, 4096, 4);
    wiregen_field(&wire, WIRE_HELLO_FEATURES, h->features, 4);
    if (h->kernel_hz != 0)
        wiregen_field(&wire, WIRE_HELLO_KERNEL_HZ, h->kernel_hz, 4);
    wiregen_field(&wire, WIRE_HELLO_READABLE, h->readable, 1);
    wiregen_close(&wire);
}

void status(uint8_t refusal, uint32_t every)
{
    wiregen_open(&wire, WIRE_STATUS);
    wiregen_field(&wire, WIRE_CONTROL_RATE_HZ, 997, 4);
    wiregen_field(&wire, WIRE_CONTROL_DEPTH, 64, 2);
    wiregen_field(&wire, WIRE_CONTROL_STATE,
                  refusal ? WIRE_STATE_STOPPED : WIRE_STATE_SAMPLING, 1);
    if (every != 0)
        wiregen_field(&wire, WIRE_CONTROL_EVERY, every, 4);
    wiregen_field(&wire, WIRE_CONTROL_ERROR, refusal, 1);
    wiregen_close(&wire);
}

void begin_frame(uint16_t core)
{
    struct wiregen_samples s = {core, SHIFT, PERIOD, 1, cores[core].time, 0};

    wiregen_samples_begin(&wire, &s);
}

void end_frame(uint16_t core)
{
    wiregen_samples_end(&wire, cores[core].counters);
}

/* The first frame of a core tells its clock. */
void begin_core(uint16_t core)
{
    begin_frame(core);
    cores[core].time = 1000;
    wiregen_begin(&wire, (uint64_t)1000 << SHIFT, SHIFT, PERIOD, 1);
}

void begin_again(uint16_t core, uint32_t generation)
{
    begin_frame(core);
    wiregen_begin_images(&wire, cores[core].time << SHIFT, SHIFT, PERIOD, 2,
                         generation);
}

/* A chain of return addresses, innermost first, 0 behind the last. */
void stack(uint64_t id, uint64_t end, const uint64_t *frames)
{
    struct wiregen_stack s = {.id = id, .end = end, .frames = frames};

    while (frames[s.count] != 0)
        s.count++;
    wiregen_stack(&wire, &s);
}

/* (n) samples at a period's distance, in as many frames as they need. */
void samples(uint16_t core, unsigned n, uint32_t id, uint32_t leaf,
             uint32_t late_bits)
{
    for (unsigned i = 0; i < n; i++) {
        if (wire.size - wire.cells > 4000) {
            end_frame(core);
            begin_frame(core);
        }
        wiregen_short(&wire, id, PERIOD, leaf, late_bits);
        cores[core].time += PERIOD;
        cores[core].counters[0]++;
        cores[core].cost += 2000;
    }
}

static void late_sample(uint16_t core, uint64_t id, int64_t leaf,
                        uint64_t weight)
{
    struct wiregen_long s = {.dt = PERIOD * weight,
                             .id = id,
                             .leaf = leaf,
                             .late = PERIOD * (weight - 1),
                             .weight = weight};

    wiregen_long_sample(&wire, &s);
    cores[core].time += s.dt;
    cores[core].counters[0]++;
    cores[core].counters[1] += weight - 1;
    cores[core].cost += 3000;
}

void stats(uint16_t core, uint8_t flags)
{
    struct wiregen_stats s = {
        .core = core, .flags = flags, .cost = cores[core].cost};

    memcpy(s.counters, cores[core].counters, sizeof s.counters);
    wiregen_stats(&wire, &s);
}

/* Chains as a walk along kernel.elf's frame pointers finds them: functions
 * without a frame, and those in a prologue, hide their callers. */
static void define_stacks(void)
{
    STACK(1, WIRE_END_ZERO, AFTER_PUSH, AFTER_RECV, AFTER_THREAD);
    STACK(2, WIRE_END_ZERO, AFTER_WALK, AFTER_PUSHED, AFTER_PUSH, AFTER_RECV,
          AFTER_THREAD);
    STACK(3, WIRE_END_ZERO, AFTER_WALK, AFTER_WALK, AFTER_WALK, AFTER_PUSHED,
          AFTER_PUSH, AFTER_RECV, AFTER_THREAD);
    STACK(4, WIRE_END_ZERO, AFTER_ENTRY, AFTER_THREAD);
    STACK(5, WIRE_END_ZERO, AFTER_THREAD);
    STACK(6, WIRE_END_ZERO, AFTER_RECV, AFTER_THREAD);
    STACK(7, WIRE_END_DEPTH, AFTER_PUSH);
}

void busy_core(uint16_t core, unsigned idle)
{
    begin_core(core);
    define_stacks();
    samples(core, 60, 3, IN_MIX, 3);
    samples(core, 25, 3, IN_CHECKSUM, 3);
    samples(core, 40, 2, IN_WALK, 2);
    samples(core, 10, 1, WALK_START, 2);
    end_frame(core);
    begin_frame(core);
    samples(core, 30, 1, IN_PUSH, 0);
    samples(core, 4, 6, PUSH_RET, 0);
    samples(core, 20, 6, IN_RECEIVE, 0);
    samples(core, 35, 4, IN_COPY, 4);
    samples(core, 5, 4, IN_RUDE, 4);
    samples(core, 2, 7, IN_PUSH, 1);
    late_sample(core, 6, IN_RECEIVE, 3);
    samples(core, idle, 5, AFTER_HLT, 0);
    end_frame(core);
}

static void usual(void)
{
    hello(&(struct hello){.cores = 2});
    status(0, 0);
    busy_core(0, 20);
    busy_core(1, 900);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL | WIRE_STATS_CLOCK_VARIES);
}

/* No agent; core 2 was never seen. */
static void from_outside(void)
{
    hello(&(struct hello){.cores = 3, .features = WIRE_FEATURE_OUTSIDE});
    status(0, 0);
    busy_core(0, 20);
    busy_core(1, 900);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL);
}

static void counter(uint8_t number, const char *name, uint64_t units)
{
    wiregen_open(&wire, WIRE_PROGRESS);
    wiregen_field(&wire, WIRE_PROGRESS_COUNTER, number, 1);
    wiregen_field_bytes(&wire, WIRE_PROGRESS_NAME, name, (uint8_t)strlen(name));
    wiregen_field(&wire, WIRE_PROGRESS_UNITS, 50 + units, 8);
    wiregen_field(&wire, WIRE_PROGRESS_TSC, 3 * TSC_HZ / 2, 8);
    wiregen_field(&wire, WIRE_PROGRESS_BEGAN_UNITS, 50, 8);
    wiregen_field(&wire, WIRE_PROGRESS_BEGAN_TSC, TSC_HZ / 2, 8);
    wiregen_close(&wire);
}

static void counts_more_work(void)
{
    usual();
    counter(0, "bytes", 2345678901);
    counter(1, "re\033[31mquests", 4000);
    counter(2, "others", 4000);
}

/* In a second 3,000 requests were answered, whose name is not harmless. */
static void counts_its_work(void)
{
    usual();
    counter(0, "re\033[31mquests", 3000);
    counter(3, "bytes", 12345678901);
    counter(1, "restarts", 0);
}

static void gate_without_stack(void)
{
    hello(&(struct hello){.cores = 2});
    busy_core(0, 20);
    busy_core(1, 900);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL | WIRE_STATS_ON_STACK);
}

/* No build-id: the image is known by the checksum of its code. */
static void with_crc(uint32_t crc)
{
    hello(&(struct hello){
        .cores = 1, .slide = 0x7e000000, .no_build_id = true, .text_crc = crc});
    status(0, 0);
    busy_core(0, 20);
    stats(0, STARTED_FINAL);
}

static void kernel_moved(void)
{
    with_crc(0xa0686979u); /* of kernel.elf's text, by another implementation */
}

static void kernel_code_differs(void)
{
    with_crc(0x12345678);
}

static void lost_samples(void)
{
    hello(&(struct hello){.cores = 2});
    status(0, 0);
    busy_core(0, 0);
    begin_frame(0);
    cores[0].counters[2] += 90;
    cores[0].counters[1] += 3;
    cores[0].time += 93ul * PERIOD;
    wiregen_lost(&wire, WIRE_COUNTER_RING_FULL, 90, 3);
    samples(0, 1500, 2, IN_WALK, 0);
    end_frame(0);
    busy_core(1, 0);
    begin_frame(1);
    samples(1, 40, 3, IN_MIX, 0);
    end_frame(1);
    wire.bytes[wire.size - 100] ^= 1;
    begin_frame(1);
    samples(1, 200, 3, IN_MIX, 0);
    end_frame(1);
}

static void oversubscribed(void)
{
    hello(&(struct hello){0});
    status(0, 0);
    for (uint16_t core = 0; core < CORES; core++) {
        begin_core(core);
        define_stacks();
        for (unsigned i = 0; i < 100; i++) {
            late_sample(core, 3, IN_MIX, 1 + i % 3);
            late_sample(core, 1, IN_PUSH, 1);
        }
        end_frame(core);
        stats(core, STARTED_FINAL);
    }
}

/* The host says what it took of (core), in millionths, of (seconds) so far. */
static void stolen(uint16_t core, uint8_t flags, uint64_t seconds,
                   uint64_t millionths)
{
    struct wiregen_stats s = {.core = core,
                              .flags = flags,
                              .cost = cores[core].cost,
                              .tsc = (1 + seconds) * TSC_HZ,
                              .steal_ns = 5000 + seconds * 1000 * millionths};

    memcpy(s.counters, cores[core].counters, sizeof s.counters);
    wiregen_stats(&wire, &s);
}

static void host_takes_half(void)
{
    hello(&(struct hello){.cores = 1});
    status(0, 0);
    stolen(0, WIRE_STATS_STARTED, 0, 0);
    begin_core(0);
    define_stacks();
    for (unsigned i = 0; i < 100; i++)
        late_sample(0, 3, IN_MIX, 1 + i % 3);
    end_frame(0);
    stolen(0, STARTED_FINAL, 1, 480000);
}

static void host_tells_what_it_takes(void)
{
    hello(&(struct hello){.cores = 2});
    status(0, 0);
    for (uint16_t core = 0; core < 2; core++) {
        busy_core(core, 20);
        stolen(core, WIRE_STATS_STARTED, 0, 0);
        stolen(core, STARTED_FINAL, 1, 2000 + 29000ull * core);
    }
}

static void host_takes_next_to_nothing(void)
{
    hello(&(struct hello){.cores = 1});
    status(0, 0);
    busy_core(0, 20);
    stolen(0, WIRE_STATS_STARTED, 0, 0);
    stolen(0, STARTED_FINAL, 1, 100);
}

static void stacks_not_declared(void)
{
    hello(&(struct hello){.cores = 1});
    status(0, 0);
    begin_core(0);
    STACK(1, WIRE_END_MEMORY, 0);
    STACK(2, WIRE_END_TEXT, AFTER_WALK);
    samples(0, 30, 1, IN_WALK, 0);
    samples(0, 20, 2, IN_COPY, 0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}

static void code_without_frames(void)
{
    hello(&(struct hello){.cores = 1});
    status(0, 0);
    begin_core(0);
    STACK(1, WIRE_END_MEMORY, 0);
    samples(0, 40, 1, IN_COPY, 0);
    samples(0, 20, 1, IN_CHECKSUM, 0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}

static void idle(void)
{
    hello(&(struct hello){.cores = 1});
    status(0, 0);
    begin_core(0);
    STACK(1, WIRE_END_ZERO, AFTER_THREAD);
    samples(0, 500, 1, AFTER_HLT, 0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}

static void no_ticks(void)
{
    hello(&(struct hello){.cores = 2});
    status(0, 0);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL);
}

static void no_core_joined(void)
{
    hello(&(struct hello){.cores = 2});
    status(WIRE_REFUSED_NO_CORE, 0);
}

static void no_clock(void)
{
    hello(&(struct hello){.cores = 2, .no_clock = true});
    status(WIRE_REFUSED_NO_CLOCK, 0);
}

static void never_started(void)
{
    hello(&(struct hello){.cores = 2});
}

/* the host was too busy to carry it to the guest, which has no tick yet */
static void start_not_heard(void)
{
    hello(&(struct hello){.cores = 1});
    stats(0, WIRE_STATS_STARTED);
}

static void never_drained(void)
{
    hello(&(struct hello){.cores = 1});
    status(0, 0);
    cores[0].counters[2] = 5000;
    begin_frame(0);
    end_frame(0);
    stats(0, STARTED_FINAL);
}

static void kernel_tick_as_fast_as_asked(void)
{
    hello(&(struct hello){
        .cores = 1, .intervals = WIRE_INTERVALS_KERNEL, .kernel_hz = 1000});
    status(0, 1);
    busy_core(0, 0);
    stats(0, STARTED_FINAL);
}

/* 3 times before anybody profiled, and 12 times since. */
static void use_timers(uint32_t features)
{
    struct wiregen_stats s = {
        .core = 0, .flags = WIRE_STATS_STARTED, .repaired = 3, .faults = 34};

    hello(&(struct hello){.cores = 2, .features = features});
    status(0, 0);
    busy_core(1, 20);
    wiregen_stats(&wire, &s);
    busy_core(0, 6000);
    s.flags = STARTED_FINAL;
    s.repaired = 15;
    memcpy(s.counters, cores[0].counters, sizeof s.counters);
    s.cost = cores[0].cost;
    wiregen_stats(&wire, &s);
    stats(1, STARTED_FINAL);
}

static void kernel_uses_the_timer(void)
{
    use_timers(0);
}

static void kernel_uses_a_lent_timer(void)
{
    use_timers(WIRE_FEATURE_LENDING);
}

/* The kernel begins to tick by core 1's timer after 20 samples. */
static void kernel_keeps_a_timer(void)
{
    hello(&(struct hello){.cores = 2});
    status(0, 0);
    busy_core(0, 6000);
    busy_core(1, 20);
    stats(0, STARTED_FINAL);
    stats(1, STARTED_FINAL | WIRE_STATS_TIMER_KEPT);
}

/* (n) samples of time without ticks, each of (weight) deadlines. */
static void unseen(uint16_t core, unsigned n, uint64_t id, int64_t leaf,
                   uint64_t weight)
{
    struct wiregen_long s = {
        .dt = PERIOD * weight, .id = id, .leaf = leaf, .weight = weight};

    for (unsigned i = 0; i < n; i++) {
        wiregen_long_sample(&wire, &s);
        cores[core].time += s.dt;
        cores[core].counters[0]++;
        cores[core].counters[1] += weight - 1;
    }
}

/* Noticed in the wait, which is IN_RECEIVE, or behind it; or long after it. */
static void waits_by_a_lent_timer(void)
{
    struct wiregen_stats s = {.core = 0, .flags = WIRE_STATS_STARTED};

    hello(&(struct hello){.cores = 1, .features = WIRE_FEATURE_LENDING});
    status(0, 0);
    wiregen_stats(&wire, &s);
    begin_core(0);
    define_stacks();
    STACK(8, WIRE_END_LENT, AFTER_RECV, AFTER_THREAD);
    STACK(9, WIRE_END_REST, AFTER_RECV, AFTER_THREAD);
    samples(0, 200, 3, IN_MIX, 3);
    samples(0, 100, 6, IN_RECEIVE, 3);
    unseen(0, 40, 8, IN_RECEIVE, 5);
    unseen(0, 10, 8, IN_WALK, 5);
    unseen(0, 10, 9, IN_RECEIVE, 2);
    unseen(0, 5, 9, IN_COPY, 2);
    end_frame(0);
    s.flags = STARTED_FINAL;
    s.repaired = 50;
    memcpy(s.counters, cores[0].counters, sizeof s.counters);
    s.cost = cores[0].cost;
    wiregen_stats(&wire, &s);
}

static void terminal_escapes(void)
{
    hello(&(struct hello){.cores = 1, .agent = "\033]0;owned\a\n0.1"});
    status(0, 0);
    begin_core(0);
    define_stacks();
    samples(0, 300, 4, IN_COPY, 0);
    samples(0, 300, 4, IN_RUDE, 0);
    samples(0, 300, 4, 0x100000, 0); /* no code at all */
    end_frame(0);
    stats(0, STARTED_FINAL);
}

static void jump(uint16_t core, uint64_t weight)
{
    struct wiregen_long s = {.dt = PERIOD * weight,
                             .id = 6,
                             .leaf = IN_RECEIVE,
                             .flags = WIRE_SAMPLE_JUMP,
                             .late = PERIOD * (weight - 1),
                             .weight = weight};

    wiregen_long_sample(&wire, &s);
    cores[core].time += s.dt;
    cores[core].counters[0]++;
    cores[core].counters[1] += weight - 1;
}

static void clock_jump_and_device_errors(void)
{
    hello(&(struct hello){.cores = 1});
    status(0, 0);
    busy_core(0, 20);
    begin_frame(0);
    jump(0, 9970);
    samples(0, 100, 6, IN_RECEIVE, 0);
    end_frame(0);
    wiregen_open(&wire, 99); /* no such type */
    wiregen_close(&wire);
    wiregen_open(&wire, WIRE_STATUS);
    wiregen_field(&wire, WIRE_CONTROL_RATE_HZ, 997, 8);
    wiregen_uint(&wire, WIRE_CONTROL_STATE, 1); /* and no length */
    wiregen_close(&wire);
    wiregen_open(&wire, WIRE_STATS);
    wiregen_field(&wire, WIRE_STATS_CORE, 0, 2);
    wiregen_field(&wire, WIRE_STATS_FLAGS, WIRE_STATS_STARTED, 1);
    wiregen_field(&wire, WIRE_STATS_TICKS, cores[0].counters[0], 8);
    wiregen_field(&wire, WIRE_STATS_SAMPLES, cores[0].counters[0], 8);
    wiregen_field(&wire, WIRE_STATS_DEVICE_ERRORS, 3, 8);
    wiregen_field(&wire, WIRE_STATS_UNKNOWN_CPU, 5, 8);
    wiregen_close(&wire);
}

static void kernel_of_another_build(void)
{
    hello(&(struct hello){.cores = 1, .build_id_last = 0x68});
    busy_core(0, 0);
}

static void core_missing(void)
{
    hello(&(struct hello){.cores = 2});
    busy_core(0, 20);
    wiregen_open(&wire, WIRE_STATUS);
    wiregen_field(&wire, WIRE_CONTROL_RATE_HZ, 997, 4);
    wiregen_field(&wire, WIRE_CONTROL_DEPTH, 64, 2);
    wiregen_field(&wire, WIRE_CONTROL_TURNED_AWAY, 5, 8);
    wiregen_field(&wire, WIRE_CONTROL_REFUSED, 3, 4);
    wiregen_field(&wire, WIRE_CONTROL_REFUSED_CORE, 1, 4);
    wiregen_field(&wire, WIRE_CONTROL_REFUSED_ERROR, WIRE_START_NOT_INIT, 4);
    wiregen_close(&wire);
}

static void not_a_recording(void)
{
    wiregen_bytes(&wire, "no guest speaks here\n", 21);
}

static const struct scene {
    const char *name;
    void (*write)(void);
} scenes[] = {
    {"core_missing", core_missing},
    {"usual", usual},
    {"memory_for_more", memory_for_more},
    {"numbers_of_the_kernel", numbers_of_the_kernel},
    {"thread_with_a_laid_root", thread_with_a_laid_root},
    {"from_boot", from_boot},
    {"from_outside", from_outside},
    {"counts_its_work", counts_its_work},
    {"counts_more_work", counts_more_work},
    {"gate_without_stack", gate_without_stack},
    {"kernel_moved", kernel_moved},
    {"kernel_code_differs", kernel_code_differs},
    {"lost_samples", lost_samples},
    {"oversubscribed", oversubscribed},
    {"host_takes_half", host_takes_half},
    {"host_tells_what_it_takes", host_tells_what_it_takes},
    {"host_takes_next_to_nothing", host_takes_next_to_nothing},
    {"stacks_not_declared", stacks_not_declared},
    {"code_without_frames", code_without_frames},
    {"idle", idle},
    {"no_ticks", no_ticks},
    {"no_core_joined", no_core_joined},
    {"no_clock", no_clock},
    {"never_started", never_started},
    {"start_not_heard", start_not_heard},
    {"never_drained", never_drained},
    {"kernel_tick_as_fast_as_asked", kernel_tick_as_fast_as_asked},
    {"kernel_uses_the_timer", kernel_uses_the_timer},
    {"kernel_keeps_a_timer", kernel_keeps_a_timer},
    {"kernel_uses_a_lent_timer", kernel_uses_a_lent_timer},
    {"waits_by_a_lent_timer", waits_by_a_lent_timer},
    {"terminal_escapes", terminal_escapes},
    {"clock_jump_and_device_errors", clock_jump_and_device_errors},
    {"kernel_of_another_build", kernel_of_another_build},
    {"not_a_recording", not_a_recording},
    {"two_images", two_images},
    {"app_of_another_build", app_of_another_build},
    {"three_apps_of_one_name", three_apps_of_one_name},
    {"kernel_at_two_addresses", kernel_at_two_addresses},
    {"hostile_images", hostile_images},
    {"apps_in_turn", apps_in_turn},
    {"interrupts_between_blocks", interrupts_between_blocks},
    {"emulator_counts_instructions", emulator_counts_instructions},
    {"stacks_elsewhere", stacks_elsewhere},
    {"threads_without_callers", threads_without_callers},
    {"runtime_without_frames", runtime_without_frames},
    {"threads", threads},
    {"locks", locks},
    {"requests", requests},
    {"sampled", sampled},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (argc != 2 || strcmp(argv[1], scenes[i].name) != 0)
            continue;
        scenes[i].write();
        bool good = fwrite(wire.bytes, 1, wire.size, stdout) == wire.size &&
                    fflush(stdout) == 0;
        wiregen_fini(&wire);
        return good ? 0 : 1;
    }
    (void)fputs("scenes NAME; the names are in scenes.c\n", stderr);
    return 2;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the control protocol's frames to the host. */
#include "arch/arch.h"
#include "base/mem.h"
#include "drive/control.h"
#include "nmi/nmi.h"

static void put_build_id(struct tprof_frame *f)
{
    /* an ELF note: size of name, size of description, type, "GNU", the id */
    const uint8_t *note = tprof_agent.image.build_id;
    const uint8_t *end = tprof_agent.image.build_id_end;

    if (!note || end - note <= 16)
        return;
    uint32_t size = tprof_load32(note + 4);

    if (tprof_load32(note) == 4 && size <= (uint32_t)(end - note) - 16)
        tprof_frame_bytes(f, WIRE_HELLO_BUILD_ID, note + 16, size);
}

/* Adds (count) integers that are adjacent at (from), with the tags (tag), (tag)
 * + 1, ... */
static __attribute__((noinline)) void
put_run(struct tprof_frame *f, uint32_t tag, const void *from, uint32_t count)
{
    const uint8_t *at = from;

    for (uint32_t end = tag + count; tag < end; tag++, at += sizeof(uint64_t))
        tprof_frame_field(f, tag, tprof_load64(at));
}
/* Asserts that (b), whose tag follows that of (a), also follows it in memory.
 */
#define RUN(type, a, b)                                                        \
    _Static_assert(offsetof(struct type, b) ==                                 \
                       offsetof(struct type, a) + sizeof(uint64_t),            \
                   #b " is told after " #a)

static void put_hello(struct tprof_frame *f)
{
    const struct tprof_agent *a = &tprof_agent;
    uint64_t slide;

    /* `collector check` reads this symbol */
    TPROF_ARCH_SYMBOL(tprof_wire_version, TPROF_WIRE_VERSION);
    tprof_frame_field(f, WIRE_HELLO_WIRE_VERSION, TPROF_WIRE_VERSION);
    tprof_frame_bytes(f, WIRE_HELLO_AGENT_VERSION, TPROF_VERSION_STRING,
                      sizeof TPROF_VERSION_STRING - 1);
    tprof_frame_field(f, WIRE_HELLO_ARCH, TPROF_ARCH_WIRE);
    tprof_frame_bytes(f, WIRE_HELLO_BOOT_ID, a->boot_id, WIRE_BOOT_ID_SIZE);
    tprof_frame_field(f, WIRE_HELLO_CORES, a->hello[WIRE_HELLO_CORES]);
    tprof_frame_field(f, WIRE_HELLO_TSC_HZ, a->hello[WIRE_HELLO_TSC_HZ]);
    put_build_id(f);
    put_run(f, WIRE_HELLO_TEXT_START, &a->hello[WIRE_HELLO_TEXT_START],
            WIRE_HELLO_CODE - WIRE_HELLO_TEXT_START + 1);
    tprof_frame_field(f, WIRE_HELLO_NONCE, a->nonce);
    if (tprof_arch_slide(&slide))
        tprof_frame_field(f, WIRE_HELLO_SLIDE, slide);
}

RUN(tprof_stats, ticks, samples);
RUN(tprof_stats, samples, missed);
RUN(tprof_stats, missed, ring_full);
RUN(tprof_stats, ring_full, reentered);
RUN(tprof_stats, reentered, cost_tsc);
RUN(tprof_stats, cost_tsc, cost_max_tsc);
RUN(tprof_stats, cost_max_tsc, by_division);
RUN(tprof_stats, by_division, stacks);
RUN(tprof_stats, stacks, foreign);
RUN(tprof_stats, repaired, faults);
RUN(tprof_stats, faults, apic_id); /* all integers are sent */
RUN(tprof_agent_counters, device_errors, busy);
RUN(tprof_orders, rate_hz, depth);
RUN(tprof_orders, period, state);
RUN(tprof_orders, state, ticks_per_sample);
RUN(tprof_orders, ticks_per_sample, refused);

static void put_stats(const struct tprof_control *c, struct tprof_frame *f,
                      uint32_t core)
{
    const struct tprof_agent *a = &tprof_agent;
    const struct tprof_hypervisor *hypervisor = a->config.hypervisor;
    struct tprof_cpu *cpu = tprof_cpu[core];
    const struct tprof_stats counts = tprof_counts(cpu);
    uint64_t flags = cpu->facts;

    /* after the core follows, it writes nothing more */
    if (c->last_stats == TPROF_LAST_STATS_SENDING && tprof_follows(cpu) &&
        tprof_ring_used(&cpu->recorder.ring) == 0)
        flags |= WIRE_STATS_FINAL;
    if (atomic_load_explicit(&cpu->started, memory_order_relaxed))
        flags |= WIRE_STATS_STARTED;
    const uint64_t first[] = {core, cpu->hardware_id, tprof_arch_now(), flags};

    put_run(f, WIRE_STATS_CORE, first, 4);
    put_run(f, WIRE_STATS_TICKS, &counts.ticks, 10);
    put_run(f, WIRE_STATS_REPAIRED, &counts.repaired, 2);
    if (core == 0) {
        put_run(f, WIRE_STATS_DEVICE_ERRORS, &a->counters, 2);
        tprof_frame_field(f, WIRE_STATS_UNKNOWN_CPU, tprof_unknown_cpu);
    }
    if (hypervisor)
        tprof_frame_field(f, WIRE_STATS_STEAL, hypervisor->steal_ns(cpu->page));
    if (a->config.nmi)
        tprof_frame_field(f, WIRE_STATS_KICKS, a->config.nmi->kicks(cpu));
    if (tprof_has_begun(&cpu->reader, a->session))
        put_run(f, WIRE_STATS_BEGAN, cpu->reader.beginning.at.counter,
                WIRE_COUNTERS);
}

static void put_status(struct tprof_frame *f)
{
    const struct tprof_orders *o = &tprof_agent.orders;

    put_run(f, WIRE_CONTROL_RATE_HZ, &o->rate_hz, 2);
    put_run(f, WIRE_CONTROL_PERIOD_TSC, &o->period, 4);
    tprof_frame_field(f, WIRE_CONTROL_TURNED_AWAY,
                      tprof_agent.counters.turned_away);
    tprof_frame_field(f, WIRE_CONTROL_REFUSED, tprof_refused.calls);
    tprof_frame_field(f, WIRE_CONTROL_REFUSED_CORE, tprof_refused.core);
    tprof_frame_field(f, WIRE_CONTROL_REFUSED_ERROR, tprof_refused.error);
}

static void put_pong(const struct tprof_control *c, struct tprof_frame *f)
{
    tprof_frame_field(f, WIRE_PING_COOKIE, c->cookie);
    tprof_frame_field(f, WIRE_PING_TSC, tprof_arch_now());
}

void tprof_control_speak(struct tprof_control *c, struct tprof_frame *f,
                         uint32_t type)
{
    c->owed &= ~(1u << type);
    switch (type) {
    case WIRE_HELLO:
        put_hello(f);
        break;
    case WIRE_MAP:
        tprof_agent.put_map(c, f);
        break;
    case WIRE_PONG:
        put_pong(c, f);
        break;
    case WIRE_PROGRESS:
        tprof_agent.put_progress(c->counters_told++, f);
        break;
    case WIRE_STATUS:
        put_status(f);
        break;
    case WIRE_THREAD:
        tprof_agent.speak_sums(f);
        break;
    default:
        put_stats(c, f, c->stats_next++);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "nmi/nmi.h"

#include "sample/sample.h"

#define MERGED_MOST 16u /* entries of which one tick makes samples */
#define CREDIT_PART 64u /* of a second: a merged NMI comes no later */

/* Words of an entry in a slot's ring. After them come the words of the stack,
 * and the frames. */
enum entry_word {
    SHAPE, /* below */
    TIME,
    PC,
    SP,
    NAME,
    ORIGIN,
    THREAD,
    OUTSIDE,
    WEIGHT,
    ENTRY_WORDS,
};

/* SHAPE: the number of words of the entry, and the chain's small numbers */
#define SHAPE_END   16
#define SHAPE_SLOTS 32
#define SHAPE_COUNT 48
/* SHAPE: the stack is that of the entry before, and its chain is left out */
#define SHAPE_SAME  ((uint64_t)1 << 63)

struct tprof_nmi_slot *tprof_nmi_slots[TPROF_CPUS_MAX];

static uint64_t take_all(_Atomic uint64_t *sum)
{
    return atomic_exchange_explicit(sum, 0, memory_order_relaxed);
}

static void add(_Atomic uint64_t *sum, uint64_t more)
{
    atomic_fetch_add_explicit(sum, more, memory_order_relaxed);
}

static struct tprof_nmi_slot *slot_of(const struct tprof_cpu *cpu)
{
    return tprof_nmi_slots[cpu->index];
}

/* --- In the NMI ----------------------------------------------------------- */

/* An NMI without a kick. Its kick may have been taken by the NMI before. */
static uint32_t forgive(struct tprof_nmi_slot *s, uint64_t now)
{
    uint32_t mine =
        s->credit && now - s->time < tprof_agent.second / CREDIT_PART;

    s->credit = 0;
    return mine;
}

/* Returns the number of words that the chain takes in an entry. */
static uint32_t chain_words(const struct tprof_chain *c)
{
    uint32_t words = c->count;

    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++)
        words += c->slots >> i & 1;
    return words;
}

static void put_chain(struct tprof_nmi_slot *s, const struct tprof_chain *c)
{
    uint32_t ahead = ENTRY_WORDS;

    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
        if (c->slots & 1u << i)
            *tprof_ring_at(&s->ring, ahead++) = c->word[i];
    }
    for (uint32_t i = 0; i < c->count; i++)
        *tprof_ring_at(&s->ring, ahead++) = c->frame[i];
}

/* Writes an entry for the code at (at). Returns false if there is no room. */
static bool put_entry(struct tprof_nmi_slot *s,
                      const struct tprof_registers *at, uint64_t weight)
{
    const struct tprof_recorder *r = &s->cpu->recorder;
    struct tprof_chain *c = &s->chain;

    (void)tprof_unwind_locate(&s->span, at->pc, at->sp);
    uint64_t name = tprof_unwind_frames(&s->span, at->sp, at->fp, r->depth, c);
    bool same = name == atomic_load_explicit(&s->last, memory_order_relaxed);
    uint32_t size = ENTRY_WORDS + (same ? 0 : chain_words(c));

    if (tprof_ring_room(&s->ring) < size)
        return false;
    const uint64_t entry[ENTRY_WORDS] = {
        [SHAPE] = size | (uint64_t)c->end << SHAPE_END |
                  (uint64_t)c->slots << SHAPE_SLOTS |
                  (uint64_t)c->count << SHAPE_COUNT | (same ? SHAPE_SAME : 0),
        [TIME] = s->time,
        [PC] = at->pc,
        [SP] = at->sp,
        [NAME] = name,
        [ORIGIN] = s->span.origin,
        [THREAD] = atomic_load_explicit(&r->running, memory_order_relaxed),
        [OUTSIDE] = c->outside,
        [WEIGHT] = weight,
    };

    for (uint32_t i = 0; i < ENTRY_WORDS; i++)
        *tprof_ring_at(&s->ring, i) = entry[i];
    if (!same)
        put_chain(s, c);
    atomic_store_explicit(&s->last, name, memory_order_relaxed);
    tprof_ring_publish(&s->ring, tprof_ring_tail(&s->ring) + size);
    return true;
}

uint32_t tprof_nmi_take(struct tprof_nmi_slot *s,
                        const struct tprof_arch_trap *trap, uint64_t fp)
{
    struct tprof_registers at = {*tprof_arch_trap_pc(trap),
                                 tprof_arch_trap_sp(trap), fp};
    uint64_t now = tprof_arch_now();
    /* acquire: pairs with the release in send_kick() */
    uint64_t kicks = atomic_load_explicit(&s->kicks, memory_order_acquire);
    uint64_t sent = atomic_load_explicit(&s->sent, memory_order_relaxed);
    uint64_t weight = kicks - s->kicks_seen;

    if (weight == 0)
        return forgive(s, now);
    /* a CPU keeps one NMI while another runs */
    s->credit = s->credit + (sent - s->sent_seen) > 1;
    s->kicks_seen = kicks;
    s->sent_seen = sent;
    s->time = now;
    if (!tprof_is_sampling(s->cpu))
        add(&s->outside, weight);
    else if (!put_entry(s, &at, weight))
        add(&s->lost, weight);
    add(&s->cost, tprof_arch_now() - now);
    return 1;
}

/* --- In the tick ---------------------------------------------------------- */

/* Copies the chain of an entry to (c). */
static void get_chain(struct tprof_ring *ring, uint64_t shape,
                      struct tprof_chain *c)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    const uint64_t *words = ring->words;
    uint32_t at = head + ENTRY_WORDS;

    c->end = (uint16_t)(shape >> SHAPE_END);
    c->slots = (uint16_t)(shape >> SHAPE_SLOTS);
    c->count = (uint32_t)(shape >> SHAPE_COUNT) & 0x7fff;
    c->outside = words[(head + OUTSIDE) & ring->mask];
    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
        if (c->slots & 1u << i)
            c->word[i] = words[at++ & ring->mask];
    }
    for (uint32_t i = 0; i < c->count; i++)
        c->frame[i] = words[at++ & ring->mask];
}
_Static_assert(WIRE_STACK_SLOTS <= 16 && WIRE_STACK_FRAMES_MAX < 0x7fff,
               "as an entry's shape has them");

/* Counts a tick of (weight) deadlines, which is a sample or is lost. */
static void count_tick(struct tprof_recorder *r, uint64_t weight)
{
    r->counts.ticks++;
    r->counts.missed += weight - 1;
}

/* Makes a sample of the oldest entry. */
static void merge_entry(struct tprof_recorder *r, struct tprof_ring *ring)
{
    uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t word[ENTRY_WORDS];

    for (uint32_t i = 0; i < ENTRY_WORDS; i++)
        word[i] = ring->words[(head + i) & ring->mask];
    const struct tprof_sample sample = {
        .at = {word[PC], word[SP], 0},
        .time = word[TIME],
        .weight = word[WEIGHT],
    };
    bool same = (word[SHAPE] & SHAPE_SAME) != 0;

    (void)tprof_unwind_locate(&r->span, word[PC], word[SP]);
    count_tick(r, word[WEIGHT]);
    if (!same)
        get_chain(ring, word[SHAPE], r->spare);
    /* images may have changed since the NMI */
    if (word[ORIGIN] != r->span.origin ||
        !tprof_sample_take_named(r, &sample, word[NAME], word[THREAD], !same))
        tprof_sample_drop(r, WIRE_COUNTER_RING_FULL, word[WEIGHT]);
    tprof_ring_consume(ring, (uint16_t)word[SHAPE]);
}

/* Makes samples of some entries, the oldest first. Returns true if no entry is
 * left. */
static bool merge(struct tprof_cpu *cpu)
{
    struct tprof_nmi_slot *s = slot_of(cpu);
    struct tprof_recorder *r = &cpu->recorder;

    for (uint32_t i = 0; i < MERGED_MOST && tprof_ring_used(&s->ring) > 0; i++)
        merge_entry(r, &s->ring);
    uint64_t lost = take_all(&s->lost);

    if (lost > 0) {
        count_tick(r, lost);
        tprof_sample_drop(r, WIRE_COUNTER_RING_FULL, lost);
    }
    r->counts.cost_tsc += take_all(&s->cost);
    return tprof_ring_used(&s->ring) == 0;
}

/* Gives up all entries: they are of no session. */
static void discard(struct tprof_nmi_slot *s)
{
    uint32_t used = tprof_ring_used(&s->ring);
    uint64_t kicks = take_all(&s->lost);

    while (used > 0) {
        uint32_t head =
            atomic_load_explicit(&s->ring.head, memory_order_relaxed);
        uint64_t shape = s->words[head % TPROF_NMI_WORDS];

        kicks += s->words[(head + WEIGHT) % TPROF_NMI_WORDS];
        tprof_ring_consume(&s->ring, (uint16_t)shape);
        used -= (uint16_t)shape;
    }
    add(&s->outside, kicks);
}

static bool settle(struct tprof_cpu *cpu)
{
    struct tprof_nmi_slot *s = slot_of(cpu);
    bool done = true;

    if (tprof_is_sampling(cpu))
        done = merge(cpu);
    else
        discard(s);
    /* the next dictionary does not have the last stack */
    (void)take_all(&s->last);
    return done;
}

/* Returns the next core after (cpu) that samples, or NULL. */
static struct tprof_cpu *next_core(const struct tprof_cpu *cpu)
{
    for (uint32_t i = 1; i < tprof_cpus; i++) {
        struct tprof_cpu *c = tprof_cpu[(cpu->index + i) % tprof_cpus];

        if (c && atomic_load_explicit(&c->started, memory_order_relaxed) &&
            tprof_is_sampling(c))
            return c;
    }
    return NULL;
}

static void send_kick(struct tprof_cpu *to, uint64_t weight)
{
    struct tprof_nmi_slot *s = slot_of(to);

    atomic_fetch_add_explicit(&s->sent, 1, memory_order_relaxed);
    /* release: pairs with the acquire in tprof_nmi_take() */
    atomic_fetch_add_explicit(&s->kicks, weight, memory_order_release);
    tprof_arch_nmi_send(to->hardware_id);
}

static bool tick(struct tprof_cpu *cpu, uint64_t weight)
{
    struct tprof_cpu *to = next_core(cpu);

    (void)merge(cpu);
    if (!to) {
        /* this core's own deadlines count like kicks */
        add(&slot_of(cpu)->outside, -weight);
        return false;
    }
    /* the deadlines are those of the other core's samples */
    cpu->recorder.counts.ticks--;
    cpu->recorder.counts.missed -= weight - 1;
    send_kick(to, weight);
    return true;
}

/* --- Set-up --------------------------------------------------------------- */

static void lay_out(struct tprof_cpu *cpu, uint8_t *spare)
{
    struct tprof_nmi_slot *s =
        (void *)(spare + TPROF_ARCH_NMI_SPARE - ((sizeof *s + 63) & ~63ul));

    s->cpu = cpu;
    s->span.bounds = &tprof_agent.bounds;
    tprof_ring_init(&s->ring, s->words, TPROF_NMI_WORDS);
    cpu->recorder.is_slow = 1;
    tprof_nmi_slots[cpu->index] = s;
}
_Static_assert(sizeof(struct tprof_nmi_slot) + 4096 <= TPROF_ARCH_NMI_SPARE,
               "room for the stack");

static int join(struct tprof_cpu *cpu)
{
    struct tprof_nmi_slot *s = slot_of(cpu);

    /* a core that was reset in an NMI */
    s->busy = 0;
    discard(s);
    return tprof_arch_nmi_join();
}

static uint64_t kicks_of(const struct tprof_cpu *cpu)
{
    const struct tprof_nmi_slot *s = slot_of(cpu);

    uint64_t outside = atomic_load_explicit(&s->outside, memory_order_relaxed);

    return atomic_load_explicit(&s->kicks, memory_order_relaxed) - outside;
}

const struct tprof_nmi tprof_nmi = {
    .suits = tprof_arch_nmi_suits,
    .lay_out = lay_out,
    .join = join,
    .tick = tick,
    .settle = settle,
    .kicks = kicks_of,
};

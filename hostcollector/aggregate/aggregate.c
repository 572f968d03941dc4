/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up events into a profile: selection, time line, accounts, totals. */
#include "aggregate/aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "aggregate/entries.h"
#include "aggregate/moved.h"
#include "aggregate/stack_pool.h"
#include "util/budget.h"

#define DEFAULT_MEMORY_MAX (1ull << 30)
/* A longer time line, 18 hours, ends here: a lying clock costs no more. */
#define SECONDS_MAX        65536u
#define SPREAD_MAX         600u /* seconds that one loss is spread over */

/* What is gathered of one core. */
struct sums {
    struct entries entries;
    uint64_t no_memory, jumps, jump_weight;
    struct account account;
    bool has_stats;
    struct core_stats stats;
    uint32_t stats_boot; /* boots that had come by then */
    double steal_ns, steal_tsc;
    uint64_t repaired;

    struct profile_second *seconds;
    size_t second_count, second_capacity;
    /* the second of the last sample: nearly always that of the next */
    struct profile_second *second;
    int64_t second_from, second_to; /* ticks since the start */
};

struct aggregate {
    struct aggregate_config config;
    struct budget budget;
    uint64_t seed;
    struct stack_pool stacks;
    uint64_t refused_stacks;
    struct maps maps;

    bool started;        /* a sample came */
    uint64_t origin_tsc; /* of this boot: its clock at the profile's start */
    bool rebooted;       /* the next sample sets origin_tsc anew */
    int64_t last;        /* sample, ticks since the start */
    int64_t from, to;    /* selected, likewise */
    double wall_start;

    struct profile profile;
    uint32_t used; /* of the sums: all beyond are untouched, zero pages */
    struct sums sums[GUEST_CORES_MAX];
};

struct aggregate *aggregate_new(const struct aggregate_config *config)
{
    struct aggregate *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->config = *config;
    a->budget.left =
        config->memory_max ? config->memory_max : DEFAULT_MEMORY_MAX;
    a->from = INT64_MIN;
    a->to = INT64_MAX;
    if (getrandom(&a->seed, sizeof a->seed, GRND_NONBLOCK) < 0)
        a->seed = (uintptr_t)a; /* early at boot: better than nothing */
    a->stacks.seed = a->seed;
    return a;
}

void aggregate_free(struct aggregate *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->used; i++) {
        entries_fini(&a->sums[i].entries);
        free(a->sums[i].seconds);
    }
    maps_fini(&a->maps);
    stack_pool_fini(&a->stacks);
    free(a->profile.cores);
    free(a);
}

/* (core)'s sums; NULL if there is no such core. */
static struct sums *sums_of(struct aggregate *a, uint32_t core)
{
    if (core >= GUEST_CORES_MAX)
        return NULL;
    if (a->used <= core)
        a->used = core + 1;
    return &a->sums[core];
}

/* The selected seconds in ticks, as soon as the clock is known. */
static void select_time(struct aggregate *a)
{
    double hz = (double)a->profile.tsc_hz;

    if (a->config.from_s == 0 && a->config.to_s == 0)
        return;
    a->from = (int64_t)fmin(a->config.from_s * hz, 0x1p62);
    a->to = (int64_t)fmin(a->config.to_s * hz, 0x1p62);
    if (a->from == 0)
        a->from = INT64_MIN; /* another core may be a little ahead */
}

void aggregate_hello(struct aggregate *a, enum hello_kind kind,
                     const struct guest *g)
{
    struct profile *p = &a->profile;

    p->has_guest = true;
    p->guest = *g;
    if (kind == HELLO_FIRST || kind == HELLO_REBOOT)
        p->boots++;
    if (kind != HELLO_REPEAT)
        p->sessions++;
    a->rebooted |= kind == HELLO_REBOOT;
    if (kind == HELLO_REBOOT)
        maps_reboot(&a->maps);
    if (g->tsc_hz != 0) {
        p->tsc_hz = g->tsc_hz;
        p->tsc_measured = false;
    }
    select_time(a);
}

void aggregate_clock(struct aggregate *a, uint64_t tsc_hz)
{
    if (a->profile.has_guest && a->profile.guest.tsc_hz != 0)
        return; /* the guest knows better */
    a->profile.tsc_hz = tsc_hz;
    a->profile.tsc_measured = true;
    select_time(a);
}

void aggregate_wall_start(struct aggregate *a, double seconds)
{
    a->profile.wall_start = seconds;
}

static uint32_t add_stack(struct aggregate *a, const struct stack *s)
{
    uint32_t number = stack_pool_add(&a->stacks, s, &a->budget);

    a->refused_stacks += number == STACK_UNKNOWN;
    return number;
}

uint32_t aggregate_stack(void *aggregate, uint32_t core, const struct stack *s)
{
    struct aggregate *a = aggregate;
    struct stack stack = *s;

    (void)core;
    stack.generation = moved_leaves_text(&a->profile.guest, s)
                           ? maps_era(&a->maps, s->generation)
                           : ERA_NONE;
    return add_stack(a, &stack);
}

/* Ticks since the start of the profile, negative on a core that is ahead. */
static int64_t since_start(const struct aggregate *a, uint64_t tsc)
{
    return (int64_t)(tsc - a->origin_tsc);
}

/* A boot began: its clock continues the time line where the last boot ended. */
static void set_origin(struct aggregate *a, uint64_t tsc)
{
    if (!a->started)
        a->profile.start_tsc = tsc;
    a->origin_tsc = tsc - (uint64_t)a->last;
    a->started = true;
    a->rebooted = false;
}

/* The second of (s) that (ticks) lies in, NULL if it cannot be kept. */
static struct profile_second *second_at(struct aggregate *a, struct sums *s,
                                        int64_t ticks)
{
    int64_t hz = (int64_t)a->profile.tsc_hz;
    int64_t number = hz == 0 || ticks < 0 ? 0 : ticks / hz;

    if (number >= SECONDS_MAX)
        return NULL;
    struct profile_second *seconds =
        budget_grow(&a->budget, s->seconds, &s->second_capacity,
                    (size_t)number + 1, sizeof *seconds);

    if (!seconds)
        return NULL;
    s->seconds = seconds;
    if (s->second_count <= (size_t)number)
        s->second_count = (size_t)number + 1;
    s->second = &seconds[number];
    s->second_from = number == 0 ? INT64_MIN : number * hz;
    s->second_to = hz == 0 ? INT64_MAX : (number + 1) * hz;
    return s->second;
}

/* Count (count) samples, one after the other, on the time line. */
static void count_seconds(struct aggregate *a, struct sums *s,
                          const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t ticks = since_start(a, samples[i].tsc);

        if (ticks > a->last)
            a->last = ticks;
        if (!s->second || ticks < s->second_from || ticks >= s->second_to)
            if (!second_at(a, s, ticks))
                continue;
        s->second->samples++;
    }
}

static bool selected(const struct aggregate *a, uint64_t tsc)
{
    int64_t ticks = since_start(a, tsc);

    return ticks >= a->from && ticks < a->to;
}

/* Add a run of samples that are all selected. */
static void add_run(struct aggregate *a, struct sums *s,
                    const struct sample_batch *batch,
                    const struct sample *samples, size_t count)
{
    s->no_memory += entries_add(&s->entries, batch, samples, count, &a->budget);
    for (size_t i = 0; i < count; i++) {
        if (samples[i].flags & WIRE_SAMPLE_JUMP) {
            s->jumps++;
            s->jump_weight += samples[i].weight;
        }
    }
}

void aggregate_samples(void *aggregate, const struct sample_batch *batch)
{
    struct aggregate *a = aggregate;
    struct sums *s = sums_of(a, batch->core);

    if (!s || batch->count == 0)
        return;
    s->entries.seed = a->seed;
    if (!a->started || a->rebooted)
        set_origin(a, batch->samples[0].tsc);
    a->profile.period_tsc = (uint64_t)batch->period << batch->shift;
    count_seconds(a, s, batch->samples, batch->count);
    if (a->config.one_core && batch->core != a->config.core)
        return;
    for (size_t i = 0, run; i < batch->count; i += run ? run : 1) {
        for (run = 0; i + run < batch->count &&
                      selected(a, batch->samples[i + run].tsc);)
            run++;
        add_run(a, s, batch, batch->samples + i, run);
    }
}

/* Spread (ticks) evenly over the seconds between (from) and (to), in which they
 * were lost, or over SPREAD_MAX parts: many such records must not take long. */
static void spread(struct aggregate *a, struct sums *s, int64_t from,
                   int64_t to, uint64_t ticks)
{
    int64_t step = (int64_t)a->profile.tsc_hz;
    bool within_one = step == 0 || from < 0 || to <= from;
    uint64_t parts = within_one ? 1 : (uint64_t)(to / step - from / step) + 1;
    uint64_t told = 0;

    if (from > INT64_MAX / 2)
        return; /* a lying clock */
    if (parts > SPREAD_MAX) {
        parts = SPREAD_MAX;
        step = (to - from) / (int64_t)SPREAD_MAX;
    }
    for (uint64_t i = 1; i <= parts; i++, from += step) {
        uint64_t until = ticks / parts * i + ticks % parts * i / parts;
        struct profile_second *second = second_at(a, s, from);

        if (second)
            second->lost += (uint32_t)(until - told);
        told = until;
    }
}

void aggregate_loss(void *aggregate, const struct loss *loss)
{
    struct aggregate *a = aggregate;
    struct sums *s = sums_of(a, loss->core);

    if (s && a->started && !a->rebooted)
        spread(a, s, since_start(a, loss->from_tsc),
               since_start(a, loss->to_tsc), loss->ticks);
}

void aggregate_account(void *aggregate, uint32_t core,
                       const struct account *account)
{
    struct sums *s = sums_of(aggregate, core);

    if (s)
        s->account = *account;
}

/* What the host took between the last STATS and (now), of one boot. */
static void add_steal(struct sums *s, const struct core_stats *now)
{
    const struct core_stats *last = &s->stats;

    if (!last->has_steal || !now->has_steal || now->tsc <= last->tsc ||
        now->steal_ns < last->steal_ns)
        return;
    s->steal_ns += (double)(now->steal_ns - last->steal_ns);
    s->steal_tsc += (double)(now->tsc - last->tsc);
}

static void add_repaired(struct sums *s, const struct core_stats *now)
{
    if (s->has_stats && now->repaired > s->stats.repaired)
        s->repaired += now->repaired - s->stats.repaired;
}

void aggregate_stats(void *aggregate, const struct core_stats *stats)
{
    struct aggregate *a = aggregate;
    struct sums *s = sums_of(a, stats->core);

    if (s) {
        if (s->stats_boot == a->profile.boots) {
            add_steal(s, stats);
            add_repaired(s, stats);
        }
        s->stats_boot = a->profile.boots;
        s->has_stats = true;
        s->stats = *stats;
    }
}

const struct events aggregate_events = {
    .stack = aggregate_stack,
    .samples = aggregate_samples,
    .loss = aggregate_loss,
    .account = aggregate_account,
    .stats = aggregate_stats,
};

enum maps_answer aggregate_map(struct aggregate *a, const struct guest_map *map)
{
    return maps_add(&a->maps, map, &a->profile.guest, a->profile.boots);
}

void aggregate_status(struct aggregate *a, const struct guest_status *status)
{
    a->profile.has_status = true;
    a->profile.status = *status;
}

void aggregate_health(struct aggregate *a, const struct stream_health *health)
{
    a->profile.health = *health;
}

struct aggregate_sums aggregate_sums(const struct aggregate *a)
{
    struct aggregate_sums sums = {0};

    for (size_t i = 0; i < a->used; i++) {
        const struct account *account = &a->sums[i].account;

        sums.samples += account->samples;
        sums.lost += account_ticks(account) - account->samples;
    }
    return sums;
}

/* A profile that is added, and how far its images are from ours. */
struct merged {
    const struct profile *p;
    const uint64_t *slides; /* as of aggregate_merge() */
};

/* (number) of (m) as a number of ours. */
static uint32_t merge_stack(struct aggregate *a, const struct merged *m,
                            uint32_t number)
{
    uint64_t frames[WIRE_STACK_FRAMES_MAX];
    struct stack s = moved_stack(m->p, m->slides, number, frames);

    return number == STACK_UNKNOWN ? number : add_stack(a, &s);
}

static void merge_core(struct aggregate *a, const struct merged *m,
                       const struct profile_core *c)
{
    const struct profile *p = m->p;
    struct sums *into = sums_of(a, 0);
    bool clocks = a->profile.tsc_hz != 0 && p->tsc_hz != 0;
    double scale = clocks ? (double)a->profile.tsc_hz / (double)p->tsc_hz : 1;

    into->entries.seed = a->seed;
    for (size_t i = 0; i < c->entry_count; i++) {
        const struct profile_entry *entry = &c->entries[i];
        struct tally tally = tally_scaled(&entry->tally, scale);
        uint32_t stack = merge_stack(a, m, entry->stack);
        uint64_t leaf = entry->leaf == LEAF_UNKNOWN
                            ? LEAF_UNKNOWN
                            : moved_address(p, m->slides, entry->leaf, 0);

        if (entries_merge(&into->entries, leaf, stack, &tally, &a->budget) < 0)
            into->no_memory += tally.samples;
    }
}

void aggregate_merge(struct aggregate *a, const struct profile *p,
                     const uint64_t *slides)
{
    const struct merged m = {p, slides};

    if (!a->profile.has_guest) {
        a->profile.has_guest = true;
        a->profile.guest = p->guest;
        a->profile.guest.cores = 1;
        a->profile.tsc_hz = p->tsc_hz;
        a->profile.period_tsc = p->period_tsc;
    }
    for (size_t i = 0; i < p->core_count; i++)
        merge_core(a, &m, &p->cores[i]);
}

static void fill_core(struct profile_core *c, const struct aggregate *a,
                      const struct sums *s)
{
    c->entries = s->entries.list;
    c->entry_count = s->entries.count;
    for (size_t i = 0; i < c->entry_count; i++)
        tally_add(&c->total, &c->entries[i].tally);
    c->no_memory = s->no_memory;
    c->jumps = s->jumps;
    c->jump_weight = s->jump_weight;
    c->account = s->account;
    c->has_stats = s->has_stats;
    c->stats = s->stats;
    c->steal_ns = s->steal_ns;
    c->steal_tsc = s->steal_tsc;
    c->repaired = s->repaired;
    if (s->stats.ticks != 0)
        c->cost_tsc = (double)s->stats.cost_tsc / (double)s->stats.ticks *
                      (double)account_ticks(&s->account);
    c->seconds = s->seconds;
    c->second_count = a->profile.tsc_hz ? s->second_count : 0;
}

/* Each image gets addresses that no other one has had. */
static void move_images(struct aggregate *a)
{
    if (!maps_show(&a->maps))
        return;
    for (size_t i = 0; i < a->used; i++)
        moved_entries(&a->sums[i].entries, &a->stacks, &a->maps);
    moved_stacks(&a->stacks, &a->maps);
}

const struct profile *aggregate_profile(struct aggregate *a)
{
    struct profile *p = &a->profile;

    free(p->cores);
    p->core_count = 0;
    p->cores = calloc(p->guest.cores ? p->guest.cores : 1, sizeof *p->cores);
    if (!p->cores)
        return NULL;
    for (uint32_t i = 0; i < p->guest.cores && i < GUEST_CORES_MAX; i++) {
        struct profile_core *c = &p->cores[p->core_count++];

        c->core = i;
        c->selected = !a->config.one_core || a->config.core == i;
        fill_core(c, a, &a->sums[i]);
    }
    p->stack_count = a->stacks.count;
    p->refused_stacks = a->refused_stacks;
    p->stacks = &a->stacks;
    move_images(a);
    p->maps = a->maps.shown;
    p->map_count = a->maps.shown_count;
    p->refused_maps = a->maps.refused;
    p->duration_s = p->tsc_hz ? (double)a->last / (double)p->tsc_hz : 0;
    return p;
}

struct stack profile_stack(const struct profile *p, uint32_t number)
{
    return stack_pool_get(p->stacks, number);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up decoded events into a profile. */
#include "profile/aggregate/aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/aggregate/gathered.h"
#include "profile/aggregate/moved.h"
#include "util/hash.h"

#define DEFAULT_MEMORY_MAX (1ull << 30)
#define SOME               512u /* number of samples that are added together */

/* Make room for the sums of (cores) cores. */
static int make_room(struct aggregate *a, uint32_t cores)
{
    struct sums *sums;

    if (cores <= a->room)
        return 0;
    sums = realloc(a->sums, cores * sizeof *sums);
    if (!sums)
        return -1;
    memset(sums + a->room, 0, (cores - a->room) * sizeof *sums);
    a->sums = sums;
    a->room = cores;
    return 0;
}

struct aggregate *aggregate_new(const struct aggregate_config *config)
{
    struct aggregate *a = calloc(1, sizeof *a);

    if (!a || make_room(a, 1) < 0) {
        free(a);
        return NULL;
    }
    a->config = *config;
    a->profile.from_memory = config->memory;
    a->profile.raw = config->raw;
    a->profile.memory =
        config->memory_max ? config->memory_max : DEFAULT_MEMORY_MAX;
    a->budget.left = a->profile.memory;
    a->kept_for_entries = a->budget.left / 4;
    a->kept_for_leaves = a->budget.left / 8;
    a->moments_left = config->no_moments ? 0 : a->budget.left / 3;
    a->from = INT64_MIN;
    a->to = INT64_MAX;
    a->seed = a->stacks.seed = hash_seed();
    return a;
}

void aggregate_free(struct aggregate *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->used; i++) {
        entries_fini(&a->sums[i].entries);
        sample_log_fini(&a->sums[i].moments);
        free(a->sums[i].seconds.list);
    }
    aggregate_fini_threads(a);
    aggregate_fini_requests(a);
    maps_fini(&a->maps);
    stack_pool_fini(&a->stacks);
    free(a->refused);
    free(a->sums);
    free(a->profile.cores);
    free(a);
}

struct sums *aggregate_sums_of(struct aggregate *a, uint32_t core)
{
    if (core >= a->room)
        return NULL;
    if (a->used <= core)
        a->used = core + 1;
    a->sums[core].entries.seed = a->seed;
    a->sums[core].entries.kept = a->kept_for_leaves;
    return &a->sums[core];
}

/* Convert the selected seconds to ticks, as soon as the clock is known. */
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

int aggregate_hello(struct aggregate *a, enum hello_kind kind,
                    const struct guest *g)
{
    struct profile *p = &a->profile;
    bool window = a->config.windows && kind == HELLO_SESSION;
    bool same = window && g->nonce != 0 && g->nonce == p->guest.nonce;

    if (make_room(a, g->cores) < 0)
        return -1;
    for (size_t i = 0; i < a->room && kind != HELLO_REPEAT; i++)
        a->sums[i].before =
            a->sums[i].account.samples + a->sums[i].account.lost;
    p->has_guest = true;
    p->guest = *g;
    p->from_boot |= (g->features & WIRE_FEATURE_BOOT) != 0;
    p->boots += kind == HELLO_FIRST || kind == HELLO_REBOOT;
    p->sessions += kind != HELLO_REPEAT && !same;
    a->window_began = window && g->nonce == 0;
    a->rebooted |= kind == HELLO_REBOOT;
    if (kind == HELLO_REBOOT) {
        maps_reboot(&a->maps);
        p->mark_count = 0;
    }
    if (g->tsc_hz != 0) {
        p->tsc_hz = g->tsc_hz;
        p->tsc_measured = false;
    }
    select_time(a);
    return 0;
}

void aggregate_clock(struct aggregate *a, uint64_t tsc_hz)
{
    if (a->profile.has_guest && a->profile.guest.tsc_hz != 0)
        return; /* the guest's own rate is better */
    a->profile.tsc_hz = tsc_hz;
    a->profile.tsc_measured = true;
    select_time(a);
}

void aggregate_host_clock(struct aggregate *a, double wall_start, double s)
{
    a->profile.wall_start = wall_start;
    a->profile.arrival_s = s;
}

uint32_t aggregate_add_stack(struct aggregate *a, const struct stack *s)
{
    uint64_t kept = budget_keep(&a->budget, a->kept_for_entries);
    uint32_t number = stack_pool_add(&a->stacks, s, &a->budget);

    a->budget.left += kept;
    if (number == STACK_OTHERS)
        aggregate_refuse_stack(a, s);
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
    return aggregate_add_stack(a, &stack);
}

/* Ticks since the start of the profile, negative on a core that is ahead. */
static int64_t since_start(const struct aggregate *a, uint64_t tsc)
{
    return (int64_t)(tsc - a->origin_tsc);
}

/* Set the origin of a boot's clock, so that its time line continues where the
 * last boot ended. */
static void set_origin(struct aggregate *a, uint64_t tsc)
{
    if (!a->started)
        a->profile.start_tsc = tsc;
    a->origin_tsc = tsc - (uint64_t)a->last;
    a->started = true;
    a->rebooted = false;
}

/* Returns how many of (count) samples come before (until), in ticks since the
 * start. Nearly always all do. */
static size_t count_before(const struct aggregate *a,
                           const struct sample *samples, size_t count,
                           int64_t until)
{
    size_t n = 0;

    if (since_start(a, samples[count - 1].tsc) < until)
        return count;
    while (n < count && since_start(a, samples[n].tsc) < until)
        n++;
    return n;
}

/* Count (count) samples, one after the other, on the time line. */
static void count_seconds(struct aggregate *a, struct sums *s,
                          const struct sample *samples, size_t count)
{
    int64_t last = since_start(a, samples[count - 1].tsc);

    if (last > a->last)
        a->last = last;
    for (size_t some; count > 0; samples += some, count -= some) {
        struct profile_second *second =
            seconds_at(&s->seconds, a->profile.tsc_hz,
                       since_start(a, samples[0].tsc), &a->budget);

        some = second ? count_before(a, samples, count, s->seconds.to) : 0;
        some += some == 0; /* go on even if the clock is wrong */
        if (second)
            second->samples += (uint32_t)some;
    }
}

/* Returns how many of (count) samples are selected, from the first on. */
static size_t count_selected(const struct aggregate *a,
                             const struct sample *samples, size_t count)
{
    return since_start(a, samples[0].tsc) >= a->from
               ? count_before(a, samples, count, a->to)
               : 0;
}

/* Record the times of some samples, and their entries. */
static void add_moments(struct aggregate *a, struct sums *s,
                        const struct sample_batch *batch,
                        const struct sample *samples, const uint32_t *entries,
                        size_t count)
{
    struct budget b = {.left = budget_keep(&a->budget, a->moments_left)};

    a->moments_left -= b.left;
    sample_log_add(&s->moments, batch, samples, a->origin_tsc, entries, count,
                   &b);
    a->moments_left += b.left;
    a->budget.left += b.left;
}

/* Keep the last of (count) samples as the latest ones. */
static void keep_latest(struct profile_latest *l, const struct sample *samples,
                        const uint32_t *entries, size_t count)
{
    for (size_t i = count > PROFILE_LATEST ? count - PROFILE_LATEST : 0;
         i < count; i++) {
        memmove(l->samples + 1, l->samples,
                sizeof l->samples - sizeof l->samples[0]);
        l->samples[0].entry = entries[i] - 1; /* UINT32_MAX for others */
        l->samples[0].tsc = samples[i].tsc;
        l->count += l->count < PROFILE_LATEST;
    }
}

/* Add (count) samples, all of which are selected. */
static void add_run(struct aggregate *a, struct sums *s,
                    const struct sample_batch *batch,
                    const struct sample *samples, size_t count)
{
    for (size_t i = 0, some; i < count; i += some) {
        uint32_t entries[SOME];

        some = count - i < SOME ? count - i : SOME;
        entries_add(&s->entries, batch, samples + i, entries, some, &a->budget);
        add_moments(a, s, batch, samples + i, entries, some);
        if (count - i - some < PROFILE_LATEST)
            keep_latest(&s->latest, samples + i, entries, some);
    }
    for (size_t i = 0; i < count && !batch->is_short; i++) {
        bool jump = samples[i].flags & WIRE_SAMPLE_JUMP;

        s->jumps += jump;
        s->jump_weight += jump ? samples[i].weight : 0;
    }
}

void aggregate_samples(void *aggregate, const struct sample_batch *batch)
{
    struct aggregate *a = aggregate;
    struct sums *s = aggregate_sums_of(a, batch->core);

    if (!s || batch->count == 0)
        return;
    if (!a->started || a->rebooted)
        set_origin(a, batch->samples[0].tsc);
    a->profile.period_tsc = (uint64_t)batch->period << batch->shift;
    count_seconds(a, s, batch->samples, batch->count);
    if (!core_set_has(&a->config.cores, batch->core))
        return;
    for (size_t i = 0, run; i < batch->count; i += run ? run : 1) {
        run = count_selected(a, batch->samples + i, batch->count - i);
        add_run(a, s, batch, batch->samples + i, run);
    }
}

void aggregate_loss(void *aggregate, const struct loss *loss)
{
    struct aggregate *a = aggregate;
    struct sums *s = aggregate_sums_of(a, loss->core);

    if (s && a->started && !a->rebooted)
        seconds_lose(&s->seconds, a->profile.tsc_hz, loss->ticks,
                     since_start(a, loss->from_tsc),
                     since_start(a, loss->to_tsc), &a->budget);
}

void aggregate_account(void *aggregate, uint32_t core,
                       const struct account *account)
{
    struct sums *s = aggregate_sums_of(aggregate, core);

    if (s)
        s->account = *account;
}

const struct events aggregate_events = {
    .stack = aggregate_stack,
    .samples = aggregate_samples,
    .loss = aggregate_loss,
    .account = aggregate_account,
    .stats = aggregate_stats,
    .progress = aggregate_progress,
    .runs = aggregate_runs,
    .stack_of = aggregate_stack_of,
    .request_of = aggregate_request_of,
    .thread = aggregate_thread,
    .wait = aggregate_wait,
    .sched = aggregate_sched,
    .lock = aggregate_lock,
    .lock_wait = aggregate_lock_wait,
    .request = aggregate_request,
    .request_times = aggregate_request_times,
    .slow = aggregate_slow,
};

void aggregate_reserve(struct aggregate *a, uint64_t bytes)
{
    a->reserved += budget_keep(&a->budget, bytes);
}

uint64_t aggregate_memory_left(const struct aggregate *a)
{
    return a->budget.left;
}

enum maps_answer aggregate_map(struct aggregate *a, const struct guest_map *map)
{
    return maps_add(&a->maps, map, &a->profile.guest, a->profile.boots);
}

void aggregate_health(struct aggregate *a, const struct stream_health *health)
{
    a->profile.health = *health;
}

struct aggregate_totals aggregate_sums(const struct aggregate *a)
{
    struct aggregate_totals sums = {0};

    for (size_t i = 0; i < a->used; i++) {
        const struct account *account = &a->sums[i].account;

        sums.samples += account->samples;
        sums.lost += account_ticks(account) - account->samples;
    }
    if (a->profile.tsc_hz != 0)
        sums.seconds = (double)a->last / (double)a->profile.tsc_hz;
    return sums;
}

/* Sum up the entries of (s) in (c). */
static void fill_sums(struct profile_core *c, const struct sums *s)
{
    c->entries = s->entries.list ? s->entries.list + 1 : NULL;
    c->entry_count = s->entries.count;
    c->others = s->entries.others;
    c->total = c->others;
    c->left_out = s->left_out;
    c->folded = c->others.samples;
    for (size_t i = 0; i < c->entry_count; i++) {
        tally_add(&c->total, &c->entries[i].tally);
        if (c->entries[i].stack == STACK_OTHERS)
            c->folded += c->entries[i].tally.samples;
    }
}

/* Does the guest say that the core of (s) never joined, and does nothing in
 * (s) contradict? A guest that is sampled from outside has no cores that
 * join. */
static bool is_absent(const struct aggregate *a, const struct sums *s)
{
    const struct account *heard = &s->account;

    return s->has_stats && !s->joined && account_deadlines(heard) == 0 &&
           heard->cut == 0 && heard->begin_unknown == 0 &&
           (a->profile.guest.features & WIRE_FEATURE_OUTSIDE) == 0;
}

static void fill_core(struct profile_core *c, const struct aggregate *a,
                      struct sums *s)
{
    c->moments = &s->moments;
    c->moments_until = INT64_MAX;
    if (s >= a->sums + a->used) /* nothing came from this core */
        return;
    entries_close(&s->entries);
    fill_sums(c, s);
    c->latest = s->latest;
    c->jumps = s->jumps;
    c->jump_weight = s->jump_weight;
    c->account = s->account;
    c->absent = is_absent(a, s);
    c->has_stats = s->has_stats;
    c->stats = s->stats;
    c->steal_ns = s->steal_ns;
    c->steal_tsc = s->steal_tsc;
    c->repaired = s->repaired;
    c->strangers = s->strangers;
    c->overwritten = s->overwritten;
    if (s->stats.ticks != 0)
        c->cost_tsc = (double)s->stats.cost_tsc / (double)s->stats.ticks *
                      (double)account_ticks(&s->account);
    if (s->moments.full)
        c->moments_until = s->moments.ticks;
    c->seconds = s->seconds.list;
    c->second_count = a->profile.tsc_hz ? s->seconds.count : 0;
}

/* Move images so that no two have had the same address. */
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
    /* an earlier boot may have had more cores */
    uint32_t cores = p->guest.cores > a->used ? p->guest.cores : a->used;

    free(p->cores);
    p->core_count = 0;
    p->cores = calloc(cores + 1, sizeof *p->cores);
    if (!p->cores)
        return NULL;
    for (uint32_t i = 0; i < cores; i++) {
        struct profile_core *c = &p->cores[p->core_count++];
        c->core = i;
        c->selected = core_set_has(&a->config.cores, (uint32_t)i);
        fill_core(c, a, &a->sums[i]);
    }
    p->stack_count = a->stacks.count;
    p->refused_stacks = a->refused_stacks;
    p->wanted = aggregate_wanted(a);
    p->stacks = &a->stacks;
    aggregate_fill_threads(a);
    aggregate_fill_requests(a);
    move_images(a);
    p->maps = a->maps.shown;
    p->map_count = a->maps.shown_count;
    p->refused_maps = a->maps.refused;
    p->duration_s = p->tsc_hz ? (double)a->last / (double)p->tsc_hz : 0;
    p->clock_senseless = p->duration_s > PROFILE_SECONDS_MAX;
    if (p->clock_senseless)
        p->duration_s = 0;
    p->from_s = a->config.from_s;
    p->to_s = a->config.to_s;
    return p;
}

/* Move (t) to the sum that was left out of (s). */
static void leave_out(struct sums *s, struct tally *t)
{
    tally_add(&s->left_out, t);
    *t = (struct tally){0};
}

void aggregate_leave_out(struct aggregate *a, bool *const *out)
{
    struct profile *p = &a->profile;

    for (size_t i = 0; i < p->core_count && i < a->used; i++) {
        struct sums *s = &a->sums[i];

        if (out[i] == NULL)
            continue;
        for (size_t j = 0; j < s->entries.count; j++)
            if (out[i][j])
                leave_out(s, &s->entries.list[j + 1].tally);
        if (out[i][s->entries.count])
            leave_out(s, &s->entries.others);
        fill_sums(&p->cores[i], s);
    }
}

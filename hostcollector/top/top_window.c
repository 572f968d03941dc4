/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes differences of sums, keeps them, and adds up the latest ones. */
#include "top/top_window.h"

#include <stdlib.h>

#include "util/vec.h"

#define OTHERS UINT32_MAX /* profile_core.others, as the number of an entry */

/* Samples of one entry between two looks. */
struct window_part {
    uint32_t core, entry;
    uint64_t samples, weight;
    double time, time_sq, late, late_time;
};

/* All samples between two looks. */
struct top_window_change {
    double from_s, to_s; /* in the profile's time */
    struct window_part *parts;
    size_t count, room;
    struct account *accounts; /* by core */
    size_t core_count;
};

/* The sums of a core at the last look. */
struct seen {
    struct window_part *entries;
    size_t count, room;
    struct window_part others;
    struct account account;
};

struct top_window {
    double seconds;
    uint64_t memory, used;           /* bytes */
    struct top_window_change *looks; /* oldest first */
    size_t count, room;
    double seen_s;
    struct seen *seen; /* by core */
    size_t seen_count;

    struct profile profile;
    /* (entries): the entries of the window, all cores one after the other.
     * (places): for each core and entry of the whole profile, 1 + its index in
     * the window; 0: not in the window. */
    struct profile_entry *entries;
    uint32_t *places;
};

struct top_window *top_window_new(double seconds, uint64_t memory)
{
    struct top_window *w = calloc(1, sizeof *w);

    if (w != NULL) {
        w->seconds = seconds;
        w->memory = memory;
    }
    return w;
}

static void look_fini(struct top_window_change *l)
{
    free(l->parts);
    free(l->accounts);
}

static uint64_t look_bytes(const struct top_window_change *l)
{
    return l->room * sizeof *l->parts + l->core_count * sizeof *l->accounts;
}

/* Release the result of the last top_window_profile(). */
static void forget_profile(struct top_window *w)
{
    free(w->profile.cores);
    free(w->entries);
    free(w->places);
    w->profile.cores = NULL;
    w->entries = NULL;
    w->places = NULL;
}

void top_window_free(struct top_window *w)
{
    if (w == NULL)
        return;
    forget_profile(w);
    for (size_t i = 0; i < w->count; i++)
        look_fini(&w->looks[i]);
    for (size_t i = 0; i < w->seen_count; i++)
        free(w->seen[i].entries);
    free(w->looks);
    free(w->seen);
    free(w);
}

/* Looking */

static struct window_part part_of(uint32_t core, uint32_t entry,
                                  const struct tally *t)
{
    return (struct window_part){.core = core,
                                .entry = entry,
                                .samples = t->samples,
                                .weight = t->weight,
                                .time = t->time,
                                .time_sq = t->time_sq,
                                .late = t->late,
                                .late_time = t->late_time};
}

/* Return the amounts of (now) minus those of (before). */
static struct window_part part_more(struct window_part now,
                                    const struct window_part *before)
{
    now.samples -= before->samples;
    now.weight -= before->weight;
    now.time -= before->time;
    now.time_sq -= before->time_sq;
    now.late -= before->late;
    now.late_time -= before->late_time;
    return now;
}

static uint64_t more(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

static struct account account_more(const struct account *now,
                                   const struct account *before)
{
    return (struct account){
        .samples = more(now->samples, before->samples),
        .lost = more(now->lost, before->lost),
        .ring_full = more(now->ring_full, before->ring_full),
        .reentered = more(now->reentered, before->reentered),
        .missed = more(now->missed, before->missed),
        .unknown_stack = more(now->unknown_stack, before->unknown_stack),
    };
}

/* Make room in (w->seen) for all cores and entries of (p). */
static int make_room(struct top_window *w, const struct profile *p)
{
    static const struct seen nothing;

    for (; w->seen_count < p->core_count; w->seen_count++) {
        struct seen *more_seen =
            realloc(w->seen, (w->seen_count + 1) * sizeof *w->seen);

        if (more_seen == NULL)
            return -1;
        w->seen = more_seen;
        w->seen[w->seen_count] = nothing;
    }
    for (size_t i = 0; i < p->core_count; i++)
        for (size_t n = w->seen[i].room; n < p->cores[i].entry_count;
             n = w->seen[i].room)
            if (vec_grow(&w->seen[i].entries, &w->seen[i].room, n,
                         sizeof *w->seen[i].entries) != 0)
                return -1;
    return 0;
}

/* Add the differences between (now) and (before) to (l). */
static int look_at(struct top_window_change *l, struct window_part now,
                   const struct window_part *before)
{
    if (now.samples == before->samples)
        return 0;
    if (vec_grow(&l->parts, &l->room, l->count, sizeof *l->parts) != 0)
        return -1;
    l->parts[l->count++] = part_more(now, before);
    return 0;
}

static int look_at_core(struct top_window_change *l, const struct seen *s,
                        uint32_t number, const struct profile_core *c)
{
    static const struct window_part nothing;

    l->accounts[number] = account_more(&c->account, &s->account);
    for (uint32_t i = 0; i < c->entry_count; i++)
        if (look_at(l, part_of(number, i, &c->entries[i].tally),
                    i < s->count ? &s->entries[i] : &nothing) != 0)
            return -1;
    return look_at(l, part_of(number, OTHERS, &c->others), &s->others);
}

/* Store the sums of (p), so that the next look sees only later samples. */
static void note_seen(struct top_window *w, const struct profile *p)
{
    for (uint32_t i = 0; i < p->core_count; i++) {
        const struct profile_core *c = &p->cores[i];
        struct seen *s = &w->seen[i];

        for (uint32_t j = 0; j < c->entry_count; j++)
            s->entries[j] = part_of(i, j, &c->entries[j].tally);
        s->count = c->entry_count;
        s->others = part_of(i, OTHERS, &c->others);
        s->account = c->account;
    }
    w->seen_s = p->duration_s;
}

/* Drop looks that are too old or have no room, but not the last look. */
static void forget_old(struct top_window *w)
{
    size_t old = 0;
    double from_s = w->looks[w->count - 1].to_s - w->seconds;

    while (old + 1 < w->count &&
           (w->looks[old].to_s < from_s || w->used > w->memory)) {
        w->used -= look_bytes(&w->looks[old]);
        look_fini(&w->looks[old++]);
    }
    w->count -= old;
    memmove(w->looks, w->looks + old, w->count * sizeof *w->looks);
}

int top_window_look(struct top_window *w, const struct profile *p)
{
    struct top_window_change l = {.from_s = w->seen_s, .to_s = p->duration_s};

    l.core_count = p->core_count;
    l.accounts = calloc(p->core_count + 1, sizeof *l.accounts);
    if (l.accounts == NULL || make_room(w, p) != 0 ||
        vec_grow(&w->looks, &w->room, w->count, sizeof *w->looks) != 0)
        goto fail;
    for (uint32_t i = 0; i < p->core_count; i++)
        if (look_at_core(&l, &w->seen[i], i, &p->cores[i]) != 0)
            goto fail;
    note_seen(w, p);
    w->looks[w->count++] = l;
    w->used += look_bytes(&l);
    forget_old(w);
    return 0;

fail:
    look_fini(&l);
    return -1;
}

/* Adding up */

static void add_part(struct tally *t, const struct window_part *p)
{
    t->samples += p->samples;
    t->weight += p->weight;
    t->time += p->time;
    t->time_sq += p->time_sq;
    t->late += p->late;
    t->late_time += p->late_time;
}

/* The first look with its greater part in the last (seconds). */
static size_t first_look(const struct top_window *w, double seconds)
{
    size_t i = w->count - 1;
    double from_s = w->looks[i].to_s - seconds;

    while (i > 0 && w->looks[i - 1].from_s + w->looks[i - 1].to_s >= 2 * from_s)
        i--;
    return i;
}

/* Copy the cores of (p), without entries. */
static int copy_cores(struct top_window *w, const struct profile *p)
{
    struct profile_core *cores = calloc(p->core_count + 1, sizeof *cores);

    w->profile = *p;
    w->profile.cores = cores;
    for (size_t i = 0; cores != NULL && i < p->core_count; i++) {
        cores[i] = p->cores[i];
        cores[i].entries = NULL;
        cores[i].entry_count = 0;
        cores[i].others = cores[i].total = (struct tally){0};
        cores[i].account = (struct account){0};
    }
    return cores != NULL ? 0 : -1;
}

/* Write the number of each core's first place into (starts). Returns the number
 * of all places. */
static size_t number_places(const struct profile *p, size_t *starts)
{
    size_t all = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        starts[i] = all;
        all += p->cores[i].entry_count;
    }
    return all;
}

/* Mark the places that parts of look (first) and later looks have, then number
 * these places. Returns their number. */
static size_t find_places(struct top_window *w, size_t first,
                          const size_t *starts, size_t all)
{
    uint32_t found = 0;

    for (size_t i = first; i < w->count; i++)
        for (size_t j = 0; j < w->looks[i].count; j++) {
            const struct window_part *part = &w->looks[i].parts[j];

            if (part->entry != OTHERS)
                w->places[starts[part->core] + part->entry] = 1;
        }
    for (size_t i = 0; i < all; i++)
        if (w->places[i] != 0)
            w->places[i] = ++found;
    return found;
}

/* Fill in leaf and stack of each entry with a place. */
static void fill_entries(struct top_window *w, const struct profile *p,
                         const size_t *starts)
{
    struct profile_entry *next = w->entries;

    for (size_t i = 0; i < p->core_count; i++) {
        struct profile_core *c = &w->profile.cores[i];

        c->entries = next;
        for (size_t j = 0; j < p->cores[i].entry_count; j++) {
            if (w->places[starts[i] + j] == 0)
                continue;
            *next = p->cores[i].entries[j];
            next++->tally = (struct tally){0};
        }
        c->entry_count = (size_t)(next - c->entries);
    }
}

static void add_looks(struct top_window *w, size_t first, const size_t *starts)
{
    for (size_t i = first; i < w->count; i++) {
        const struct top_window_change *l = &w->looks[i];

        for (size_t j = 0; j < l->count; j++) {
            const struct window_part *part = &l->parts[j];
            struct profile_core *c = &w->profile.cores[part->core];
            size_t place = starts[part->core] + part->entry;

            add_part(part->entry == OTHERS
                         ? &c->others
                         : &w->entries[w->places[place] - 1].tally,
                     part);
            add_part(&c->total, part);
        }
        for (size_t j = 0; j < l->core_count; j++)
            account_sum(&w->profile.cores[j].account, &l->accounts[j]);
    }
}

static int add_up(struct top_window *w, const struct profile *p, size_t first)
{
    size_t *starts = calloc(p->core_count + 1, sizeof *starts);
    size_t all = starts != NULL ? number_places(p, starts) : 0;

    w->places = calloc(all + 1, sizeof *w->places);
    if (starts == NULL || w->places == NULL)
        goto fail;
    w->entries =
        calloc(find_places(w, first, starts, all) + 1, sizeof *w->entries);
    if (w->entries == NULL)
        goto fail;
    fill_entries(w, p, starts);
    add_looks(w, first, starts);
    free(starts);
    return 0;

fail:
    free(starts);
    return -1;
}

const struct profile *top_window_profile(struct top_window *w,
                                         const struct profile *p,
                                         double seconds)
{
    forget_profile(w);
    if (copy_cores(w, p) != 0)
        return NULL;
    if (w->count == 0)
        return &w->profile;
    size_t first = first_look(w, seconds);

    w->profile.duration_s =
        w->looks[w->count - 1].to_s - w->looks[first].from_s;
    return add_up(w, p, first) == 0 ? &w->profile : NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds a finished profile to another, as one core. */
#include "profile/aggregate/gathered.h"
#include "profile/aggregate/moved.h"

/* A profile to be added, and for each of its images the difference of addresses
 * from the same image in the aggregate. */
struct merged {
    const struct profile *p;
    const uint64_t *slides; /* as in aggregate_merge() */
};

/* The number in (a) of the stack that is (number) in (m). */
static uint32_t merge_stack(struct aggregate *a, const struct merged *m,
                            uint32_t number)
{
    uint64_t frames[WIRE_STACK_FRAMES_MAX];
    struct stack s = moved_stack(m->p, m->slides, number, frames);

    return number == STACK_UNKNOWN || number == STACK_OTHERS
               ? number
               : aggregate_add_stack(a, &s);
}

static void merge_core(struct aggregate *a, const struct merged *m,
                       const struct profile_core *c)
{
    const struct profile *p = m->p;
    struct sums *into = aggregate_sums_of(a, 0);
    bool clocks = a->profile.tsc_hz != 0 && p->tsc_hz != 0;
    double scale = clocks ? (double)a->profile.tsc_hz / (double)p->tsc_hz : 1;
    struct tally tally = tally_scaled(&c->others, scale);

    tally_add(&into->entries.others, &tally);
    for (size_t i = 0; i < c->entry_count; i++) {
        const struct profile_entry *entry = &c->entries[i];

        if (profile_is_left_out(c, &entry->tally))
            continue;
        uint32_t stack = merge_stack(a, m, entry->stack);
        uint64_t leaf = entry->leaf == LEAF_UNKNOWN
                            ? LEAF_UNKNOWN
                            : moved_address(p, m->slides, entry->leaf, 0);

        tally = tally_scaled(&entry->tally, scale);
        entries_merge(&into->entries, leaf, stack, &tally, &a->budget);
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

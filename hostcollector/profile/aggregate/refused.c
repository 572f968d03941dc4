/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "profile/aggregate/gathered.h"
#include "util/hash.h"

/* Bytes of a stack without its addresses, and of an entry. Both include the
 * free eighth of their array, and their slots in a growing table. */
#define STACK_BYTES 96u
#define ENTRY_BYTES (sizeof(struct profile_entry) * 9 / 8 + 24)

void aggregate_refuse_stack(struct aggregate *a, const struct stack *s)
{
    uint64_t hash = hash_mix(s->end, s->sp);

    a->refused_stacks++;
    a->refused_addresses += s->depth + WIRE_STACK_SLOTS;
    if (a->refused == NULL)
        a->refused = calloc(1, sizeof *a->refused);
    if (a->refused == NULL)
        return;
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        hash = hash_mix(hash, s->words[i]);
    for (size_t i = 0; i < s->depth; i++)
        hash = hash_mix(hash, s->frames[i]);
    distinct_add(a->refused, hash);
}

/* Sums over all cores. */
struct kept {
    double entries;
    double refused; /* entries of known stacks that had no room */
    double folded;  /* samples */
    double samples;
};

static struct kept count_kept(const struct aggregate *a)
{
    struct kept k = {0};

    for (size_t i = 0; i < a->used; i++) {
        const struct entries *e = &a->sums[i].entries;

        k.entries += e->count;
        if (e->refused != NULL)
            k.refused += (double)distinct_most(e->refused);
    }
    for (size_t i = 0; i < a->profile.core_count; i++) {
        k.folded += (double)a->profile.cores[i].folded;
        k.samples += (double)a->profile.cores[i].total.samples;
    }
    return k;
}

/* Estimate the entries of a refused stack: as many as a kept stack has, and a
 * quarter more. Each entry has a sample, which limits the number. */
uint64_t aggregate_wanted(const struct aggregate *a)
{
    struct kept k = count_kept(a);
    double stacks = (double)a->stacks.count + 1, more = 0, addresses = 0;

    if (k.folded == 0 && a->refused_stacks == 0)
        return 0;
    if (a->refused != NULL) {
        more = (double)distinct_most(a->refused);
        addresses =
            more * (double)a->refused_addresses / (double)a->refused_stacks;
    }
    double entries = k.refused + more * (k.entries + k.refused) / stacks * 1.25;

    if (entries > k.folded)
        entries = k.folded;
    size_t entry_bytes = ENTRY_BYTES;
    double bytes = ((double)a->stacks.address_count + addresses) * 9 +
                   (stacks + more) * STACK_BYTES +
                   (k.entries + entries) * (double)entry_bytes +
                   (double)a->reserved;

    if (!a->config.no_moments)
        bytes += k.samples * 9;
    return (uint64_t)(bytes * 4 / 3); /* a quarter is for entries alone */
}

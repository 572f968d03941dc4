/* SPDX-License-Identifier: BSD-2-Clause */
#include "top/top_window.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/stack.h"
#include "util/pair_map.h"

/* Finds the entries with the most time, which keep their stacks. Finds the
 * least time of these entries, and merges the entries with less time. */
static size_t count_entries(const struct profile *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->core_count; i++)
        n += p->cores[i].entry_count;
    return n;
}

static int compare_falling(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? 1 : left > right ? -1 : 0;
}

/* The entries that keep their stack: all entries with more than (time), and
 * (ties) entries with exactly (time). */
struct least_entries {
    double time;
    size_t ties;
};

/* Find the limit for the (most) longest of (count) entries. Returns 0; -1 if
 * there is no memory. */
static int find_least(const struct profile *p, size_t count, size_t most,
                      struct least_entries *least)
{
    double *times = calloc(count, sizeof *times);
    size_t n = 0;

    if (times == NULL)
        return -1;
    for (size_t i = 0; i < p->core_count; i++)
        for (size_t j = 0; j < p->cores[i].entry_count; j++)
            times[n++] = p->cores[i].entries[j].tally.time;
    qsort(times, count, sizeof *times, compare_falling);
    *least = (struct least_entries){.time = times[most], .ties = most};
    for (size_t i = 0; i < most && times[i] > least->time; i++)
        least->ties--;
    free(times);
    return 0;
}

/* Does (entry) keep its stack? */
static bool is_kept(const struct profile_entry *entry,
                    struct least_entries *least)
{
    double time = entry->tally.time;

    if (entry->stack == STACK_OTHERS || time < least->time)
        return false;
    if (time > least->time)
        return true;
    return least->ties > 0 && least->ties-- > 0;
}

/* Add (from)'s samples to the entry of its leaf in (list), of (*count). Returns
 * 0; -1 if there is no memory. */
static int merge_leaf(struct pair_map *leaves, const struct profile_entry *from,
                      struct profile_entry *list, size_t *count)
{
    uint32_t *place = map_put(leaves, from->leaf, 0);

    if (place == NULL)
        return -1;
    if (*place == MAP_NOTHING) {
        *place = (uint32_t)*count;
        list[(*count)++] =
            (struct profile_entry){.leaf = from->leaf, .stack = STACK_OTHERS};
    }
    tally_add(&list[*place].tally, &from->tally);
    return 0;
}

/* Copy the entries of (from) into (list). Returns their number in the list; -1
 * if there is no memory. */
static long limit_core(const struct profile_core *from,
                       struct least_entries *least, struct profile_entry *list)
{
    struct pair_map leaves = {0};
    size_t count = 0;
    int result = 0;

    for (size_t i = 0; i < from->entry_count && result == 0; i++) {
        const struct profile_entry *entry = &from->entries[i];

        if (is_kept(entry, least))
            list[count++] = *entry;
        else
            result = merge_leaf(&leaves, entry, list, &count);
    }
    map_fini(&leaves);
    return result == 0 ? (long)count : -1;
}

const struct profile *limit_entries(struct entry_limit *t,
                                    const struct profile *p, size_t most)
{
    size_t count = count_entries(p);
    struct profile_entry *next;
    struct least_entries least;

    if (count <= most)
        return p;
    limit_entries_fini(t);
    t->profile = *p;
    t->profile.cores = t->cores = calloc(p->core_count, sizeof *t->cores);
    next = t->entries = calloc(count, sizeof *t->entries);
    if (t->cores == NULL || next == NULL ||
        find_least(p, count, most, &least) != 0)
        return NULL;
    for (size_t i = 0; i < p->core_count; i++) {
        long n = limit_core(&p->cores[i], &least, next);

        if (n < 0)
            return NULL;
        t->cores[i] = p->cores[i];
        t->cores[i].entries = next;
        t->cores[i].entry_count = (size_t)n;
        next += n;
    }
    return &t->profile;
}

void limit_entries_fini(struct entry_limit *t)
{
    free(t->cores);
    free(t->entries);
    *t = (struct entry_limit){0};
}

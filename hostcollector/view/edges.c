/* SPDX-License-Identifier: BSD-2-Clause */
/* Call graph: one sum for each pair of caller and callee. */
#include "view/view_memory.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

static uint64_t edge_hash(uint32_t caller, uint32_t callee)
{
    return hash_mix(hash_mix(0, caller), callee);
}

static uint64_t hash_of_edge(const void *list, uint32_t number)
{
    const struct view_edge *edge = (const struct view_edge *)list + number - 1;

    return edge_hash(edge->caller, edge->callee);
}

/* Returns the slot of the edge caller -> callee, or the free slot for the
 * edge. */
static uint32_t *find_slot(const struct edges *e, uint32_t caller,
                           uint32_t callee)
{
    size_t mask = e->table.size - 1;
    size_t i = edge_hash(caller, callee) & mask;

    for (uint32_t n; (n = e->table.slots[i]) != 0; i = (i + 1) & mask)
        if (e->list[n - 1].caller == caller && e->list[n - 1].callee == callee)
            break;
    return &e->table.slots[i];
}

/* Make room for (count) edges. Returns 0; -1 if (b) or memory does not allow
 * it. */
static int grow(struct edges *e, size_t count, struct budget *b)
{
    struct view_edge *list =
        budget_grow(b, e->list, &e->room, count, sizeof *list);

    if (list == NULL)
        return -1;
    e->list = list;

    uint32_t *seen =
        budget_grow(b, e->seen, &e->seen_room, count, sizeof *seen);

    if (seen == NULL)
        return -1;
    e->seen = seen;
    return budget_table_grow(b, &e->table, (uint32_t)e->count, count - e->count,
                             hash_of_edge, list);
}

int edges_make_room(struct edges *e, const struct path *path, struct budget *b)
{
    return path->count > 1 ? grow(e, e->count + path->count - 1, b) : 0;
}

/* Count (time) for the line of the call at (caller), by its number in
 * view.lines. A line with more than half of all time wins, by Boyer's and
 * Moore's vote. */
static void vote(struct view_edge *edge, const struct path_step *caller,
                 double time)
{
    if (edge->line == caller->line) {
        edge->lead += time;
    } else if (edge->lead >= time) {
        edge->lead -= time;
    } else {
        edge->line = caller->line;
        edge->lead = time - edge->lead;
    }
}

void edges_add(struct edges *e, const struct path *path, uint32_t number)
{
    for (size_t i = 1; i < path->count; i++) {
        uint32_t caller = path->steps[i - 1].function;
        uint32_t callee = path->steps[i].function;
        uint32_t *slot = find_slot(e, caller, callee);

        if (*slot == 0) {
            e->seen[e->count] = 0;
            e->list[e->count] =
                (struct view_edge){.caller = caller, .callee = callee};
            *slot = (uint32_t)++e->count;
        }
        if (e->seen[*slot - 1] != number) {
            amount_add(&e->list[*slot - 1].amount, &path->amount);
            vote(&e->list[*slot - 1], &path->steps[i - 1], path->amount.time);
        }
        e->seen[*slot - 1] = number;
    }
}

void edges_fold(struct edges *e, struct smallest_first *f, struct budget *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < e->count; i++)
        smallest_first_count(f, e->list[i].amount.time);
    double least = smallest_first_least(f, e->count / 2);

    memset(e->table.slots, 0, e->table.size * sizeof *e->table.slots);
    for (size_t i = 0; i < e->count; i++) {
        if (e->list[i].amount.time < least)
            continue;
        e->list[kept] = e->list[i];
        e->seen[kept] = e->seen[i];
        kept++;
        *find_slot(e, e->list[i].caller, e->list[i].callee) = (uint32_t)kept;
    }
    e->count = kept;
    edges_trim(e, b);
}

void edges_trim(struct edges *e, struct budget *b)
{
    budget_shrink(b, &e->list, &e->room, e->count, sizeof *e->list);
    budget_shrink(b, &e->seen, &e->seen_room, e->count, sizeof *e->seen);
}

static int compare_edges(const void *a, const void *b)
{
    const struct view_edge *left = a, *right = b;

    if (left->amount.time != right->amount.time)
        return left->amount.time < right->amount.time ? 1 : -1;
    if (left->caller != right->caller)
        return left->caller < right->caller ? -1 : 1;
    return (left->callee > right->callee) - (left->callee < right->callee);
}

int edges_finish(struct edges *e, struct view *v)
{
    v->calls = malloc(v->function_count * sizeof *v->calls);
    v->callers = malloc(v->function_count * sizeof *v->callers);
    if (v->calls == NULL || v->callers == NULL)
        return -1;
    for (size_t i = 0; i < v->function_count; i++)
        v->calls[i] = v->callers[i] = VIEW_NO_EDGE;
    if (e->count != 0)
        qsort(e->list, e->count, sizeof *e->list, compare_edges);
    for (uint32_t i = (uint32_t)e->count; i-- > 0;) {
        struct view_edge *edge = &e->list[i];

        edge->file = NULL;
        if (edge->caller >= VIEW_MARKS && edge->line < v->line_count) {
            edge->file = v->lines[edge->line].file;
            edge->line = v->lines[edge->line].number;
        }
        edge->next_of_caller = v->calls[edge->caller];
        edge->next_of_callee = v->callers[edge->callee];
        v->calls[edge->caller] = i;
        v->callers[edge->callee] = i;
    }
    v->edges = e->list;
    v->edge_count = e->count;
    return 0;
}

void edges_fini(struct edges *e)
{
    free(e->list);
    free(e->seen);
    free(e->table.slots);
}

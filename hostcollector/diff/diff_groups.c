/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/diff_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/compare/compare.h"
#include "report/groups.h"
#include "util/vec.h"

int diff_groups_add_scope(struct pairs *pairs, uint32_t run, unsigned side,
                          const struct view *v, const struct view_scope *scope)
{
    for (size_t i = 0; i < scope->row_count; i++) {
        const struct view_row *row = &scope->rows[i];
        const struct view_function *f = &v->functions[row->function];
        bool known = row->function != VIEW_OTHERS && !f->nameless;

        if (row->self.samples != 0 &&
            pairs_add(pairs, run, side, known ? f->name : NULL, f->home,
                      &row->self) != 0)
            return -1;
    }
    return 0;
}

/* The pairs of the group (name), or of core number (core); NULL if there is no
 * memory. */
static struct pairs *pairs_of(struct diff_groups *c, const char *name,
                              uint32_t core)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->list[i].name, name) == 0)
            return &c->list[i].pairs;
    if (vec_grow(&c->list, &c->room, c->count, sizeof *c->list) != 0)
        return NULL;
    struct diff_part *part = &c->list[c->count++];

    *part = (struct diff_part){.core = core};
    (void)snprintf(part->name, sizeof part->name, "%s", name);
    return &part->pairs;
}

int diff_groups_add(struct diff_groups *c, uint32_t run, unsigned side,
                    const struct report *r)
{
    struct groups g;
    int result = 0;

    groups_init(&g, r);
    for (size_t i = 0; g.by == r->by && i < g.count && result == 0; i++) {
        const struct view_scope *scope = &g.scopes[i];
        char name[NAME_PLAIN];

        if (scope->busy.samples == 0 || scope->core == VIEW_ALL_CORES)
            continue;
        struct pairs *pairs =
            pairs_of(c, groups_name(name, &g, r, scope), scope->core);

        result = pairs != NULL
                     ? diff_groups_add_scope(pairs, run, side, r->view, scope)
                     : -1;
    }
    groups_fini(&g);
    return result;
}

uint64_t diff_groups_bytes(const struct diff_groups *c, size_t runs)
{
    uint64_t bytes = c->count * (sizeof *c->list + sizeof *c->shown);

    for (size_t i = 0; i < c->count; i++)
        bytes += pairs_bytes(&c->list[i].pairs, runs) +
                 c->list[i].pairs.identities * sizeof(struct compare_row);
    return bytes;
}

/* Does the core of (p) have busy samples in each of (runs)? */
static bool is_in_all(const struct pairs *p, size_t runs)
{
    for (size_t run = 0; run < runs; run++) {
        const struct amount *a = &p->amounts[run * (p->count + 1)];
        bool any = false;

        for (size_t i = 0; i <= p->count; i++)
            any |= a[i].samples != 0;
        if (!any)
            return false;
    }
    return true;
}

/* Correct the probabilities of one core for the number of (cores), because each
 * core is a further test. */
static void correct(struct diff_group *core, size_t cores)
{
    struct compare_row *rows = core->rows;

    core->result.changed = 0;
    for (size_t i = 0; i < core->count; i++) {
        if (rows[i].verdict == COMPARE_RARE)
            continue;
        rows[i].q = fmin(1, rows[i].q * (double)cores);
        if (rows[i].verdict == COMPARE_CHANGED && rows[i].q > COMPARE_FALSE) {
            rows[i].verdict = COMPARE_SAME;
            rows[i].detectable = NAN;
        }
        core->result.changed += rows[i].verdict == COMPARE_CHANGED;
    }
}

/* Returns 0; -1 if there is no memory. */
static int state_core(const struct pairs *p, const size_t runs[2],
                      struct diff_group *core)
{
    const struct compare_input in = {.functions = p->count,
                                     .runs = {runs[0], runs[1]},
                                     .amounts = p->amounts};

    core->functions = p->functions;
    core->count = p->count;
    core->rows = calloc(p->count + 1, sizeof *core->rows);
    return core->rows != NULL && compare(&in, core->rows, &core->result) == 0
               ? 0
               : -1;
}

int diff_groups_state(struct diff_groups *c, const size_t runs[2],
                      struct diff *d)
{
    c->shown = calloc(c->count + 1, sizeof *c->shown);
    if (c->shown == NULL)
        return -1;
    d->groups = c->shown;
    for (uint32_t i = 0; i < c->count; i++) {
        struct diff_group *core = &c->shown[d->group_count];

        if (pairs_finish(&c->list[i].pairs, runs[0] + runs[1]) != 0)
            return -1;
        if (!is_in_all(&c->list[i].pairs, runs[0] + runs[1]))
            continue;
        core->core = c->list[i].core;
        core->name = c->list[i].name;
        d->group_count++;
        if (state_core(&c->list[i].pairs, runs, core) != 0)
            return -1;
    }
    for (size_t i = 0; i < d->group_count; i++)
        correct(&c->shown[i], d->group_count);
    return 0;
}

void diff_groups_fini(struct diff_groups *c)
{
    for (size_t i = 0; i < c->count; i++) {
        pairs_fini(&c->list[i].pairs);
        if (c->shown != NULL)
            free(c->shown[i].rows);
    }
    free(c->shown);
    free(c->list);
    *c = (struct diff_groups){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the table and the trees of one core, or of all cores, from paths. */
#include "view/scope.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/vec.h"

static uint64_t hash_of_row(const void *rows, uint32_t number)
{
    return hash_mix(0, ((const struct view_row *)rows)[number - 1].function);
}

/* The slot of (function); or the free slot for it. */
static uint32_t *find_slot(const struct scope *s, uint32_t function)
{
    size_t mask = s->table.size - 1;
    size_t i = hash_mix(0, function) & mask;

    for (uint32_t n; (n = s->table.slots[i]) != 0; i = (i + 1) & mask)
        if (s->scope.rows[n - 1].function == function)
            break;
    return &s->table.slots[i];
}

/* The row of (function). NULL if there is no memory. */
static struct view_row *row_of(struct scope *s, uint32_t function)
{
    struct view_scope *scope = &s->scope;
    struct budget all = {UINT64_MAX}; /* the owner limits the rows */

    if (vec_grow(&scope->rows, &s->row_room, scope->row_count,
                 sizeof *scope->rows) != 0 ||
        budget_table_grow(&all, &s->table, (uint32_t)scope->row_count,
                          hash_of_row, scope->rows) != 0)
        return NULL;

    uint32_t *slot = find_slot(s, function);
    if (*slot == 0) {
        scope->rows[scope->row_count] = (struct view_row){.function = function};
        *slot = (uint32_t)++scope->row_count;
    }
    return &scope->rows[*slot - 1];
}

/* Does step (i) of (path) have a row? */
static bool has_row(const struct path *path, size_t i)
{
    const struct path_step *step = &path->steps[i];

    if (path->unseen)
        return i == 0;
    return (step->function >= VIEW_MARKS || step->function == VIEW_OTHERS) &&
           (step->first || i == path->leaf);
}

static int add_rows(struct scope *s, const struct path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        if (!has_row(path, i))
            continue;

        struct view_row *row = row_of(s, path->steps[i].function);
        if (row == NULL)
            return -1;
        if (path->steps[i].first)
            amount_add(&row->total, &path->amount);
        if (i == path->leaf) {
            amount_add(&row->self, &path->amount);
            row->late += path->late;
        }
        if (i == path->leaf && path->uncertain)
            amount_add(&row->uncertain, &path->amount);
    }
    return 0;
}

int scope_add(struct scope *s, const struct path *path)
{
    amount_add(&s->scope.all, &path->amount);
    if (tree_add(path->idle ? &s->idle_tree : &s->tree, path) != 0)
        return -1;
    if (path->idle) {
        amount_add(&s->scope.idle, &path->amount);
        return 0;
    }
    amount_add(&s->scope.busy, &path->amount);
    s->scope.late += path->late;
    if (path->uncertain)
        amount_add(&s->scope.uncertain, &path->amount);
    if (path->unseen)
        amount_add(&s->scope.unseen, &path->amount);
    return add_rows(s, path);
}

/* Order by falling time; equal times by function, and so by name. */
static int compare_rows(const void *a, const void *b)
{
    const struct view_row *left = a, *right = b;

    if (left->self.time != right->self.time)
        return left->self.time < right->self.time ? 1 : -1;
    if (left->total.time != right->total.time)
        return left->total.time < right->total.time ? 1 : -1;
    return (left->function > right->function) -
           (left->function < right->function);
}

void scope_count_nodes(const struct scope *s, struct smallest_first *f)
{
    tree_count(&s->tree, f);
    tree_count(&s->idle_tree, f);
}

size_t scope_fold_nodes(struct scope *s, double least)
{
    /* an idle path ends in the mark VIEW_IDLE */
    (void)tree_fold(&s->idle_tree, least, VIEW_IDLE);
    return tree_fold(&s->tree, least, VIEW_OTHERS);
}

void scope_count_rows(const struct scope *s, struct smallest_first *f)
{
    for (size_t i = 0; i < s->scope.row_count; i++)
        smallest_first_count(f, s->scope.rows[i].total.time);
}

/*
 * Add up the rows to fold in the row of VIEW_OTHERS, which the first of them
 * becomes if there is none yet. Move the other rows together. Returns the
 * number of folded rows.
 */
static size_t compact_rows(struct scope *s, double least)
{
    struct view_row *rows = s->scope.rows, others = {.function = VIEW_OTHERS};
    size_t kept = 0, folded = 0;

    for (size_t i = 0; i < s->scope.row_count; i++) {
        bool is_mark = rows[i].function == VIEW_OTHERS;

        if (rows[i].total.time >= least && !is_mark) {
            rows[kept++] = rows[i];
            continue;
        }
        amount_add(&others.self, &rows[i].self);
        amount_add(&others.total, is_mark ? &rows[i].total : &rows[i].self);
        amount_add(&others.uncertain, &rows[i].uncertain);
        others.late += rows[i].late;
        folded += !is_mark;
    }
    if (others.total.samples != 0)
        rows[kept++] = others;
    s->scope.row_count = kept;
    return folded;
}

size_t scope_fold_rows(struct scope *s, double least)
{
    size_t folded = compact_rows(s, least);

    if (s->table.size == 0)
        return 0;
    memset(s->table.slots, 0, s->table.size * sizeof *s->table.slots);
    for (size_t i = 0; i < s->scope.row_count; i++)
        *find_slot(s, s->scope.rows[i].function) = (uint32_t)i + 1;
    smallest_first_shrink(&s->scope.rows, &s->row_room, s->scope.row_count,
                          sizeof *s->scope.rows);
    return folded;
}

int scope_finish(struct scope *s)
{
    if (s->scope.row_count != 0)
        qsort(s->scope.rows, s->scope.row_count, sizeof *s->scope.rows,
              compare_rows);
    if (tree_finish(&s->tree) != 0 || tree_finish(&s->idle_tree) != 0)
        return -1;
    s->scope.tree = s->tree.tree;
    s->scope.idle_tree = s->idle_tree.tree;
    return 0;
}

void scope_fini(struct scope *s)
{
    free(s->scope.rows);
    free(s->table.slots);
    tree_fini(&s->tree);
    tree_fini(&s->idle_tree);
}

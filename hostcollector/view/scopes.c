/* SPDX-License-Identifier: BSD-2-Clause */
/* The scopes of all cores and of their total. */
#include "view/scopes.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

static uint64_t hash_of_row(const void *rows, uint32_t number)
{
    return hash_mix(0, ((const struct view_row *)rows)[number - 1].function);
}

/* Returns the slot of (function), or the free slot for (function). */
static uint32_t *find_slot(const struct scope *s, uint32_t function)
{
    size_t mask = s->table.size - 1;
    size_t i = hash_mix(0, function) & mask;

    for (uint32_t n; (n = s->table.slots[i]) != 0; i = (i + 1) & mask)
        if (s->scope.rows[n - 1].function == function)
            break;
    return &s->table.slots[i];
}

/* The row of (function). */
static struct view_row *row_of(struct scope *s, uint32_t function)
{
    struct view_scope *scope = &s->scope;
    uint32_t *slot = find_slot(s, function);

    if (*slot == 0) {
        scope->rows[scope->row_count] = (struct view_row){.function = function};
        *slot = (uint32_t)++scope->row_count;
    }
    return &scope->rows[*slot - 1];
}

/* Make room for the rows of (path). */
static int make_room_for_rows(struct scope *s, const struct path *path,
                              struct budget *b)
{
    struct view_row *rows =
        budget_grow(b, s->scope.rows, &s->row_room,
                    s->scope.row_count + path->count, sizeof *rows);

    if (rows == NULL)
        return -1;
    s->scope.rows = rows;
    return budget_table_grow(b, &s->table, (uint32_t)s->scope.row_count,
                             path->count, hash_of_row, rows);
}

/* Make room for (path). */
static int scope_make_room(struct scope *s, const struct path *path,
                           struct budget *b)
{
    if (path->idle)
        return tree_make_room(&s->idle_tree, path, b);
    return tree_make_room(&s->tree, path, b) == 0
               ? make_room_for_rows(s, path, b)
               : -1;
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

/* Count (time) for or against the candidate of (votes). Returns whether the
 * candidate is replaced. If a candidate has more than half of all time, it wins
 * (Boyer and Moore). */
static bool vote(double *votes, bool is_candidate, double time)
{
    *votes += is_candidate ? time : -time;
    if (*votes >= 0)
        return false;
    *votes = -*votes;
    return true;
}

static void add_off(struct view_row *row, const struct path *path)
{
    uint32_t caller = path->leaf != 0 && !path->uncertain
                          ? path->steps[path->leaf - 1].function
                          : VIEW_UNCERTAIN;

    row->off += path->amount.time;
    if (vote(&row->off_by_votes, row->off_by == caller, path->amount.time))
        row->off_by = caller;
}

static void add_slow(struct view_row *row, const struct path *path)
{
    const char *name = holdup_name(path->holdup); /* one for each holdup */

    row->slow += path->amount.time;
    if (vote(&row->after_votes, row->after == name, path->amount.time))
        row->after = name;
}

static void add_holdup(struct view_row *row, const struct path *path)
{
    if (holdup_is_gate(path->holdup))
        add_off(row, path);
    else if (holdup_is_slow(path->holdup))
        add_slow(row, path);
}

static void add_rows(struct scope *s, const struct path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        if (!has_row(path, i))
            continue;

        struct view_row *row = row_of(s, path->steps[i].function);

        if (path->steps[i].first)
            amount_add(&row->total, &path->amount);
        if (i == path->leaf) {
            amount_add(&row->self, &path->amount);
            row->late += path->late;
            if (path->moved)
                row->moved += path->amount.time;
            add_holdup(row, path);
        }
        if (i == path->leaf && path->uncertain)
            amount_add(&row->uncertain, &path->amount);
    }
}

/* Add (path). */
static void scope_add(struct scope *s, const struct path *path)
{
    amount_add(&s->scope.all, &path->amount);
    tree_add(path->idle ? &s->idle_tree : &s->tree, path);
    if (path->idle) {
        amount_add(&s->scope.idle, &path->amount);
        return;
    }
    amount_add(&s->scope.busy, &path->amount);
    s->scope.late += path->late;
    if (path->uncertain)
        amount_add(&s->scope.uncertain, &path->amount);
    if (path->unseen)
        amount_add(&s->scope.unseen, &path->amount);
    add_rows(s, path);
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

/* Count the times of nodes, or of rows, in (f). */
static void scope_count_nodes(const struct scope *s, struct smallest_first *f)
{
    tree_count(&s->tree, f);
    tree_count(&s->idle_tree, f);
}

/*
 * Fold branches, or rows, with less time than (least) into VIEW_OTHERS; fold
 * idle branches into VIEW_IDLE. Returns the number of folded branches or rows,
 * without idle branches.
 */
static size_t scope_fold_nodes(struct scope *s, double least, struct budget *b)
{
    /* an idle path ends in the mark VIEW_IDLE */
    (void)tree_fold(&s->idle_tree, least, VIEW_IDLE, b);
    return tree_fold(&s->tree, least, VIEW_OTHERS, b);
}

static void scope_count_rows(const struct scope *s, struct smallest_first *f)
{
    for (size_t i = 0; i < s->scope.row_count; i++)
        smallest_first_count(f, s->scope.rows[i].total.time);
}

/* Put the rows with less time than (least), and the old row of VIEW_OTHERS,
 * into one row of VIEW_OTHERS behind the other rows. Returns the number of
 * folded rows. */
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
        others.off += rows[i].off;
        others.slow += rows[i].slow;
        others.moved += rows[i].moved;
        folded += !is_mark;
    }
    if (others.total.samples != 0)
        rows[kept++] = others;
    s->scope.row_count = kept;
    return folded;
}

static size_t scope_fold_rows(struct scope *s, double least, struct budget *b)
{
    size_t folded = compact_rows(s, least);

    if (s->table.size == 0)
        return 0;
    memset(s->table.slots, 0, s->table.size * sizeof *s->table.slots);
    for (size_t i = 0; i < s->scope.row_count; i++)
        *find_slot(s, s->scope.rows[i].function) = (uint32_t)i + 1;
    budget_shrink(b, &s->scope.rows, &s->row_room, s->scope.row_count,
                  sizeof *s->scope.rows);
    return folded;
}

/* Sort rows and trees. Returns 0; -1 if there is no memory. */
static int scope_finish(struct scope *s)
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

/* Release all that (s) holds, including the rows and trees of its scope. */
static void scope_fini(struct scope *s)
{
    free(s->scope.rows);
    free(s->table.slots);
    tree_fini(&s->tree);
    tree_fini(&s->idle_tree);
}

static size_t scope_nodes(const struct scope *s)
{
    return s->tree.tree.node_count + s->idle_tree.tree.node_count;
}

/* qsort() passes no context. */
static const struct profile_thread *sorted_threads;

static int by_samples(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double left = sorted_threads[x - 1].sampled;
    double right = sorted_threads[y - 1].sampled;

    return left != right ? (left < right ? 1 : -1) : (x > y) - (x < y);
}

/* The numbers of the threads with samples, by falling time. NULL if there is no
 * memory. */
static uint32_t *sort_threads(const struct profile *p, size_t *count)
{
    uint32_t *list = calloc(p->thread_count + 1, sizeof *list);

    for (uint32_t i = 0; list != NULL && i < p->thread_count; i++)
        if (p->threads[i].sampled > 0)
            list[(*count)++] = i + 1;
    sorted_threads = p->threads;
    if (list != NULL)
        qsort(list, *count, sizeof *list, by_samples);
    return list;
}

/* Choose scopes for the threads of (p), behind those of cores. Returns 0; -1 if
 * there is no memory. */
static int choose_threads(struct scopes *s, const struct profile *p)
{
    size_t count = 0;
    uint32_t *list = sort_threads(p, &count);

    s->threads = p->thread_count + 1;
    s->by_thread = calloc(s->threads, sizeof *s->by_thread);
    if (list == NULL || s->by_thread == NULL) {
        free(list);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        size_t own = i < VIEW_THREADS ? i : VIEW_THREADS;

        s->by_thread[list[i]] = (uint32_t)(s->first_thread + own);
        s->cores[s->first_thread + own].scope.core =
            i < VIEW_THREADS ? list[i] : VIEW_ALL_CORES;
    }
    s->core_count += count < VIEW_THREADS ? count : VIEW_THREADS + 1;
    s->cores[s->core_count].scope.core = 0;
    s->by_thread[0] = (uint32_t)s->core_count++;
    free(list);
    return 0;
}

int scopes_init(struct scopes *s, const struct profile *p)
{
    size_t with_samples = 0;

    s->core_count = s->first_thread = p->core_count;
    s->total.scope.core = VIEW_ALL_CORES;
    s->cores = calloc(p->core_count + SCOPES_OF_THREADS, sizeof *s->cores);
    if (s->cores == NULL)
        return -1;
    for (size_t i = 0; i < p->core_count; i++) {
        s->cores[i].scope.core = p->cores[i].core;
        if (p->cores[i].total.samples == 0)
            continue;
        s->only = with_samples++ == 0 ? &s->cores[i] : NULL;
    }
    return p->thread_count != 0 ? choose_threads(s, p) : 0;
}

static uint64_t spare(const struct scope *s)
{
    size_t rooms = s->tree.room + s->idle_tree.room;

    return (rooms - scope_nodes(s)) * sizeof(struct view_node) +
           (s->row_room - s->scope.row_count) * sizeof(struct view_row);
}

uint64_t scopes_spare(const struct scopes *s)
{
    uint64_t bytes = spare(&s->total);

    for (size_t i = 0; i < s->core_count; i++)
        bytes += spare(&s->cores[i]);
    return bytes;
}

static void trim_tree(struct tree *t, struct budget *b)
{
    budget_shrink(b, &t->tree.nodes, &t->room, t->tree.node_count,
                  sizeof *t->tree.nodes);
}

static void trim(struct scope *s, struct budget *b)
{
    trim_tree(&s->tree, b);
    trim_tree(&s->idle_tree, b);
    budget_shrink(b, &s->scope.rows, &s->row_room, s->scope.row_count,
                  sizeof *s->scope.rows);
}

void scopes_trim(struct scopes *s, struct budget *b)
{
    trim(&s->total, b);
    for (size_t i = 0; i < s->core_count; i++)
        trim(&s->cores[i], b);
}

void scopes_fold_nodes(struct scopes *s, struct budget *b)
{
    size_t folded = 0;

    scope_count_nodes(&s->total, &s->fold);
    for (size_t i = 0; i < s->core_count; i++)
        scope_count_nodes(&s->cores[i], &s->fold);
    /* a quarter: a node that stays may get a child for folded ones */
    double least = smallest_first_least(&s->fold, s->nodes / 4);

    folded = scope_fold_nodes(&s->total, least, b);
    s->nodes = scope_nodes(&s->total);
    for (size_t i = 0; i < s->core_count; i++) {
        size_t of_core = scope_fold_nodes(&s->cores[i], least, b);

        if (s->only != NULL)
            folded += of_core;
        s->nodes += scope_nodes(&s->cores[i]);
    }
    s->folded += folded;
}

void scopes_fold_rows(struct scopes *s, struct budget *b)
{
    scope_count_rows(&s->total, &s->fold);
    for (size_t i = 0; i < s->core_count; i++)
        scope_count_rows(&s->cores[i], &s->fold);
    double least = smallest_first_least(&s->fold, s->rows / 2);

    s->folded += scope_fold_rows(&s->total, least, b);
    s->rows = s->total.scope.row_count;
    for (size_t i = 0; i < s->core_count; i++) {
        s->folded += scope_fold_rows(&s->cores[i], least, b);
        s->rows += s->cores[i].scope.row_count;
    }
}

/* Add (path) to (scope), one of (s). */
static void add_to(struct scopes *s, struct scope *scope,
                   const struct path *path)
{
    size_t nodes = scope_nodes(scope), rows = scope->scope.row_count;

    scope_add(scope, path);
    s->nodes += scope_nodes(scope) - nodes;
    s->rows += scope->scope.row_count - rows;
}

/* The scope of (thread). NULL if threads have none. */
static struct scope *thread_scope(struct scopes *s, uint32_t thread)
{
    return s->by_thread != NULL
               ? &s->cores[s->by_thread[thread < s->threads ? thread : 0]]
               : NULL;
}

int scopes_make_room(struct scopes *s, size_t core, uint32_t thread,
                     const struct path *path, struct budget *b)
{
    struct scope *of_thread = thread_scope(s, thread);

    if (scope_make_room(&s->cores[core], path, b) != 0 ||
        (of_thread != NULL && scope_make_room(of_thread, path, b) != 0))
        return -1;
    return s->only == NULL ? scope_make_room(&s->total, path, b) : 0;
}

void scopes_add(struct scopes *s, size_t core, uint32_t thread,
                const struct path *path)
{
    struct scope *of_thread = thread_scope(s, thread);

    add_to(s, &s->cores[core], path);
    if (of_thread != NULL)
        add_to(s, of_thread, path);
    if (s->only == NULL)
        add_to(s, &s->total, path);
}

int scopes_finish(struct scopes *s)
{
    for (size_t i = 0; i < s->core_count; i++)
        if (scope_finish(&s->cores[i]) != 0)
            return -1;
    if (s->only == NULL)
        return scope_finish(&s->total);
    s->total.scope = s->only->scope;
    s->total.scope.core = VIEW_ALL_CORES;
    return 0;
}

void scopes_fini(struct scopes *s)
{
    for (size_t i = 0; s->cores != NULL && i < s->core_count; i++)
        scope_fini(&s->cores[i]);
    if (s->only == NULL)
        scope_fini(&s->total);
    free(s->cores);
    free(s->by_thread);
}

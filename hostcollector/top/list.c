/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts and filters rows of the view, and finds callers in its trees. */
#include "top/top.h"

#include <stdlib.h>
#include <string.h>

#include "diagnose/lateness.h"
#include "util/hash.h"
#include "util/vec.h"

#define DEPTH_MAX 32u /* limit of callers opened below each other */

/* Returns a number for (name) below the name of key (above); (above) is 0 at
 * the top level. */
static uint64_t name_key(uint64_t above, const char *name)
{
    uint64_t key = hash_mix(above, 1);

    for (; *name != '\0'; name++)
        key = hash_mix(key, (unsigned char)*name);
    return key != 0 ? key : 1;
}

static const char *name_of(const struct top *t, uint32_t function)
{
    return t->view->functions[function].name;
}

/* Changes */

/* Return the share that share_of() gives, without its interval. */
static double share_of_scope(const struct top *t,
                             const struct view_scope *scope,
                             const struct amount *part)
{
    const struct amount *whole = t->of_busy ? &scope->busy : &scope->all;

    return whole->time > 0 ? part->time / whole->time : 0;
}

static void remember_scope(struct top *t, const struct view_scope *scope)
{
    for (size_t i = 0; i < scope->row_count; i++) {
        const struct view_row *row = &scope->rows[i];
        uint64_t key = name_key(0, name_of(t, row->function));
        uint32_t *place;

        if (vec_grow(&t->shares_now, &t->now_room, t->now_count,
                     sizeof *t->shares_now) != 0)
            return; /* then without a change */
        place = map_put(&t->now, key, scope->core);
        if (place == NULL)
            return;
        *place = (uint32_t)t->now_count;
        t->shares_now[t->now_count++] = share_of_scope(t, scope, &row->self);
    }
}

void list_remember(struct top *t)
{
    struct pair_map map = t->before;
    double *shares = t->shares;
    size_t room = t->share_room;

    /* shares of different windows are not compared */
    bool same =
        t->shares_window == t->window && t->shares_of_busy == t->of_busy;

    t->before = t->now;
    t->shares = t->shares_now;
    t->share_count = same ? t->now_count : 0;
    t->share_room = t->now_room;
    map_fini(&map);
    t->now = map;
    t->shares_now = shares;
    t->now_room = room;
    t->now_count = 0;
    t->shares_window = t->window;
    t->shares_of_busy = t->of_busy;
    remember_scope(t, &t->view->total);
    for (size_t i = 0; i < t->view->core_count; i++)
        remember_scope(t, &t->view->cores[i]);
}

static void set_change(const struct top *t, const struct view_scope *scope,
                       struct top_item *item)
{
    uint32_t place = map_get(&t->before, item->key, scope->core);
    bool known = place < t->share_count;

    item->has_change = t->share_count != 0 && t->shares_window == t->window &&
                       t->shares_of_busy == t->of_busy;
    if (item->has_change)
        item->change = share_of_scope(t, scope, &item->self) -
                       (known ? t->shares[place] : 0);
}

/* Items */

static struct top_item *add_item(struct top *t)
{
    if (vec_grow(&t->items, &t->item_room, t->item_count, sizeof *t->items) !=
        0) {
        t->no_memory = true;
        return NULL;
    }
    struct top_item *item = &t->items[t->item_count++];

    *item = (struct top_item){0};
    return item;
}

static bool is_open(const struct top *t, uint64_t key)
{
    return map_get(&t->opened, key, 0) == 1;
}

/* Does (name) contain the filter, regardless of case? */
static bool passes(const char *name, const char *filter)
{
    return filter[0] == '\0' || strcasestr(name, filter) != NULL;
}

static const char *filter_of(const struct top *t)
{
    return t->typing ? t->typed : t->filter;
}

static void add_amount(struct amount *sum, const struct amount *a)
{
    sum->samples += a->samples;
    sum->time += a->time;
    sum->time_sq += a->time_sq;
}

static void add_functions(struct top *t, const struct view_scope *scope)
{
    for (size_t i = 0; i < scope->row_count; i++) {
        const struct view_row *row = &scope->rows[i];
        const char *name = name_of(t, row->function);
        struct top_item *item = passes(name, filter_of(t)) ? add_item(t) : NULL;

        if (item == NULL)
            continue;
        item->function = row->function;
        item->key = name_key(0, name);
        item->self = row->self;
        item->total = row->total;
        item->late = lateness_part(row->late, row->self.time);
        item->leads = true;
        item->open = is_open(t, item->key);
        set_change(t, scope, item);
    }
}

/* Add the functions in which cores slept: the callers of the mark of idle
 * time. */
static void add_waits(struct top *t, const struct view_scope *scope)
{
    const struct view_node *nodes = scope->idle_tree.nodes;

    for (uint32_t n = 1; n < scope->idle_tree.node_count; n++) {
        uint32_t function = nodes[nodes[n].parent].function;
        size_t i = 0;

        if (nodes[n].function != VIEW_IDLE || nodes[n].parent == 0 ||
            !passes(name_of(t, function), filter_of(t)))
            continue;
        while (i < t->item_count && t->items[i].function != function)
            i++;
        struct top_item *item = i < t->item_count ? &t->items[i] : add_item(t);

        if (item == NULL)
            return;
        item->function = function;
        item->key = name_key(0, name_of(t, function));
        item->leads |= nodes[nodes[n].parent].parent != 0;
        add_amount(&item->self, &nodes[n].total);
        add_amount(&item->total, &nodes[n].total);
    }
}

/* Callers */

/* The nodes from a caller down to the function whose callers are listed. */
struct chain {
    uint32_t functions[DEPTH_MAX]; /* innermost first */
    uint32_t count;
};

/* Is node (n) of (tree) the outermost one of its function on its branch? */
static bool is_outermost(const struct view_tree *tree, uint32_t n)
{
    uint32_t function = tree->nodes[n].function;

    while ((n = tree->nodes[n].parent) != 0)
        if (tree->nodes[n].function == function)
            return false;
    return true;
}

/* The node above the nodes of (chain), whose innermost node is (n). 0 if there
 * is none, or if it stands for other functions. */
static uint32_t above(const struct view_tree *tree, uint32_t n,
                      const struct chain *chain)
{
    for (uint32_t i = 0; i < chain->count; i++) {
        if (n == 0 || tree->nodes[n].function != chain->functions[i])
            return 0;
        n = tree->nodes[n].parent;
    }
    return n;
}

/* Append the callers of (chain), each once. */
static void add_callers(struct top *t, const struct view_tree *tree,
                        const struct chain *chain, uint64_t key)
{
    size_t first = t->item_count;

    for (uint32_t n = 1; n < tree->node_count; n++) {
        uint32_t caller = above(tree, n, chain);
        size_t i = first;

        if (caller == 0 || !is_outermost(tree, n))
            continue;
        while (i < t->item_count &&
               t->items[i].function != tree->nodes[caller].function)
            i++;
        struct top_item *item = i < t->item_count ? &t->items[i] : add_item(t);

        if (item == NULL)
            return;
        item->function = tree->nodes[caller].function;
        item->depth = chain->count;
        item->key = name_key(key, name_of(t, item->function));
        item->leads |= tree->nodes[caller].parent != 0;
        add_amount(&item->total, &tree->nodes[n].total);
    }
}

static int compare_total(const void *a, const void *b)
{
    const struct top_item *left = a, *right = b;

    if (left->total.time != right->total.time)
        return left->total.time < right->total.time ? 1 : -1;
    return left->function < right->function ? -1
                                            : left->function > right->function;
}

/* Move the (count) items after (from) to before (to). */
static void move_items(struct top *t, size_t from, size_t count, size_t to)
{
    struct top_item *copy = calloc(count + 1, sizeof *copy);

    if (copy == NULL) {
        t->item_count = from;
        t->no_memory = true;
        return;
    }
    memcpy(copy, t->items + from, count * sizeof *copy);
    memmove(t->items + to + count, t->items + to,
            (from - to) * sizeof *t->items);
    memcpy(t->items + to, copy, count * sizeof *copy);
    free(copy);
}

/* Insert the callers of each open item after the item. Callers may be open,
 * too. */
static void open_items(struct top *t, const struct view_scope *scope)
{
    struct chain chain = {.count = 0};

    for (size_t i = 0; i < t->item_count && !t->no_memory; i++) {
        size_t end = t->item_count;

        chain.count = t->items[i].depth;
        if (chain.count >= DEPTH_MAX - 1)
            continue;
        chain.functions[chain.count++] = t->items[i].function;
        t->items[i].open = is_open(t, t->items[i].key);
        if (!t->items[i].open)
            continue;
        add_callers(t, top_tree(t, scope), &chain, t->items[i].key);
        qsort(t->items + end, t->item_count - end, sizeof *t->items,
              compare_total);
        move_items(t, end, t->item_count - end, i + 1);
    }
}

/* Sorting */

static double value_of(const struct top_item *item, enum top_sort sort)
{
    switch (sort) {
    case TOP_BY_TOTAL:
        return item->total.time;
    case TOP_BY_CHANGE:
        return item->change < 0 ? -item->change : item->change;
    case TOP_BY_LATE:
        return item->late * item->self.time;
    case TOP_BY_SELF:
    case TOP_BY_NAME:
    case TOP_SORTS:
        break;
    }
    return item->self.time;
}

static int compare(const struct top_item *a, const struct top_item *b,
                   enum top_sort sort)
{
    double left = value_of(a, sort), right = value_of(b, sort);

    /* functions are numbered in the order of names */
    if (sort == TOP_BY_NAME || left == right)
        return a->function < b->function ? -1 : a->function > b->function;
    return left < right ? 1 : -1;
}

/* Static, because qsort() passes no context. */
#define COMPARE(name, sort)                                                    \
    static int name(const void *a, const void *b)                              \
    {                                                                          \
        return compare(a, b, sort);                                            \
    }
COMPARE(by_self, TOP_BY_SELF)
COMPARE(by_total, TOP_BY_TOTAL)
COMPARE(by_change, TOP_BY_CHANGE)
COMPARE(by_late, TOP_BY_LATE)
COMPARE(by_name, TOP_BY_NAME)

static void sort_items(struct top *t)
{
    static int (*const orders[TOP_SORTS])(const void *, const void *) = {
        by_self, by_total, by_change, by_late, by_name};

    if (t->item_count != 0)
        qsort(t->items, t->item_count, sizeof *t->items, orders[t->sort]);
}

/* Selecting */

void list_select(struct top *t, size_t at)
{
    if (at >= t->item_count)
        at = t->item_count != 0 ? t->item_count - 1 : 0;
    t->at = at;
    t->selected = at != 0 ? t->items[at].key : 0;
}

/* Find the selected item, which may be at another place now. */
static void find_selected(struct top *t)
{
    size_t i = 0;

    if (t->selected == 0) {
        t->at = 0;
        return;
    }
    while (i < t->item_count && t->items[i].key != t->selected)
        i++;
    if (i < t->item_count)
        t->at = i;
    else
        list_select(t, t->at);
}

void list_open(struct top *t)
{
    if (t->at >= t->item_count || !t->items[t->at].leads)
        return;
    uint32_t *place = map_put(&t->opened, t->items[t->at].key, 0);

    if (place != NULL)
        *place = *place != 1;
    t->selected = t->items[t->at].key;
    list_make(t);
}

void list_make(struct top *t)
{
    const struct view_scope *scope = top_scope(t);

    t->item_count = 0;
    t->no_memory = false;
    if (scope != NULL) {
        if (t->idle)
            add_waits(t, scope);
        else
            add_functions(t, scope);
        sort_items(t);
        open_items(t, scope);
    }
    find_selected(t);
}

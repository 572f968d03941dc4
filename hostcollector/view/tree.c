/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a call tree from paths, and folds its small branches. */
#include "view/scopes.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

/* Marks a node that tree_fold() removes. */
#define GONE UINT32_MAX

static uint64_t child_hash(uint32_t parent, uint32_t function, bool inlined)
{
    return hash_mix(hash_mix(0, parent), (uint64_t)function << 1 | inlined);
}

static uint64_t hash_of_node(const void *nodes, uint32_t number)
{
    const struct view_node *n = (const struct view_node *)nodes + number;

    return child_hash(n->parent, n->function, n->inlined);
}

/* Returns the slot of (step) below (parent), or the free slot for (step). */
static uint32_t *find_slot(const struct tree *t, uint32_t parent,
                           const struct path_step *step)
{
    const struct view_node *nodes = t->tree.nodes;
    size_t mask = t->children.size - 1;
    size_t i = child_hash(parent, step->function, step->inlined) & mask;

    for (uint32_t n; (n = t->children.slots[i]) != 0; i = (i + 1) & mask)
        if (nodes[n].parent == parent && nodes[n].function == step->function &&
            nodes[n].inlined == step->inlined)
            break;
    return &t->children.slots[i];
}

/* The node of (step) below (parent). */
static uint32_t child_of(struct tree *t, uint32_t parent,
                         const struct path_step *step)
{
    uint32_t *slot = find_slot(t, parent, step);
    struct view_node *nodes = t->tree.nodes;

    if (*slot == 0) {
        *slot = (uint32_t)t->tree.node_count++;
        nodes[*slot] = (struct view_node){.function = step->function,
                                          .inlined = step->inlined,
                                          .parent = parent,
                                          .next = nodes[parent].child};
        nodes[parent].child = *slot;
    }
    return *slot;
}

int tree_make_room(struct tree *t, const struct path *path, struct budget *b)
{
    size_t count = t->tree.node_count != 0 ? t->tree.node_count : 1;
    struct view_node *nodes = t->tree.nodes;

    if (budget_table_grow(b, &t->children, (uint32_t)count - 1, path->branch,
                          hash_of_node, nodes) != 0)
        return -1;
    nodes =
        budget_grow(b, nodes, &t->room, count + path->branch, sizeof *nodes);
    if (nodes == NULL)
        return -1;
    t->tree.nodes = nodes;
    return 0;
}

void tree_add(struct tree *t, const struct path *path)
{
    struct view_node *nodes = t->tree.nodes;
    uint32_t at = 0;

    if (t->tree.node_count == 0)
        nodes[t->tree.node_count++] = (struct view_node){.function = 0};
    amount_add(&nodes[0].total, &path->amount);
    for (size_t i = 0; i < path->branch; i++) {
        at = child_of(t, at, &path->steps[i]);
        amount_add(&nodes[at].total, &path->amount);
    }
    amount_add(&nodes[at].self, &path->amount);
}

void tree_count(const struct tree *t, struct smallest_first *f)
{
    for (size_t i = 1; i < t->tree.node_count; i++)
        smallest_first_count(f, t->tree.nodes[i].total.time);
}

/*
 * Fold the tree in place. Until compact(), two members of a node have other
 * meanings: (next) is the node's new place. (child) is its child for (mark), or
 * 0 if it has none, or GONE if the node itself has become a mark.
 */

static void find_marks(struct tree *t, uint32_t mark)
{
    struct view_node *nodes = t->tree.nodes;

    for (size_t i = 0; i < t->tree.node_count; i++)
        nodes[i].child = 0;
    for (uint32_t i = 1; i < t->tree.node_count; i++)
        if (nodes[i].function == mark)
            nodes[nodes[i].parent].child = i;
}

/*
 * Fold node (i), whose parent stays. If the parent is a mark, (i) goes into the
 * parent. Else (i) goes into the parent's child (mark), or becomes that child
 * if there is none. Returns whether (i) stays.
 */
static bool fold_node(struct view_node *nodes, uint32_t i, uint32_t mark)
{
    struct view_node *n = &nodes[i], *parent = &nodes[n->parent];

    if (parent->function == mark && n->parent != 0) {
        amount_add(&parent->self, &n->total);
        return false;
    }
    if (parent->child != 0) {
        amount_add(&nodes[parent->child].total, &n->total);
        amount_add(&nodes[parent->child].self, &n->total);
        return false;
    }
    parent->child = i;
    n->child = GONE;
    n->function = mark;
    n->inlined = false;
    n->self = n->total;
    return true;
}

/* Decide which nodes stay, and their new places. Returns the number of folded
 * branches. */
static size_t choose(struct tree *t, double least, uint32_t mark)
{
    struct view_node *nodes = t->tree.nodes;
    uint32_t kept = 1;
    size_t folded = 0;

    nodes[0].next = 0;
    for (uint32_t i = 1; i < t->tree.node_count; i++) {
        struct view_node *n = &nodes[i], *parent = &nodes[n->parent];
        bool stays = n->total.time >= least || parent->child == i;

        if (parent->next == GONE || parent->child == GONE) {
            stays = false; /* the parent's sums have it */
        } else if (!stays) {
            folded++;
            stays = fold_node(nodes, i, mark);
        }
        n->next = stays ? kept++ : GONE;
    }
    return folded;
}

/* Move the nodes to their new places. */
static void compact(struct tree *t)
{
    struct view_node *nodes = t->tree.nodes;
    size_t kept = 1;

    nodes[0].child = 0;
    for (size_t i = 1; i < t->tree.node_count; i++)
        nodes[i].parent = nodes[nodes[i].parent].next;
    for (size_t i = 1; i < t->tree.node_count; i++)
        if (nodes[i].next != GONE)
            nodes[kept++] = nodes[i];
    t->tree.node_count = kept;
}

static void link_children(struct tree *t)
{
    struct view_node *nodes = t->tree.nodes;
    struct budget_table *table = &t->children;

    while (table->size / 4 > t->tree.node_count)
        table->size /= 2;
    memset(table->slots, 0, table->size * sizeof *table->slots);
    for (size_t i = 0; i < t->tree.node_count; i++)
        nodes[i].child = nodes[i].next = 0;
    for (uint32_t i = 1; i < t->tree.node_count; i++) {
        struct path_step step = {.function = nodes[i].function,
                                 .inlined = nodes[i].inlined};

        *find_slot(t, nodes[i].parent, &step) = i;
        nodes[i].next = nodes[nodes[i].parent].child;
        nodes[nodes[i].parent].child = i;
    }
}

size_t tree_fold(struct tree *t, double least, enum view_mark mark,
                 struct budget *b)
{
    size_t folded, size = t->children.size;

    if (t->tree.node_count == 0)
        return 0;
    find_marks(t, mark);
    folded = choose(t, least, mark);
    compact(t);
    link_children(t);
    budget_shrink(b, &t->tree.nodes, &t->room, t->tree.node_count,
                  sizeof *t->tree.nodes);
    budget_shrink(b, &t->children.slots, &size, t->children.size,
                  sizeof *t->children.slots);
    return folded;
}

/* A child to sort: by falling time; equal times by function, and so by name. */
struct child {
    uint32_t number;
    uint32_t key; /* function, then inlined */
    double time;
};

static int compare_children(const void *a, const void *b)
{
    const struct child *left = a, *right = b;

    if (left->time != right->time)
        return left->time < right->time ? 1 : -1;
    return (left->key > right->key) - (left->key < right->key);
}

/* Number of children of the node that has most of them. */
static size_t largest_family(const struct view_tree *tree)
{
    size_t most = 0;

    for (size_t i = 0; i < tree->node_count; i++) {
        size_t count = 0;

        for (uint32_t c = tree->nodes[i].child; c != 0; c = tree->nodes[c].next)
            count++;
        most = count > most ? count : most;
    }
    return most;
}

/* Sort the children of one node. (room) has room for all of them. */
static void sort_children(struct view_node *nodes, struct view_node *parent,
                          struct child *room)
{
    size_t n = 0;

    for (uint32_t i = parent->child; i != 0; i = nodes[i].next)
        room[n++] = (struct child){i, nodes[i].function << 1 | nodes[i].inlined,
                                   nodes[i].total.time};
    qsort(room, n, sizeof *room, compare_children);
    parent->child = 0;
    while (n-- > 0) {
        nodes[room[n].number].next = parent->child;
        parent->child = room[n].number;
    }
}

int tree_finish(struct tree *t)
{
    struct view_tree *tree = &t->tree;

    /* no samples: common where a guest has many cores */
    if (tree->node_count == 0)
        return 0;
    struct child *room = calloc(largest_family(tree) + 1, sizeof *room);

    if (room == NULL)
        return -1;
    for (size_t i = 0; i < tree->node_count; i++)
        sort_children(tree->nodes, &tree->nodes[i], room);
    free(room);
    return 0;
}

void tree_fini(struct tree *t)
{
    free(t->tree.nodes);
    free(t->children.slots);
}

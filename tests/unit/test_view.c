/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables and trees from a profile, with addresses as names: what is added up
 * where, what is counted once, and in which order it comes.
 */
#include "view/view_build.h"

#include <string.h>

#include "alloc.h"
#include "check.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"

#define PERIOD 1000u

static struct aggregate *aggregate;
static struct image_map *image_map;

static const struct guest guest = {
    .wire_version = TPROF_WIRE_VERSION,
    .arch = WIRE_ARCH_X86_64,
    .cores = 2,
    .tsc_hz = 1000000,
    .text_start = 0x1000,
    .text_size = 0x1000,
};

static void begin(void)
{
    const struct aggregate_config config = {0};

    aggregate = aggregate_new(&config);
    image_map = image_map_new(&(struct mapped_image){0}, 0);
    CHECK(aggregate != NULL && image_map != NULL);
    aggregate_hello(aggregate, HELLO_FIRST, &guest);
}

/* A stack from the call sites in (calls), innermost first: the return address
 * lies one byte behind each. */
static uint32_t stack(const uint64_t *calls, uint32_t depth, uint8_t end)
{
    uint64_t frames[8];

    for (uint32_t i = 0; i < depth; i++)
        frames[i] = calls[i] + 1;
    return aggregate_stack(
        aggregate, 0,
        &(struct stack){.frames = frames, .depth = depth, .end = end});
}

/* (n) samples of weight (weight). */
static void samples(uint32_t core, uint32_t on_stack, uint64_t leaf, unsigned n,
                    uint32_t weight)
{
    static uint64_t tsc = 1000;

    for (unsigned i = 0; i < n; i++) {
        tsc += PERIOD;
        struct sample s = {
            .tsc = tsc, .leaf = leaf, .stack = on_stack, .weight = weight};
        struct sample_batch batch = {
            .core = core, .period = PERIOD, .samples = &s, .count = 1};

        aggregate_samples(aggregate, &batch);
    }
}

static struct view *end(void)
{
    struct view *v = view_new(aggregate_profile(aggregate), image_map, 0);

    CHECK(v != NULL);
    return v;
}

static void fini(struct view *v)
{
    view_free(v);
    image_map_free(image_map);
    aggregate_free(aggregate);
}

static const struct view_row *
find_row(const struct view *v, const struct view_scope *scope, const char *name)
{
    for (size_t i = 0; i < scope->row_count; i++) {
        if (strcmp(v->functions[scope->rows[i].function].name, name) == 0)
            return &scope->rows[i];
    }
    return NULL;
}

/* The case fails without it. */
static const struct view_row *
row(const struct view *v, const struct view_scope *scope, const char *name)
{
    const struct view_row *r = find_row(v, scope, name);

    if (r == NULL)
        check_failed(__FILE__, __LINE__, "no row %s", name);
    return r;
}

static const struct view_node *child(const struct view *v,
                                     const struct view_tree *tree,
                                     const struct view_node *parent,
                                     const char *name)
{
    for (uint32_t i = parent->child; i != 0; i = tree->nodes[i].next) {
        if (strcmp(v->functions[tree->nodes[i].function].name, name) == 0)
            return &tree->nodes[i];
    }
    check_failed(__FILE__, __LINE__, "no child %s", name);
}

TEST(callers_are_looked_up_before_their_return_address)
{
    begin();
    samples(0, stack((uint64_t[]){0x1100}, 1, WIRE_END_ZERO), 0x1200, 1, 1);
    struct view *v = end();

    CHECK(find_row(v, &v->total, "0x1100") != NULL);
    CHECK(find_row(v, &v->total, "0x1101") == NULL);
    CHECK(find_row(v, &v->total, "0x1200") != NULL); /* the leaf itself */
    fini(v);
}

TEST(self_and_total_add_up) /* catches: a total without its callees */
{
    begin();
    uint32_t deep = stack((uint64_t[]){0x1200, 0x1100}, 2, WIRE_END_ZERO);
    uint32_t shallow = stack((uint64_t[]){0x1100}, 1, WIRE_END_ZERO);
    samples(0, deep, 0x1300, 10, 1);
    samples(0, shallow, 0x1200, 5, 1);
    samples(1, shallow, 0x1200, 7, 2);
    struct view *v = end();

    CHECK_EQ(v->total.busy.samples, 22);
    CHECK_EQ(v->total.busy.weight, 29);
    CHECK(v->total.busy.time == 29.0 * PERIOD);
    CHECK(v->total.busy.time_sq == (15.0 + 7 * 4) * PERIOD * PERIOD);
    CHECK_EQ(row(v, &v->total, "0x1100")->total.weight, 29);
    CHECK_EQ(row(v, &v->total, "0x1100")->self.weight, 0);
    CHECK_EQ(row(v, &v->total, "0x1200")->total.weight, 29);
    CHECK_EQ(row(v, &v->total, "0x1200")->self.weight, 19);
    CHECK_EQ(row(v, &v->cores[0], "0x1200")->self.weight, 5);
    CHECK_EQ(row(v, &v->cores[1], "0x1200")->self.weight, 14);
    CHECK(find_row(v, &v->cores[1], "0x1300") == NULL);
    fini(v);
}

/* Catches: a wait that is charged to what runs when its end is noticed */
TEST(time_without_ticks_is_charged_to_no_function)
{
    begin();
    samples(0, stack((uint64_t[]){0x1100}, 1, WIRE_END_ZERO), 0x1200, 3, 1);
    samples(0, stack((uint64_t[]){0x1100}, 1, WIRE_END_LENT), 0x1200, 2, 10);
    samples(0, stack((uint64_t[]){0x1100}, 1, WIRE_END_LENT), 0x1300, 1, 5);
    samples(0, stack((uint64_t[]){0x1100}, 1, WIRE_END_REST), 0x1200, 4, 7);
    struct view *v = end();
    const struct view_tree *tree = &v->total.tree;

    CHECK_EQ(v->total.busy.weight, 3 + 20 + 5 + 28);
    CHECK_EQ(v->total.unseen.weight, 20 + 5 + 28);
    CHECK_EQ(row(v, &v->total, "0x1200")->self.weight, 3);
    CHECK_EQ(row(v, &v->total, "0x1100")->total.weight, 3);
    CHECK(find_row(v, &v->total, "0x1300") == NULL);
    CHECK_EQ(row(v, &v->total, "[timer lent]")->self.weight, 25);
    CHECK_EQ(row(v, &v->total, "[timer lent]")->total.weight, 25);
    CHECK_EQ(row(v, &v->total, "[timer at rest]")->self.weight, 28);
    CHECK_EQ(v->edge_count, 1);
    CHECK_EQ(v->edges[0].amount.weight, 3);

    /* where it was noticed: below the mark, and only while that may help */
    const struct view_node *lent =
        child(v, tree, &tree->nodes[0], "[timer lent]");
    const struct view_node *in = child(v, tree, lent, "0x1100");

    CHECK_EQ(child(v, tree, in, "0x1200")->self.weight, 20);
    CHECK_EQ(child(v, tree, in, "0x1300")->self.weight, 5);
    CHECK_EQ(child(v, tree, &tree->nodes[0], "[timer at rest]")->child, 0);
    fini(v);
}

TEST(recursion_counts_once) /* catches: shares above 100 % */
{
    begin();
    uint32_t s =
        stack((uint64_t[]){0x1200, 0x1200, 0x1200, 0x1100}, 4, WIRE_END_ZERO);
    samples(0, s, 0x1200, 10, 1);
    struct view *v = end();

    CHECK_EQ(row(v, &v->total, "0x1200")->total.samples, 10);
    CHECK_EQ(row(v, &v->total, "0x1200")->self.samples, 10);
    CHECK_EQ(v->edge_count, 2);
    CHECK_EQ(v->edges[0].amount.samples, 10);
    CHECK_EQ(v->edges[1].amount.samples, 10);

    /* but each level is a node of its own in the tree */
    const struct view_tree *tree = &v->total.tree;
    const struct view_node *n = child(v, tree, &tree->nodes[0], "0x1100");
    for (int i = 0; i < 4; i++) {
        n = child(v, tree, n, "0x1200");
        CHECK_EQ(n->self.samples, i == 3 ? 10 : 0);
    }
    fini(v);
}

TEST(what_stacks_lack_is_marked)
{
    begin();
    samples(0, stack((uint64_t[]){0x1100}, 1, WIRE_END_DEPTH), 0x1200, 3, 1);
    samples(0, STACK_UNKNOWN, 0x1200, 4, 1);
    struct view *v = end();

    const struct view_tree *tree = &v->total.tree;
    CHECK_EQ(child(v, tree, &tree->nodes[0], "[deeper]")->total.samples, 3);
    const struct view_node *lost =
        child(v, tree, &tree->nodes[0], "[stack-lost]");
    CHECK_EQ(child(v, tree, lost, "0x1200")->self.samples, 4);
    /* marks are no functions: no rows */
    CHECK_EQ(v->total.row_count, 2);
    CHECK_EQ(v->ends[WIRE_END_DEPTH], 3);
    CHECK_EQ(v->ends[WIRE_END_REASONS], 4);
    fini(v);
}

TEST(order_is_by_time_then_by_name) /* catches: output that varies */
{
    begin();
    uint32_t s = stack((uint64_t[]){0x1100}, 1, WIRE_END_ZERO);
    samples(0, s, 0x1500, 2, 1);
    samples(0, s, 0x1400, 2, 1);
    samples(0, s, 0x1300, 1, 1);
    samples(0, s, 0x1600, 9, 1);
    struct view *v = end();

    static const char *const want[] = {"0x1600", "0x1400", "0x1500", "0x1300",
                                       "0x1100"};
    const struct view_tree *tree = &v->total.tree;
    uint32_t node = tree->nodes[tree->nodes[0].child].child;
    for (size_t i = 0; i < 5; i++) {
        uint32_t function = v->total.rows[i].function;

        CHECK_STR(v->functions[function].name, want[i]);
        if (i < 4)
            CHECK_STR(v->functions[tree->nodes[node].function].name, want[i]);
        node = tree->nodes[node].next;
    }
    fini(v);
}

TEST(addresses_of_another_image_are_those_of_its_file)
{
    begin();
    CHECK_EQ(image_map_add(image_map, &(struct mapped_image){.name = "app"}),
             1);
    CHECK_EQ(image_map_place(image_map, 1, 0x5000, 0x100, 0x4000), 0);
    (void)aggregate_map(aggregate, &(struct guest_map){.start = 0x5000,
                                                       .size = 0x100,
                                                       .link_start = 0x1000,
                                                       .build_id = "\xab",
                                                       .build_id_len = 1});
    /* its last call returns to where it no longer is */
    uint32_t s = stack((uint64_t[]){0x50ff, 0x1100}, 2, WIRE_END_ZERO);
    samples(0, s, 0x1200, 3, 1);
    samples(0, s, 0x5020, 4, 1);
    samples(0, STACK_UNKNOWN, LEAF_UNKNOWN, 5, 1);
    struct view *v = end();

    CHECK_EQ(row(v, &v->total, "app+0x10ff")->total.samples, 7);
    CHECK_EQ(row(v, &v->total, "app+0x1020")->self.samples, 4);
    CHECK_EQ(row(v, &v->total, "0x1100")->total.samples, 7);
    CHECK_EQ(row(v, &v->total, "[unknown]")->self.samples, 5);
    CHECK_EQ(v->without_symbol, 12);
    CHECK_EQ(v->image_count, 2);
    CHECK(v->images[0].name == NULL);
    CHECK_EQ(v->images[0].busy.samples, 3);
    CHECK_STR(v->images[1].name, "app");
    CHECK_EQ(v->images[1].busy.samples, 4); /* and five nobody knows where */
    CHECK_EQ(v->functions[row(v, &v->total, "app+0x1020")->function].image, 1);
    CHECK_EQ(v->functions[row(v, &v->total, "0x1100")->function].image, 0);
    CHECK_EQ(v->images[0].slide, 0);
    CHECK_EQ(v->images[0].segment_count, 1);
    CHECK_EQ(v->images[0].segments[0].address, guest.text_start);
    CHECK_EQ(v->images[1].slide, 0x4000);
    CHECK_EQ(v->images[1].segments[0].address, 0x1000);
    CHECK_EQ(v->images[1].segments[0].size, 0x100);
    CHECK_EQ(v->images[1].build_id_len, 1);
    CHECK_EQ(v->images[1].build_id[0], 0xab);
    fini(v);
}

/* The node that (path) leads to, below (node). */
static size_t follow(const struct view_tree *tree, const struct view_path *path)
{
    size_t node = 0;

    for (size_t i = 0; i < path->count; i++) {
        uint32_t next = tree->nodes[node].child;

        while (next != 0 &&
               (tree->nodes[next].function != path->steps[i].function ||
                tree->nodes[next].inlined != path->steps[i].inlined))
            next = tree->nodes[next].next;
        if (next == 0)
            check_failed(__FILE__, __LINE__, "step %zu is in no tree", i);
        node = next;
    }
    return node;
}

/* Every sample of (scope) comes by a path that ends in its node. */
static void check_paths(const struct view *v, const struct profile *p,
                        size_t core)
{
    const struct view_tree *tree = &v->cores[core].tree;
    uint64_t left[64] = {0}, samples = 0;
    struct view_path path;

    CHECK(tree->node_count <= 64);
    for (size_t i = 0; i < tree->node_count; i++)
        left[i] = tree->nodes[i].self.samples;
    for (size_t i = 0; i < p->cores[core].entry_count; i++) {
        CHECK(view_path_of(v, core, i, &path));
        left[follow(tree, &path)] -= path.amount.samples;
        samples += path.amount.samples;
    }
    CHECK_EQ(samples, v->cores[core].all.samples);
    for (size_t i = 0; i < tree->node_count; i++)
        CHECK_EQ(left[i], 0);
    CHECK(!view_path_of(v, core, p->cores[core].entry_count, &path));
}

TEST(paths_are_the_branches_of_the_trees)
{
    begin();
    uint32_t recursion =
        stack((uint64_t[]){0x1100, 0x1100, 0x1080}, 3, WIRE_END_ZERO);

    samples(0, recursion, 0x1100, 2, 1);
    samples(0, recursion, 0x1200, 3, 2);
    samples(1, stack((uint64_t[]){0x1110}, 1, WIRE_END_DEPTH), 0x1200, 1, 1);
    samples(1, STACK_UNKNOWN, 0x1200, 4, 1);
    samples(1, stack(NULL, 0, WIRE_END_LENT), 0x1300, 5, 1);
    samples(1, stack(NULL, 0, WIRE_END_REST), 0x1300, 6, 1);
    struct view *v = end();
    const struct profile *p = aggregate_profile(aggregate);

    check_paths(v, p, 0);
    check_paths(v, p, 1);
    fini(v);
}

TEST(a_step_knows_its_address)
{
    struct view_path path;

    begin();
    samples(0, stack((uint64_t[]){0x1100}, 1, WIRE_END_ZERO), 0x1200, 1, 1);
    struct view *v = end();

    CHECK(view_path_of(v, 0, 0, &path));
    CHECK_EQ(path.count, 2);
    CHECK_EQ(path.steps[0].address, 0x1100);
    CHECK_EQ(path.steps[1].address, 0x1200);
    CHECK_EQ(path.steps[1].image, IMAGE_MAP_KERNEL);
    CHECK(path.steps[1].file == NULL && path.steps[1].line == 0);
    fini(v);
}

TEST(nothing_makes_an_empty_view)
{
    begin();
    struct view *v = end();

    CHECK_EQ(v->total.all.samples, 0);
    CHECK_EQ(v->total.row_count, 0);
    fini(v);
}

TEST(memory_may_run_out_anywhere)
{
    begin();
    for (uint64_t i = 0; i < 40; i++)
        samples((uint32_t)(i & 1),
                stack((uint64_t[]){0x1100 + i * 8, 0x1080}, 2, WIRE_END_ZERO),
                0x1400 + i * 8, 1, 1);
    const struct profile *p = aggregate_profile(aggregate);

    for (unsigned n = 1;; n++) {
        alloc_fail_at(n);
        struct view *v = view_new(p, image_map, 0);
        bool failed = alloc_failed();

        CHECK(failed || v != NULL); /* or something was folded instead */
        view_free(v);
        if (!failed)
            break;
    }
    fini(NULL);
}

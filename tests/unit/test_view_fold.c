/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has no room in a view: sums are as they would be, the largest branches
 * stay, and the rest is in [others].
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "diagnose/diagnose.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "view/scopes.h"
#include "view/view_build.h"

#define PERIOD 1000u
#define MEMORY (1u << 20)

static struct aggregate *aggregate;
static struct image_map *image_map;
static uint64_t tsc;

static void begin(uint64_t memory)
{
    const struct guest guest = {.cores = 80, .tsc_hz = 1000000};

    aggregate = aggregate_new(&(struct aggregate_config){.memory_max = memory});
    image_map = image_map_new(&(struct mapped_image){0}, 0);
    CHECK(aggregate != NULL && image_map != NULL);
    aggregate_hello(aggregate, HELLO_FIRST, &guest);
}

static void sample(uint32_t core, const uint64_t *frames, uint32_t depth,
                   uint64_t leaf, uint32_t weight)
{
    struct stack stack = {.frames = frames, .depth = depth};
    struct sample s = {.tsc = tsc,
                       .leaf = leaf,
                       .stack = aggregate_stack(aggregate, core, &stack),
                       .weight = weight};
    struct sample_batch batch = {
        .core = core, .period = PERIOD, .samples = &s, .count = 1};

    aggregate_samples(aggregate, &batch);
    tsc += PERIOD;
}

static uint64_t random_number(void)
{
    static uint64_t x = 88172645463325252u;

    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

/* (n) samples of stacks that no other sample has, of (functions) functions. */
static void bomb(unsigned n, uint64_t functions)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t frames[30];

        for (size_t f = 0; f < 30; f++)
            frames[f] = 0x1001 + random_number() % functions;
        sample(i % 2, frames, 30, 0x1000 + random_number() % functions, 1);
    }
}

static bool named(const struct view *v, uint32_t function, const char *name)
{
    return strcmp(v->functions[function].name, name) == 0;
}

/* Every node's samples are its own and those of its children. Returns how many
 * nodes there are. */
static size_t check_tree(const struct view_tree *tree)
{
    for (size_t i = 0; i < tree->node_count; i++) {
        const struct view_node *n = &tree->nodes[i];
        struct amount sum = n->self;

        for (uint32_t c = n->child; c != 0; c = tree->nodes[c].next) {
            CHECK_EQ(tree->nodes[c].parent, i);
            amount_add(&sum, &tree->nodes[c].total);
        }
        CHECK_EQ(sum.samples, n->total.samples);
        CHECK_EQ(sum.weight, n->total.weight);
        CHECK(sum.time == n->total.time);
    }
    return tree->node_count;
}

static void check_scope(const struct view_scope *s, uint64_t samples)
{
    uint64_t self = 0;

    CHECK_EQ(s->all.samples, samples);
    CHECK_EQ(s->busy.samples + s->idle.samples, samples);
    CHECK_EQ(s->tree.nodes[0].total.samples, s->busy.samples);
    for (size_t i = 0; i < s->row_count; i++)
        self += s->rows[i].self.samples;
    CHECK_EQ(self, s->busy.samples);
    check_tree(&s->tree);
}

static struct view *view(uint64_t memory)
{
    const struct profile *p = aggregate_profile(aggregate);
    struct view *v = view_new(p, image_map, memory);
    struct remarks remarks = {0};

    CHECK(v != NULL);
    diagnose_memory(&remarks, p, v, 64 << 20, true);
    CHECK_EQ(remarks.count, v->folded != 0 || p->cores[0].folded != 0);
    CHECK(remarks.count == 0 ||
          strstr(remarks.list[0].text, "because --memory 64M was used up"));
    return v;
}

static void fini(struct view *v)
{
    view_free(v);
    image_map_free(image_map);
    aggregate_free(aggregate);
}

static void hot_path(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sample(0, (uint64_t[]){0x2001, 0x2101, 0x2201}, 3, 0x2300, 1);
}

/* Samples of the way down to 0x2300, as it is shown; 0: it is not. */
static uint64_t hot_samples(const struct view *v, const struct view_tree *tree)
{
    const char *const names[] = {"0x2200", "0x2100", "0x2000", "0x2300"};
    uint32_t at = tree->nodes[0].child;

    for (size_t i = 0; i < 4; i++) {
        while (at != 0 && !named(v, tree->nodes[at].function, names[i]))
            at = tree->nodes[at].next;
        if (at == 0)
            return 0;
        if (i < 3)
            at = tree->nodes[at].child;
    }
    return tree->nodes[at].self.samples;
}

TEST(small_branches_fold_and_sums_stay) /* catches: growth, samples lost */
{
    begin(0);
    hot_path(500);
    bomb(5000, 100);
    hot_path(500);
    struct view *v = view(MEMORY);

    CHECK(v->folded > 1000);
    check_scope(&v->total, 6000);
    check_scope(&v->cores[0], 3500);
    check_scope(&v->cores[1], 2500);
    /* 30 nodes a sample and tree, without folding */
    CHECK(v->total.tree.node_count + v->cores[0].tree.node_count +
              v->cores[1].tree.node_count <
          MEMORY / sizeof(struct view_node));
    CHECK_EQ(hot_samples(v, &v->total.tree), 1000);
    CHECK_EQ(hot_samples(v, &v->cores[0].tree), 1000);
    CHECK(v->others.samples > 1000 && v->others.samples <= 5000);
    fini(v);
}

TEST(rows_and_addresses_fold_too) /* catches: a bomb of functions */
{
    begin(0);
    hot_path(500);
    bomb(3000, 1u << 30);
    struct view *v = view(MEMORY);

    check_scope(&v->total, 3500);
    check_scope(&v->cores[0], 2000);
    CHECK(v->function_count < 1000);
    CHECK(v->total.row_count + v->cores[0].row_count < 2000);
    CHECK(v->edge_count < 2000);
    CHECK_EQ(hot_samples(v, &v->total.tree), 500);
    fini(v);
}

TEST(rows_fold_where_cores_have_too_many)
{
    uint64_t others = 0;

    begin(0);
    for (unsigned i = 0; i < 8000; i++) /* a hundred functions a core */
        sample(i % 80, NULL, 0, 0x1000 + i / 80, i % 80 == 0 ? 10 : 1);
    struct view *v = view(MEMORY);

    check_scope(&v->total, 8000);
    check_scope(&v->cores[0], 100);
    check_scope(&v->cores[1], 100);
    CHECK(v->folded != 0);
    CHECK_EQ(v->total.row_count, 100); /* those have the largest sums */
    for (size_t i = 0; i < v->cores[1].row_count; i++)
        if (v->cores[1].rows[i].function == VIEW_OTHERS)
            others = v->cores[1].rows[i].self.samples;
    CHECK_EQ(others + v->cores[1].row_count - 1, 100);
    CHECK(others > 20);
    fini(v);
}

TEST(what_fits_is_not_folded) /* catches: a limit that is far too low */
{
    begin(0);
    bomb(500, 100);
    struct view *v = view(6 * MEMORY); /* 4 are needed */

    CHECK_EQ(v->folded, 0);
    CHECK_EQ(v->others.samples, 0);
    CHECK(v->total.tree.node_count > 10000);
    fini(v);
}

TEST(what_the_profile_has_folded_is_in_others)
{
    begin(1u << 17);
    bomb(5000, 1u << 30);
    const struct profile *p = aggregate_profile(aggregate);

    CHECK(p->cores[0].others.samples > 0);
    struct view *v = view(0);

    check_scope(&v->total, 5000);
    CHECK(v->others.samples >= p->cores[0].folded + p->cores[1].folded);
    CHECK_EQ(v->ends[WIRE_END_REASONS], 0); /* none was lost on the way */
    fini(v);
}

static struct budget budget = {.left = 1 << 20};

/* A path of (count) functions from (first) on, each one more. */
static void add_path(struct tree *t, uint32_t first, size_t count,
                     uint64_t samples)
{
    struct path_step steps[40] = {0};
    const struct path path = {.steps = steps,
                              .count = count,
                              .branch = count,
                              .amount = {.samples = samples,
                                         .weight = samples,
                                         .time = (double)samples}};

    for (size_t i = 0; i < count; i++)
        steps[i].function = VIEW_MARKS + first + (uint32_t)i;
    CHECK_EQ(tree_make_room(t, &path, &budget), 0);
    tree_add(t, &path);
}

TEST(folding_again_adds_to_what_was_folded)
{
    struct tree t = {0};
    struct smallest_first *f = calloc(1, sizeof *f);

    CHECK(f != NULL);
    add_path(&t, 0, 3, 10);
    add_path(&t, 0, 40, 1);
    add_path(&t, 100, 5, 2);
    CHECK_EQ(tree_fold(&t, 5, VIEW_OTHERS, &budget), 2);
    CHECK_EQ(check_tree(&t.tree), 1 + 3 + 2);
    add_path(&t, 100, 5, 3); /* a branch that comes again */
    CHECK_EQ(tree_fold(&t, 5, VIEW_OTHERS, &budget), 1);
    CHECK_EQ(check_tree(&t.tree), 1 + 3 + 2);
    tree_count(&t, f);
    CHECK(smallest_first_least(f, 3) > 5 &&
          smallest_first_least(f, 3) == 0); /* it forgets */
    CHECK_EQ(t.tree.nodes[0].total.samples, 16);
    CHECK_EQ(tree_finish(&t), 0);
    CHECK_EQ(tree_fold(&t, 100, VIEW_OTHERS, &budget), 1);
    CHECK_EQ(check_tree(&t.tree), 2);
    CHECK_EQ(t.tree.nodes[1].self.samples, 16);
    tree_fini(&t);
    free(f);
}

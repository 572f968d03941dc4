/* SPDX-License-Identifier: BSD-2-Clause */
/* A view with fewer rows and nodes: all time is still there. */
#include "report/json/json_scope.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "check.h"

#define SMALL     70000u /* functions of one sample each */
#define FUNCTIONS (VIEW_MARKS + 3 + SMALL)
#define FIRST     VIEW_MARKS           /* of these; each second calls one */
#define ROOT      (VIEW_MARKS + SMALL) /* calls all */
#define LARGE     (ROOT + 1)
#define INNER     (ROOT + 2) /* called by LARGE */

static struct view_function functions[FUNCTIONS];
static struct view_row rows[FUNCTIONS];
static struct view_node nodes[FUNCTIONS + 1];
static struct view_node idle[3];
static struct view_edge edges[FUNCTIONS];
static struct view_line lines[FUNCTIONS];

static struct amount amount(double samples)
{
    return (struct amount){(uint64_t)samples, (uint64_t)samples, samples,
                           samples};
}

static void put(size_t i, uint32_t function, uint32_t parent, double self,
                double total)
{
    nodes[i] = (struct view_node){.function = function,
                                  .parent = parent,
                                  .self = amount(self),
                                  .total = amount(total)};
    rows[i - 1] = (struct view_row){
        .function = function, .self = amount(self), .total = amount(total)};
    edges[i - 1] = (struct view_edge){.caller = nodes[parent].function,
                                      .callee = function,
                                      .amount = amount(total)};
    lines[i - 1] = (struct view_line){.function = function, .self = self};
}

/* ROOT calls LARGE, which calls INNER, and the small ones. */
static struct view make(void)
{
    static struct view_scope core;
    struct view v = {.functions = functions,
                     .function_count = FUNCTIONS,
                     .cores = &core,
                     .core_count = 1,
                     .lines = lines,
                     .line_count = FUNCTIONS - VIEW_MARKS,
                     .edges = edges,
                     .edge_count = FUNCTIONS - VIEW_MARKS,
                     .folded = 5};

    for (size_t i = 0; i < FUNCTIONS; i++)
        functions[i].line = (uint32_t)i; /* to know it again */
    put(1, ROOT, 0, 0, 1500 + SMALL);
    put(2, LARGE, 1, 1000, 1500);
    put(3, INNER, 2, 500, 500);
    for (uint32_t i = 0; i < SMALL; i++)
        put(4 + i, FIRST + i, i % 2 == 0 ? 1 : 3 + i, 1, 2 - i % 2);
    /* rows are by falling self */
    struct view_row root = rows[0];

    memmove(rows, rows + 1, (2 + SMALL) * sizeof root);
    rows[2 + SMALL] = root;
    idle[1] = (struct view_node){.function = ROOT, .total = amount(9)};
    idle[2] = (struct view_node){.function = VIEW_IDLE,
                                 .parent = 1,
                                 .self = amount(9),
                                 .total = amount(9)};
    v.total = (struct view_scope){.core = VIEW_ALL_CORES,
                                  .rows = rows,
                                  .row_count = FUNCTIONS - VIEW_MARKS,
                                  .tree = {nodes, FUNCTIONS - VIEW_MARKS + 1},
                                  .idle_tree = {idle, 3}};
    core = v.total;
    core.core = 0;
    return v;
}

static double sum_of_tree(const struct view_tree *t)
{
    double sum = 0;

    for (size_t i = 1; i < t->node_count; i++) {
        CHECK(t->nodes[i].parent < i);
        sum += t->nodes[i].self.time;
    }
    return sum;
}

static void check_scope(const struct view *v, const struct view_scope *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->row_count; i++) {
        sum += s->rows[i].self.time;
        CHECK(i == 0 || s->rows[i - 1].self.time >= s->rows[i].self.time);
        CHECK(s->rows[i].function < v->function_count);
    }
    CHECK(sum == 1500 + SMALL);
    CHECK(sum_of_tree(&s->tree) == 1500 + SMALL);
    CHECK(sum_of_tree(&s->idle_tree) == 9);
    CHECK_EQ(s->row_count, 4);       /* and all others */
    CHECK_EQ(s->tree.node_count, 5); /* likewise */
    CHECK_EQ(s->rows[0].function, VIEW_OTHERS);
    CHECK_EQ(s->rows[0].self.samples, SMALL);
    CHECK_EQ(s->idle_tree.nodes[2].function, VIEW_IDLE);
}

/* catches: time that is gone, a parent behind its child, numbers of functions
 * that are others now */
TEST(all_time_is_there)
{
    struct view all = make(), *v = smaller_view_new(&all);

    CHECK(v != NULL);
    CHECK_EQ(v->function_count, VIEW_MARKS + 3);
    for (uint32_t i = 0; i < v->function_count; i++) /* others went */
        CHECK_EQ(v->functions[i].line, i < VIEW_MARKS ? i : i + SMALL);
    check_scope(v, &v->total);
    check_scope(v, &v->cores[0]);
    CHECK_EQ(v->total.tree.nodes[1].function, ROOT - SMALL);
    CHECK_EQ(v->total.rows[1].function, LARGE - SMALL);
    CHECK_EQ(v->line_count, 2); /* with time of their own */
    CHECK_EQ(v->lines[0].function, LARGE - SMALL);
    for (size_t i = 0; i < v->edge_count; i++)
        CHECK(v->edges[i].callee < v->function_count &&
              v->edges[i].caller < v->function_count);
    CHECK(v->folded > 5 + SMALL);
    smaller_view_free(v);
}

TEST(a_small_view_stays) /* catches: a report that changes for nothing */
{
    struct view all = make(), *v;

    all.total.row_count = all.cores[0].row_count = 3;
    all.total.tree.node_count = all.cores[0].tree.node_count = 4;
    all.line_count = all.edge_count = 3;
    v = smaller_view_new(&all);
    CHECK(v != NULL && v->total.rows == all.total.rows &&
          v->total.tree.nodes == all.total.tree.nodes &&
          v->lines == all.lines && v->edges == all.edges);
    smaller_view_free(v);
    smaller_view_free(NULL);
}

TEST(without_memory_there_is_none) /* catches: a leak, or a fault */
{
    struct view all = make(), *v = NULL;

    for (unsigned n = 1;; n++) {
        alloc_fail_at(n);
        v = smaller_view_new(&all);
        if (!alloc_failed())
            break;
        CHECK(v == NULL);
    }
    CHECK(v != NULL);
    check_scope(v, &v->total);
    smaller_view_free(v);
}

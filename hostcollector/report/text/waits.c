/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks in which cores go idle. */
#include "report/table.h"

#include <string.h>

#include "diagnose/share.h"
#include "report/name.h"
#include "report/wait_list.h"
#include "util/text.h"

/* Rows beside other tables, and rows with --idle. */
#define ROWS       3
#define ROWS_IDLE  20
/* Stacks below this share of the idle time are left out, unless --all is
 * given. */
#define SHARE_MIN  .01
#define LEFT       14 /* "  62.0   1.0  " */
/* Names of a stack are cut to this. */
#define NAME_WIDTH 40

struct waits {
    FILE *out;
    const struct report *r;
    const struct view_tree *tree;
    const struct amount *whole;
    const uint32_t *list; /* of a wait_list */
    size_t count, shown;
    uint32_t root; /* the path that all stacks begin with */
    size_t common; /* functions below (root) that all stacks end with */
};

/* Number of rows to show: the first rows whose share is large enough. */
static size_t count_shown(const struct waits *w)
{
    size_t most = w->r->whole ? w->count : w->r->idle ? ROWS_IDLE : ROWS;
    const struct view_node *nodes = w->tree->nodes;
    size_t n = w->r->all || w->count < most ? w->count : most;

    while (!w->r->all && n > 1 &&
           share_of(&nodes[w->list[n - 1]].self, w->whole).p < SHARE_MIN)
        n--;
    return n;
}

/* Number of functions that (a) and (b) have in common at their inner ends, up
 * to (most). */
static size_t common_of(const struct waits *w, uint32_t a, uint32_t b,
                        size_t most)
{
    const struct view_node *nodes = w->tree->nodes;
    size_t n = 0;

    a = wait_list_step(w->tree, a);
    b = wait_list_step(w->tree, b);
    while (n < most && a != w->root && b != w->root &&
           nodes[a].function == nodes[b].function) {
        a = nodes[a].parent;
        b = nodes[b].parent;
        n++;
    }
    return n;
}

static void find_common(struct waits *w)
{
    w->root = w->shown > 1 ? table_common_root(w->tree) : 0;
    w->common = w->shown > 1 ? SIZE_MAX : 0;
    for (size_t i = 1; i < w->shown; i++)
        w->common = common_of(w, w->list[0], w->list[i], w->common);
}

/* The node (n) steps outwards of (node). */
static uint32_t outwards(const struct waits *w, uint32_t node, size_t n)
{
    while (n-- > 0)
        node = w->tree->nodes[node].parent;
    return node;
}

/* Write the steps from (root) to (node), up to the end of the line. (used)
 * columns of the line are taken. */
static void write_steps(const struct waits *w, uint32_t root, uint32_t node,
                        size_t used)
{
    char path[NAME_PATH];

    text_cut(w->out,
             name_of_path(path, w->r->view, w->tree, root, node, NAME_WIDTH),
             table_columns(w->r) - used);
    (void)putc('\n', w->out);
}

static void write_wait(const struct waits *w, uint32_t node)
{
    struct share s = share_of(&w->tree->nodes[node].self, w->whole);
    /* the first function that all have in common names the wait */
    size_t without = w->common > 1 ? w->common - 1 : 0;
    char error[SHARE_TEXT];

    (void)fprintf(w->out, "%6.1f %5s  ", 100 * s.p, share_error(error, s));
    write_steps(w, w->root, outwards(w, wait_list_step(w->tree, node), without),
                LEFT);
}

/* Write the functions that all waits end with. */
static void write_common(const struct waits *w)
{
    static const char in[] = "all in ";
    uint32_t end = wait_list_step(w->tree, w->list[0]);

    if (w->common < 2)
        return;
    (void)fprintf(w->out, "%*s%s", LEFT, "", in);
    write_steps(w, outwards(w, end, w->common), end, LEFT + strlen(in));
}

static void write_rest(const struct waits *w)
{
    struct amount rest = {0};

    if (w->shown == w->count)
        return;
    for (size_t i = w->shown; i < w->count; i++)
        rest.time += w->tree->nodes[w->list[i]].self.time;
    (void)fprintf(w->out, "%6.1f%*s%zu more: --idle --all\n",
                  100 * share_of(&rest, w->whole).p, LEFT - 6, "",
                  w->count - w->shown);
}

void table_waits(FILE *out, const struct report *r)
{
    const struct view_scope *scope = &r->view->total;
    struct waits w = {.out = out,
                      .r = r,
                      .tree = &scope->idle_tree,
                      .whole = r->of_all ? &scope->all : &scope->idle};
    struct wait_list list;

    if (scope->idle.samples == 0) {
        if (r->idle && !r->view->idle_unknown)
            (void)fputs("\nNo core was idle. A core that sleeps by hlt or "
                        "mwait is idle; a core that polls is busy.\n",
                        out);
        return;
    }
    if (wait_list_init(&list, w.tree) == 0) {
        w.list = list.nodes;
        w.count = list.count;
        w.shown = count_shown(&w);
        find_common(&w);
        (void)fprintf(out, "\n%6s %5s  WAITS, %% of %s time\n", "SHARE", "+-",
                      r->of_all ? "all" : "idle");
        for (size_t i = 0; i < w.shown; i++)
            write_wait(&w, w.list[i]);
        write_rest(&w);
        write_common(&w);
    }
    wait_list_fini(&list);
}

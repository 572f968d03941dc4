/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks: `core0;main;work 123`, one line per core and stack, for
 * flamegraph.pl, inferno and speedscope. The number is the time in mean
 * sampling intervals, that is, samples where none came late. Idle samples end
 * in `[idle]`, so that `grep -v` can drop them.
 */
#include "render/render.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* More than a path can have: frames, inlined functions, and marks. */
#define PATH_MAX_NODES 4096u

struct folder {
    FILE *out;
    const struct view *view;
    const struct view_scope *scope;
    double period; /* TSC ticks; 0: count samples */
    uint32_t path[PATH_MAX_NODES];
};

/* A semicolon would end the frame here. */
static void write_name(FILE *out, const char *name)
{
    for (; *name != '\0'; name++)
        (void)putc(*name == ';' ? ':' : *name, out);
}

static uint64_t count_of(const struct folder *f, const struct amount *a)
{
    if (!(f->period > 0))
        return a->samples;

    /* a sample whose own period was short still is one */
    double count = round(a->time / f->period);
    return count < 1 ? 1 : (uint64_t)count;
}

static void write_line(const struct folder *f, size_t depth,
                       const struct view_node *node)
{
    if (node->self.samples == 0)
        return;
    (void)fprintf(f->out, "core%" PRIu32, f->scope->core);
    for (size_t i = 0; i < depth; i++) {
        (void)putc(';', f->out);
        write_name(f->out, f->view->functions[f->path[i]].name);
    }
    (void)fprintf(f->out, " %" PRIu64 "\n", count_of(f, &node->self));
}

/* Depth is that of a path: a few hundred at most. */
static void write_nodes(struct folder *f, const struct view_tree *tree,
                        uint32_t parent, size_t depth)
{
    for (uint32_t i = tree->nodes[parent].child; i != 0;
         i = tree->nodes[i].next) {
        if (depth == PATH_MAX_NODES)
            return;
        f->path[depth] = tree->nodes[i].function;
        write_line(f, depth + 1, &tree->nodes[i]);
        write_nodes(f, tree, i, depth + 1);
    }
}

static void write_folded(FILE *out, const struct report *r)
{
    struct folder f = {
        .out = out, .view = r->view, .period = (double)r->profile->period_tsc};

    for (size_t i = 0; i < r->view->core_count; i++) {
        f.scope = &r->view->cores[i];
        if (f.scope->tree.node_count != 0)
            write_nodes(&f, &f.scope->tree, 0, 0);
        if (f.scope->idle_tree.node_count != 0)
            write_nodes(&f, &f.scope->idle_tree, 0, 0);
    }
}

const struct render_ops render_folded = {"folded", "folded", write_folded};

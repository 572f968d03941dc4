/* SPDX-License-Identifier: BSD-2-Clause */
/* Folded stacks: `core0;main;work 123`, one line per core and stack. */
#include "report/render.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "export/export.h"

/*
 * Readers are flamegraph.pl, inferno and speedscope. The number is time in mean
 * sampling intervals: the number of samples, if none is late. Idle samples end
 * in `[idle]`, so `grep -v` can drop them. With several guests, the guest is
 * the outermost frame.
 */

/* Limit of nodes of a path: frames, inlined functions, and marks. */
#define PATH_MAX_NODES 4096u

/* Largest number that readers of folded stacks keep exactly. */
#define COUNT_MAX 0x1p53

struct folder {
    FILE *out;
    const char *guest; /* NULL: the only guest */
    const struct view *view;
    const struct view_scope *scope;
    double period; /* TSC ticks; 0: count samples */
    uint32_t path[PATH_MAX_NODES];
};

static uint64_t count_of(const struct folder *f, const struct amount *a)
{
    if (!(f->period > 0))
        return a->samples;

    /* a sample with a short period of its own still counts as one */
    double count = round(a->time / f->period);
    if (count > COUNT_MAX) /* a guest may have had any period before */
        count = COUNT_MAX;
    return count < 1 ? 1 : (uint64_t)count;
}

/* Write the nodes path[0] to path[depth - 1], outermost first. */
static void write_line(const struct folder *f, const struct view_tree *tree,
                       size_t depth)
{
    const struct amount *self = &tree->nodes[f->path[depth - 1]].self;

    if (self->samples == 0)
        return;
    if (f->guest != NULL)
        (void)fprintf(f->out, "%s;", f->guest); /* a name without semicolons */
    (void)fprintf(f->out, "core%" PRIu32, f->scope->core);
    for (size_t i = 0; i < depth; i++) {
        uint32_t function = tree->nodes[f->path[i]].function;

        (void)putc(';', f->out);
        export_folded_name(f->out, f->view->functions[function].name);
    }
    (void)fprintf(f->out, " %" PRIu64 "\n", count_of(f, self));
}

/* Write all stacks, depth first, without recursion: the tree is as deep as a
 * guest's stacks. */
static void write_tree(struct folder *f, const struct view_tree *tree)
{
    uint32_t node = tree->node_count != 0 ? tree->nodes[0].child : 0;
    size_t depth = 0;

    for (;;) {
        while (node == 0 && depth > 0)
            node = tree->nodes[f->path[--depth]].next;
        if (node == 0 || depth == PATH_MAX_NODES)
            return;
        f->path[depth++] = node;
        write_line(f, tree, depth);
        node = tree->nodes[node].child;
    }
}

static void write_folded(struct render *to, const struct report *r)
{
    struct folder f = {.out = to->out,
                       .guest = r->guest,
                       .view = r->view,
                       .period = (double)r->profile->period_tsc};

    for (size_t i = 0; i < r->view->core_count; i++) {
        f.scope = &r->view->cores[i];
        write_tree(&f, &f.scope->tree);
        write_tree(&f, &f.scope->idle_tree);
    }
}

const struct render_ops render_folded = {
    .name = "folded",
    .suffix = "folded",
    .write = write_folded,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a JSON report that consist of samples. */
#include "report/json/json_scope.h"

#include <stdlib.h>

#include "diagnose/lateness.h"
#include "diagnose/selected.h"
#include "diagnose/share.h"
#include "report/name.h"
#include "report/text/line_list.h"
#include "report/wait_list.h"

/* The time of (a), and its share of (whole). */
static void write_time(struct json_object *o, const struct profile *p,
                       const struct amount *a, const struct amount *whole)
{
    struct share share = share_of(a, whole);

    if (p->tsc_hz != 0)
        json_real(o, "seconds", a->time / (double)p->tsc_hz);
    json_real(o, "share", share.p);
    json_real(o, "low", share.low);
    json_real(o, "high", share.high);
}

void json_amount(struct json_object *o, const char *key,
                 const struct profile *p, const struct amount *a,
                 const struct amount *whole)
{
    struct json_object in = json_inner(o, key);

    json_count(&in, "samples", a->samples);
    write_time(&in, p, a, whole);
    json_end(&in);
}

void json_seconds(struct json_object *o, const char *key,
                  const struct profile *p, double ticks)
{
    if (p->tsc_hz != 0)
        json_real(o, key, ticks / (double)p->tsc_hz);
}

void json_stack(struct json_object *o, const struct report *r,
                const struct view_wait *w)
{
    FILE *out = json_member(o, "stack");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < w->count; i++) {
        json_comma(out, &first);
        json_string(out, r->view->functions[w->functions[i]].name);
    }
    (void)putc(']', out);
}

/* The late part of (time). */
static void write_late(struct json_object *o, const struct profile *p,
                       double late, double time)
{
    struct json_object in = json_inner(o, "late");

    json_seconds(&in, "seconds", p, late);
    json_real(&in, "share", lateness_part(late, time));
    json_end(&in);
}

/* Account of the selected samples, without those that --exclude removed. */
static void write_account(FILE *out, bool *first, const struct profile *p,
                          const struct profile_core *c)
{
    const struct account rest = selected_rest(p, c), *a = &rest;
    struct json_object o = json_element(out, first);

    json_count(&o, "core", c->core);
    json_count(&o, "deadlines", account_deadlines(a));
    json_count(&o, "missed", a->missed);
    json_count(&o, "ticks", account_ticks(a));
    json_count(&o, "samples", a->samples);
    json_count(&o, "lost", a->lost);
    json_count(&o, "ring_full", a->ring_full);
    json_count(&o, "reentered", a->reentered);
    json_count(&o, "unknown_stack", a->unknown_stack);
    json_count(&o, "jumps", a->jumps);
    json_count(&o, "overwritten", c->overwritten);
    json_count(&o, "folded", c->folded);
    json_flag(&o, "complete", a->complete);
    json_flag(&o, "exact", account_is_exact(a));
    json_end(&o);
}

void json_accounts(struct json_object *o, const struct profile *p)
{
    FILE *out = json_member(o, "accounting");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].selected && !p->cores[i].absent)
            write_account(out, &first, p, &p->cores[i]);
    (void)putc(']', out);
    bool open = false;

    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].selected && p->cores[i].absent)
            json_list_count(o, "absent_cores", &open, p->cores[i].core);
    json_close_list(o, open);
}

static void write_images(struct json_object *o, const struct report *r)
{
    FILE *out = json_member(o, "images");
    char name[NAME_PLAIN];
    bool first = true;

    (void)putc('[', out);
    for (uint32_t i = 0; i < r->view->image_count; i++) {
        const struct view_image *image = &r->view->images[i];
        struct json_object in = json_element(out, &first);

        json_text(&in, "name", name_of_view_image(name, r, i));
        json_text(&in, "path", image->path);
        FILE *id = json_member(&in, "build_id");

        (void)putc('"', id);
        for (size_t j = 0; j < image->build_id_len; j++)
            (void)fprintf(id, "%02x", image->build_id[j]);
        (void)putc('"', id);
        json_amount(&in, "busy", r->profile, &image->busy,
                    &r->view->total.busy);
        json_end(&in);
    }
    (void)putc(']', out);
}

/* Write the lines of (function) from (*next) on in (l), if there are any. */
static void write_lines(struct json_object *o, const struct report *r,
                        const struct line_list *l, size_t *next,
                        size_t function)
{
    FILE *out;
    bool first = true;

    if (*next == l->count || l->lines[*next].function != function)
        return;
    out = json_member(o, "lines");
    (void)putc('[', out);
    for (; *next < l->count && l->lines[*next].function == function; ++*next) {
        const struct view_line *line = &l->lines[*next];
        const struct amount busy = {.time = line->busy,
                                    .time_sq = line->busy_sq};
        struct json_object in = json_element(out, &first);

        if (line->file != NULL) {
            json_text(&in, "file", line->file);
            json_count(&in, "line", line->number);
        }
        struct json_object self = json_inner(&in, "self");

        write_time(&self, r->profile, &busy, &r->view->total.busy);
        json_end(&self);
        json_end(&in);
    }
    (void)putc(']', out);
}

static void write_functions(struct json_object *o, const struct report *r)
{
    FILE *out = json_member(o, "functions");
    bool first = true;
    struct line_list lines;
    size_t next = 0;

    (void)line_list_init(&lines, r->view, LINE_LIST_ALL);
    (void)putc('[', out);
    for (size_t i = 0; i < r->view->function_count; i++) {
        const struct view_function *f = &r->view->functions[i];
        struct json_object in = json_element(out, &first);

        json_text(&in, "name", f->name);
        if (f->file != NULL) {
            json_text(&in, "file", f->file);
            json_count(&in, "line", f->line);
        }
        if (i >= VIEW_MARKS)
            json_count(&in, "image", f->image);
        json_count(&in, "hides_callers", f->hides);
        write_lines(&in, r, &lines, &next, i);
        json_end(&in);
    }
    line_list_fini(&lines);
    (void)putc(']', out);
}

static void write_rows(struct json_object *o, const struct report *r,
                       const struct view_scope *scope)
{
    FILE *out = json_member(o, "table");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < scope->row_count; i++) {
        const struct view_row *row = &scope->rows[i];
        struct json_object in = json_element(out, &first);

        json_count(&in, "function", row->function);
        json_text(&in, "name", r->view->functions[row->function].name);
        json_amount(&in, "self", r->profile, &row->self, &scope->busy);
        json_amount(&in, "total", r->profile, &row->total, &scope->busy);
        json_amount(&in, "uncertain", r->profile, &row->uncertain, &row->self);
        write_late(&in, r->profile, row->late, row->self.time);
        if (row->moved > 0)
            json_real(&in, "moved", row->moved / row->self.time);
        if (row->off > 0)
            json_real(&in, "irqs_off", row->off / row->self.time);
        if (row->slow > 0)
            json_real(&in, "held_up", row->slow / row->self.time);
        json_end(&in);
    }
    (void)putc(']', out);
}

/* Write all nodes except the root. A node comes after its parent, and refers to
 * the parent by index. */
static void write_tree(struct json_object *o, const char *key,
                       const struct report *r, const struct view_tree *tree,
                       const struct amount *whole)
{
    FILE *out = json_member(o, key);
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 1; i < tree->node_count; i++) {
        const struct view_node *node = &tree->nodes[i];
        struct json_object in = json_element(out, &first);

        json_count(&in, "function", node->function);
        if (node->parent != 0)
            json_count(&in, "parent", node->parent - 1);
        json_flag(&in, "inlined", node->inlined);
        json_amount(&in, "self", r->profile, &node->self, whole);
        json_amount(&in, "total", r->profile, &node->total, whole);
        json_end(&in);
    }
    (void)putc(']', out);
}

/* Write the functions from the outermost one to the function of (node), without
 * the mark VIEW_IDLE. (path) has room for all of them. */
static void write_stack(struct json_object *o, const struct view_tree *tree,
                        uint32_t node, uint32_t *path)
{
    FILE *out = json_member(o, "stack");
    size_t depth = 0;
    bool first = true;

    for (uint32_t at = wait_list_step(tree, node); at != 0;
         at = tree->nodes[at].parent)
        path[depth++] = tree->nodes[at].function;
    (void)putc('[', out);
    while (depth != 0) {
        json_comma(out, &first);
        text_decimal(out, path[--depth], 0);
    }
    (void)putc(']', out);
}

/* Write the stacks in which cores went idle. */
static void write_waits(struct json_object *o, const struct report *r,
                        const struct view_scope *scope)
{
    const struct view_tree *tree = &scope->idle_tree;
    uint32_t *path = calloc(tree->node_count + 1, sizeof *path);
    FILE *out = json_member(o, "waits");
    struct wait_list l;
    bool first = true, ready = wait_list_init(&l, tree) == 0 && path != NULL;

    (void)putc('[', out);
    for (size_t i = 0; ready && i < l.count; i++) {
        struct json_object in = json_element(out, &first);

        json_count(&in, "node", l.nodes[i] - 1);
        write_stack(&in, tree, l.nodes[i], path);
        json_amount(&in, "self", r->profile, &tree->nodes[l.nodes[i]].self,
                    &scope->idle);
        json_end(&in);
    }
    (void)putc(']', out);
    wait_list_fini(&l);
    free(path);
}

static void write_scope(struct json_object *o, const struct report *r,
                        const struct view_scope *scope)
{
    const struct profile *p = r->profile;

    if (scope->core != VIEW_ALL_CORES)
        json_count(o, "core", scope->core);
    json_amount(o, "all", p, &scope->all, &scope->all);
    json_amount(o, "busy", p, &scope->busy, &scope->all);
    json_amount(o, "idle", p, &scope->idle, &scope->all);
    json_amount(o, "unseen", p, &scope->unseen, &scope->busy);
    json_amount(o, "uncertain", p, &scope->uncertain, &scope->busy);
    write_late(o, p, scope->late, scope->busy.time);
    write_rows(o, r, scope);
    write_tree(o, "tree", r, &scope->tree, &scope->busy);
    write_tree(o, "idle_tree", r, &scope->idle_tree, &scope->all);
    write_waits(o, r, scope);
}

static void write_calls(struct json_object *o, const struct report *r)
{
    const struct view *v = r->view;
    FILE *out = json_member(o, "calls");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < v->edge_count; i++) {
        struct json_object in = json_element(out, &first);

        json_count(&in, "caller", v->edges[i].caller);
        json_count(&in, "callee", v->edges[i].callee);
        json_amount(&in, "total", r->profile, &v->edges[i].amount,
                    &v->total.busy);
        json_end(&in);
    }
    (void)putc(']', out);
}

void json_view(struct json_object *o, const struct report *r)
{
    const struct view *v = r->view;
    bool first = true;

    write_images(o, r);
    write_functions(o, r);
    struct json_object total = json_inner(o, "total");

    write_scope(&total, r, &v->total);
    json_end(&total);
    FILE *out = json_member(o, "cores");

    (void)putc('[', out);
    for (size_t i = 0; i < v->core_count; i++) {
        if (r->profile->cores[i].absent)
            continue;
        struct json_object core = json_element(out, &first);

        write_scope(&core, r, &v->cores[i]);
        json_end(&core);
    }
    (void)putc(']', out);
    write_calls(o, r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables and trees as JSON. Functions are named by their index. */
#include "render/json_scope.h"

#include "diagnose/share.h"
#include "render/export.h"

/* (a) with its share of (whole). */
static void write_amount(struct json_object *o, const char *key,
                         const struct profile *p, const struct amount *a,
                         const struct amount *whole)
{
    struct share share = share_of(a, whole);
    struct json_object in = json_inner(o, key);

    json_count(&in, "samples", a->samples);
    if (p->tsc_hz != 0)
        json_real(&in, "seconds", a->time / (double)p->tsc_hz);
    json_real(&in, "share", share.p);
    json_real(&in, "low", share.low);
    json_real(&in, "high", share.high);
    json_end(&in);
}

/* An element of a list, on a line of its own. */
static struct json_object element(FILE *out, bool *first)
{
    (void)fputs(*first ? "\n" : ",\n", out);
    *first = false;
    return json_begin(out);
}

static void write_account(FILE *out, bool *first, const struct profile_core *c)
{
    const struct account *a = &c->account;
    struct json_object o = element(out, first);

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
        write_account(out, &first, &p->cores[i]);
    (void)putc(']', out);
}

static void write_images(struct json_object *o, const struct report *r)
{
    FILE *out = json_member(o, "images");
    char name[EXPORT_NAME];
    bool first = true;

    (void)putc('[', out);
    for (uint32_t i = 0; i < r->view->image_count; i++) {
        const struct view_image *image = &r->view->images[i];
        struct json_object in = element(out, &first);

        json_text(&in, "name", export_image(name, r, i));
        json_text(&in, "path", image->path);
        FILE *id = json_member(&in, "build_id");

        (void)putc('"', id);
        for (size_t j = 0; j < image->build_id_len; j++)
            (void)fprintf(id, "%02x", image->build_id[j]);
        (void)putc('"', id);
        write_amount(&in, "busy", r->profile, &image->busy,
                     &r->view->total.busy);
        json_end(&in);
    }
    (void)putc(']', out);
}

static void write_functions(struct json_object *o, const struct report *r)
{
    FILE *out = json_member(o, "functions");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < r->view->function_count; i++) {
        const struct view_function *f = &r->view->functions[i];
        struct json_object in = element(out, &first);

        json_text(&in, "name", f->name);
        if (f->file != NULL) {
            json_text(&in, "file", f->file);
            json_count(&in, "line", f->line);
        }
        if (i >= VIEW_MARKS)
            json_count(&in, "image", f->image);
        if (r->profile->tsc_hz != 0)
            json_real(&in, "late_seconds",
                      f->late / (double)r->profile->tsc_hz);
        json_count(&in, "hides_callers", f->hides);
        json_end(&in);
    }
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
        struct json_object in = element(out, &first);

        json_count(&in, "function", row->function);
        json_text(&in, "name", r->view->functions[row->function].name);
        write_amount(&in, "self", r->profile, &row->self, &scope->busy);
        write_amount(&in, "total", r->profile, &row->total, &scope->busy);
        write_amount(&in, "uncertain", r->profile, &row->uncertain, &row->self);
        json_end(&in);
    }
    (void)putc(']', out);
}

/* All nodes, each behind its parent, which is told by its index; the root is
 * not there. */
static void write_tree(struct json_object *o, const char *key,
                       const struct report *r, const struct view_tree *tree,
                       const struct amount *whole)
{
    FILE *out = json_member(o, key);
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 1; i < tree->node_count; i++) {
        const struct view_node *node = &tree->nodes[i];
        struct json_object in = element(out, &first);

        json_count(&in, "function", node->function);
        if (node->parent != 0)
            json_count(&in, "parent", node->parent - 1);
        json_flag(&in, "inlined", node->inlined);
        write_amount(&in, "self", r->profile, &node->self, whole);
        write_amount(&in, "total", r->profile, &node->total, whole);
        json_end(&in);
    }
    (void)putc(']', out);
}

static void write_scope(struct json_object *o, const struct report *r,
                        const struct view_scope *scope)
{
    const struct profile *p = r->profile;

    if (scope->core != VIEW_ALL_CORES)
        json_count(o, "core", scope->core);
    write_amount(o, "all", p, &scope->all, &scope->all);
    write_amount(o, "busy", p, &scope->busy, &scope->all);
    write_amount(o, "idle", p, &scope->idle, &scope->all);
    write_amount(o, "unseen", p, &scope->unseen, &scope->busy);
    write_amount(o, "uncertain", p, &scope->uncertain, &scope->busy);
    write_rows(o, r, scope);
    write_tree(o, "tree", r, &scope->tree, &scope->busy);
    write_tree(o, "idle_tree", r, &scope->idle_tree, &scope->all);
}

static void write_calls(struct json_object *o, const struct report *r)
{
    const struct view *v = r->view;
    FILE *out = json_member(o, "calls");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < v->edge_count; i++) {
        struct json_object in = element(out, &first);

        json_count(&in, "caller", v->edges[i].caller);
        json_count(&in, "callee", v->edges[i].callee);
        write_amount(&in, "total", r->profile, &v->edges[i].amount,
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
        struct json_object core = element(out, &first);

        write_scope(&core, r, &v->cores[i]);
        json_end(&core);
    }
    (void)putc(']', out);
    write_calls(o, r);
}

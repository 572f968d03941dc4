/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CORE_WIDTH   5
#define THREAD_WIDTH 9
#define IMAGE_WIDTH  13

static void cores_of(struct groups *g, const struct report *r)
{
    g->scopes = r->view->cores;
    g->count = r->view->core_count;
}

static void threads_of(struct groups *g, const struct report *r)
{
    g->scopes = r->view->threads;
    g->count = r->view->thread_count;
}

static int by_busy(const void *a, const void *b)
{
    const struct view_scope *left = a, *right = b;

    if (left->busy.time != right->busy.time)
        return left->busy.time < right->busy.time ? 1 : -1;
    return (left->core > right->core) - (left->core < right->core);
}

/* Make a scope of image (i) from the rows of all cores, and append its rows at
 * (rows). Idle time belongs to no image. */
static struct view_scope scope_of_image(const struct view *v, uint32_t i,
                                        struct view_row *rows)
{
    struct view_scope scope = {.core = i, .rows = rows};

    for (size_t k = 0; k < v->total.row_count; k++) {
        const struct view_row *row = &v->total.rows[k];

        if (v->functions[row->function].image != i)
            continue;
        rows[scope.row_count++] = *row;
        amount_add(&scope.busy, &row->self);
        amount_add(&scope.uncertain, &row->uncertain);
        scope.late += row->late;
    }
    scope.all = scope.busy;
    return scope;
}

static void images_of(struct groups *g, const struct report *r)
{
    const struct view *v = r->view;
    size_t used = 0;

    g->made = calloc(v->image_count, sizeof *g->made);
    g->rows = calloc(v->total.row_count + 1, sizeof *g->rows);
    if (g->made == NULL || g->rows == NULL)
        return;
    for (uint32_t i = 0; i < v->image_count; i++) {
        g->made[i] = scope_of_image(v, i, g->rows + used);
        used += g->made[i].row_count;
    }
    qsort(g->made, v->image_count, sizeof *g->made, by_busy);
    g->scopes = g->made;
    g->count = v->image_count;
}

static const char *core_name(char buf[NAME_PLAIN], const struct report *r,
                             uint32_t number)
{
    (void)r;
    (void)snprintf(buf, NAME_PLAIN, "core %" PRIu32, number);
    return buf;
}

static const char *thread_name(char buf[NAME_PLAIN], const struct report *r,
                               uint32_t number)
{
    return name_of_thread(buf, r->profile, number);
}

static const struct kind {
    const char *one, *several;
    size_t width;
    void (*find)(struct groups *g, const struct report *r);
    const char *(*name)(char buf[NAME_PLAIN], const struct report *r,
                        uint32_t number);
} kinds[VIEW_BYS] = {
    [VIEW_BY_CORE] = {"core", "cores", CORE_WIDTH, cores_of, core_name},
    [VIEW_BY_THREAD] = {"thread", "threads", THREAD_WIDTH, threads_of,
                        thread_name},
    [VIEW_BY_IMAGE] = {"image", "images", IMAGE_WIDTH, images_of,
                       name_of_view_image},
};

const char *groups_word(uint32_t by)
{
    return kinds[by].one;
}

void groups_init(struct groups *g, const struct report *r)
{
    *g = (struct groups){.by = r->by};
    kinds[g->by].find(g, r);
    if (g->count == 0) {
        g->by = VIEW_BY_CORE;
        cores_of(g, r);
    }
    g->one = kinds[g->by].one;
    g->several = kinds[g->by].several;
    g->has_trees = g->made == NULL;
    g->width = kinds[g->by].width;
}

void groups_fini(struct groups *g)
{
    free(g->made);
    free(g->rows);
}

const char *groups_name(char buf[NAME_PLAIN], const struct groups *g,
                        const struct report *r, const struct view_scope *scope)
{
    return kinds[g->by].name(buf, r, scope->core);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Files for KCachegrind and callgrind_annotate. */
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "util/pair_map.h"
#include "util/vec.h"

/*
 * Valgrind's manual describes the format in chapter "Callgrind Format
 * Specification".
 *
 * A core is a function that calls the functions that run on it. Guests add up
 * at functions that they share. If calls recur in a stack, only the outermost
 * call counts, so a function's cost is the sum of the costs of its calls. The
 * number of calls is unknown; the number of samples is written instead.
 */

#define SELF UINT32_MAX

/* Cost of a line: its own, or of its calls of (callee). */
struct cost {
    uint32_t function, line, callee;
    uint64_t ns, samples;
};

/* Costs of one guest. Cores are functions with numbers after the view's. */
struct costs {
    const struct report *report;
    struct pair_map by_place; /* (function and line, callee) -> in (list) */
    struct cost *list;
    size_t count, room;
    uint32_t *last_path; /* by function: the last path that has it */
    uint32_t paths;      /* counts paths from 1 */
};

/* Costs of all guests. */
struct totals {
    uint64_t ns, samples;
};

static void begin(struct render *to)
{
    to->state = calloc(1, sizeof(struct totals));
    to->no_memory = to->state == NULL;
    (void)fputs("# callgrind format\nversion: 1\ncreator: tprof\n"
                "positions: line\nevent: ns : Nanoseconds\n"
                "event: samples : Samples\nevents: ns samples\n",
                to->out);
}

static void end(struct render *to)
{
    const struct totals *t = to->state;

    if (t != NULL)
        (void)fprintf(to->out, "\ntotals: %" PRIu64 " %" PRIu64 "\n", t->ns,
                      t->samples);
    free(to->state);
}

/* Add (p) to the cost of (line) of (function) in (callee). Returns 0; -1 if
 * there is no memory. */
static int add(struct costs *c, uint32_t function, uint32_t line,
               uint32_t callee, const struct view_path *p)
{
    uint32_t *number =
        map_put(&c->by_place, (uint64_t)function << 32 | line, callee);

    if (number == NULL ||
        vec_grow(&c->list, &c->room, c->count, sizeof *c->list) != 0)
        return -1;
    if (*number == MAP_NOTHING) {
        *number = (uint32_t)c->count;
        c->list[c->count++] = (struct cost){function, line, callee, 0, 0};
    }
    c->list[*number].ns += export_ns(c->report->profile, p->amount.time);
    c->list[*number].samples += p->amount.samples;
    return 0;
}

/* Returns the line of (step); 0 if the line is in another file than the
 * function of (step). */
static uint32_t line_of(const struct view *v, const struct view_step *step)
{
    const char *file = v->functions[step->function].file;

    return file != NULL && step->file != NULL && strcmp(file, step->file) == 0
               ? step->line
               : 0;
}

static int add_path(struct costs *c, size_t core, const struct view_path *p)
{
    const struct view *v = c->report->view;
    uint32_t function = (uint32_t)(v->function_count + core), line = 0;

    c->paths++;
    for (size_t i = 0; i < p->count; i++) {
        uint32_t callee = p->steps[i].function;

        if (c->last_path[callee] != c->paths &&
            add(c, function, line, callee, p) != 0)
            return -1;
        c->last_path[callee] = c->paths;
        function = callee;
        line = line_of(v, &p->steps[i]);
    }
    return add(c, function, line, SELF, p);
}

/* Compare by function, then line. The own cost comes first. */
static int compare(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;

    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->callee + 1 > y->callee + 1) - (x->callee + 1 < y->callee + 1);
}

/* Write image, file and name of function (number), each after its key. */
static void write_place(FILE *out, const struct report *r, uint32_t number,
                        const char *const keys[3])
{
    const struct view *v = r->view;
    char image[NAME_PLAIN], core[NAME_PLAIN];

    if (number >= v->function_count) {
        (void)fprintf(out, "%s=???\n%s=???\n%s=%s\n", keys[0], keys[1], keys[2],
                      name_of_core(core, r, number - v->function_count));
        return;
    }
    const struct view_function *f = &v->functions[number];

    (void)fprintf(out, "%s=%s\n%s=%s\n%s=%s\n", keys[0],
                  number < VIEW_MARKS ? "???"
                                      : name_of_view_image(image, r, f->image),
                  keys[1], f->file != NULL ? f->file : "???", keys[2], f->name);
}

static void write_costs(struct render *to, const struct costs *c)
{
    static const char *const own[] = {"ob", "fl", "fn"};
    static const char *const called[] = {"cob", "cfi", "cfn"};
    struct totals *t = to->state;

    for (size_t i = 0; i < c->count; i++) {
        const struct cost *cost = &c->list[i];

        if (i == 0 || cost->function != cost[-1].function) {
            (void)putc('\n', to->out);
            write_place(to->out, c->report, cost->function, own);
        }
        if (cost->callee != SELF) {
            write_place(to->out, c->report, cost->callee, called);
            (void)fprintf(to->out, "calls=%" PRIu64 " 0\n", cost->samples);
        } else {
            t->ns += cost->ns;
            t->samples += cost->samples;
        }
        (void)fprintf(to->out, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n",
                      cost->line, cost->ns, cost->samples);
    }
}

static void write_callgrind(struct render *to, const struct report *r)
{
    struct costs c = {.report = r};

    if (to->no_memory)
        return;
    c.last_path = calloc(r->view->function_count, sizeof *c.last_path);
    to->no_memory = c.last_path == NULL;
    for (size_t i = 0; !to->no_memory && i < r->profile->core_count; i++) {
        struct export_cursor cursor = {.core = i};

        while (export_next(to, r, &cursor))
            to->no_memory |= add_path(&c, i, &cursor.path) != 0;
    }
    if (c.count != 0)
        qsort(c.list, c.count, sizeof *c.list, compare);
    write_costs(to, &c);
    map_fini(&c.by_place);
    free(c.list);
    free(c.last_path);
}

const struct render_ops render_callgrind = {
    .name = "callgrind",
    .suffix = "callgrind",
    .begin = begin,
    .write = write_callgrind,
    .end = end,
};

/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/diff_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/selected.h"
#include "diagnose/share.h"
#include "session/guest_report.h"
#include "util/text.h"
#include "util/vec.h"
#include "view/view_build.h"

/* A recording that is being read. */
struct reading {
    struct diff_runs *d;
    const char *path;
    unsigned side;
    uint32_t run;
    uint32_t by;      /* as in struct diff_config */
    const char *slow; /* choose the slow requests of this kind, no more */
    struct guest_run *guest;
};

static void on_note(void *context, const struct guest_run *r, const char *line)
{
    const struct reading *reading = context;
    char path[256], text[512];

    (void)r;
    (void)fprintf(stderr, "collector diff: %s: %s\n",
                  text_escape(path, sizeof path, reading->path),
                  text_escape(text, sizeof text, line));
}

static int add_warning(struct diff_runs *d, const char *text)
{
    const char *copy = arena_strndup(&d->text, text, strlen(text));

    if (copy == NULL || vec_grow(&d->warnings, &d->warning_room,
                                 d->warning_count, sizeof(char *)) != 0)
        return -1;
    d->warnings[d->warning_count++] = copy;
    return 0;
}

int diff_runs_warn_first(struct diff_runs *d, const char *text)
{
    if (add_warning(d, text) != 0)
        return -1;
    const char *first = d->warnings[d->warning_count - 1];

    memmove(d->warnings + 1, d->warnings,
            (d->warning_count - 1) * sizeof(char *));
    d->warnings[0] = first;
    return 0;
}

static int add_warnings(struct diff_runs *d, const char *path,
                        const struct remarks *remarks)
{
    for (size_t i = 0; i < remarks->count; i++) {
        char text[REMARK_SIZE + 256], name[200];

        if (!remarks->list[i].warning)
            continue;
        (void)snprintf(text, sizeof text, "%s: %s",
                       text_escape(name, sizeof name, path),
                       remarks->list[i].text);
        if (add_warning(d, text) != 0)
            return -1;
    }
    return 0;
}

/* Fill in the numbers in pairs of the functions in the tree of (v). */
static int know_functions(struct reading *reading, const struct view *v,
                          uint32_t *known)
{
    for (size_t i = 0; i < v->function_count; i++)
        known[i] = MERGED_NAMELESS;
    for (size_t i = 1; i < v->total.tree.node_count; i++) {
        uint32_t function = v->total.tree.nodes[i].function;
        const struct view_function *f = &v->functions[function];

        if (f->nameless || known[function] != MERGED_NAMELESS)
            continue;
        known[function] =
            pairs_know(&reading->d->pairs, reading->side, f->name, f->home);
        if (known[function] == PAIRS_NONE)
            return -1;
    }
    return 0;
}

static int add_tree(struct reading *reading, const struct view *v)
{
    uint32_t *known = calloc(v->function_count + 1, sizeof *known);
    int result = -1;

    if (known != NULL && know_functions(reading, v, known) == 0)
        result =
            merged_add(&reading->d->tree, reading->run, &v->total.tree, known);
    free(known);
    return result;
}

static int add_functions(struct reading *reading, const struct report *r)
{
    struct diff_runs *d = reading->d;
    struct report by = *r;

    if (diff_groups_add_scope(&d->pairs, reading->run, reading->side, r->view,
                              &r->view->total) != 0)
        return -1;
    if (reading->by == 0)
        return 0;
    by.by = reading->by - 1;
    return diff_groups_add(&d->groups, reading->run, reading->side, &by);
}

static void add_to_side(struct diff_side *side, const struct profile *p,
                        const struct view *v)
{
    struct selected_range span = selected_span(p);

    side->samples += v->total.all.samples;
    side->seconds += span.to_s - span.from_s;
    if (v->idle_unknown)
        side->busy = -1;
    else if (side->busy >= 0)
        side->busy +=
            share_of(&v->total.busy, &v->total.all).p / (double)side->runs;
}

static int add_view(struct reading *reading, struct err *e)
{
    struct diff_runs *d = reading->d;
    struct guest_run *r = reading->guest;
    struct guest_report g;
    int result = -1;

    if (!guest_run_has_report(r))
        return err_set(e, "no guest is in it");
    if (reading->slow != NULL)
        return diff_slow_choose(&d->slow, r->profile, reading->slow, e);
    if (guest_report_make(&g, r, 0, e) != 0)
        return -1;
    /* slow requests may only wait */
    if (g.view->total.busy.samples == 0 && r->config.slow == NULL) {
        d->empty = true;
        (void)err_set(e, "has no samples of busy time");
    } else if (add_functions(reading, &g.is) != 0 ||
               add_tree(reading, g.view) != 0 ||
               diff_units_add(&d->units, reading->side, r->profile, g.view) !=
                   0 ||
               (r->config.slow == NULL && /* else both have the same */
                diff_sums_add(&d->sums, reading->side, &g.is) != 0) ||
               (r->config.slow_only && diff_slow_waits(&d->slow, &g.is) != 0) ||
               (!r->config.slow_only && /* the other side has them, too */
                add_warnings(d, reading->path, &r->remarks) != 0)) {
        (void)err_memory(e);
    } else {
        add_to_side(&d->sides[reading->side], r->profile, g.view);
        result = 0;
    }
    guest_report_fini(&g);
    return result;
}

static int read_one(struct reading *reading, const struct options *o,
                    int stop_fd, struct err *e)
{
    const struct diff_slow *slow = &reading->d->slow;
    uint64_t memory = o->from.memory;
    struct images images = {0};
    enum guest_run_fault ignored;

    const struct guest_run_config config = {
        .options = o,
        .input = o->from.listed == NULL ? reading->path : NULL,
        .number = 1,
        .alone = true,
        .no_moments = true,
        .slow = slow->kinds != 0 ? &slow->set : NULL,
        .slow_kinds = slow->kinds,
        .slow_only = slow->kinds != 0 && reading->side == 1,
        .memory_max = memory / 2,
        .view_max = memory / 4,
        .images = &images,
        .context = reading,
        .say = on_note,
    };
    reading->guest = guest_run_new(&config, &ignored, e);
    int result = reading->guest != NULL
                     ? guest_run_read(reading->guest, stop_fd, e)
                     : -1;

    if (result == 0)
        result = add_view(reading, e);
    guest_run_free(reading->guest);
    images_fini(&images);
    return result;
}

/* Check that the recordings fit into a quarter of all memory: half of the
 * quarter for functions, half for call trees, which are cut to fit. */
static int check_memory(const struct diff_runs *d, const struct diff_config *c,
                        struct err *e)
{
    uint64_t rows = d->pairs.identities * 2 * sizeof(struct compare_row);
    uint64_t units = diff_units_bytes(&d->units, d->pairs.identities);
    uint64_t groups = diff_groups_bytes(&d->groups, c->inputs.count);

    if (pairs_bytes(&d->pairs, c->inputs.count) + rows + units + groups <=
        c->options.from.memory / 8)
        return 0;
    return err_set(e,
                   "%zu functions of %u recordings do not fit into --memory: "
                   "raise it, or compare fewer recordings at once",
                   d->pairs.identities, c->inputs.count);
}

/* Read the windows of (side), if the sides are in a spool. */
static void choose_windows(struct diff_runs *d, struct guest_config *from,
                           const struct window_sides *w, unsigned side)
{
    if (w->options.pick.folder == NULL)
        return;
    from->listed = &w->lists[side];
    from->build = w->builds[side][0] != '\0' ? w->builds[side] : NULL;
    d->sides[side].windows =
        window_options_text(&w->lists[side], from->build, d->windows[side]);
}

int diff_runs_read(struct diff_runs *d, const struct diff_config *c,
                   int stop_fd, struct err *e)
{
    struct options options = c->options;

    d->tree.nodes_max =
        c->options.from.memory / 8 / merged_node_bytes(c->inputs.count);
    d->sides[0].files = c->inputs.list;
    d->sides[0].runs = c->before_count;
    d->sides[1].files = c->inputs.list + c->before_count;
    d->sides[1].runs = c->inputs.count - c->before_count;
    if (c->slow != NULL) {
        struct reading first = {
            .d = d, .path = c->inputs.list[0], .slow = c->slow};

        if (read_one(&first, &options, stop_fd, e) != 0)
            return -1;
        for (unsigned side = 0; side < 2; side++) {
            d->slow.names[side] = d->slow.labels[side];
            d->sides[side].files = &d->slow.names[side];
        }
    }
    for (unsigned i = 0; i < c->inputs.count; i++) {
        struct reading reading = {.d = d,
                                  .path = c->inputs.list[i],
                                  .side = i >= c->before_count,
                                  .run = i,
                                  .by = c->by};
        struct err why = {""};

        choose_windows(d, &options.from, &c->windows, reading.side);
        if (read_one(&reading, &options, stop_fd, &why) == 0) {
            if (check_memory(d, c, e) != 0)
                return -1;
            continue;
        }
        /* some errors begin with the path */
        return strncmp(why.text, reading.path, strlen(reading.path)) == 0
                   ? err_set(e, "%s", why.text)
                   : err_set(e, "%s: %s", reading.path, why.text);
    }
    return pairs_finish(&d->pairs, c->inputs.count) == 0 &&
                   merged_finish(&d->tree, &d->pairs, c->inputs.count) == 0
               ? 0
               : err_memory(e);
}

void diff_runs_fini(struct diff_runs *d)
{
    pairs_fini(&d->pairs);
    diff_groups_fini(&d->groups);
    diff_units_fini(&d->units);
    diff_sums_fini(&d->sums);
    merged_fini(&d->tree);
    diff_slow_fini(&d->slow);
    arena_fini(&d->text);
    free(d->warnings);
}

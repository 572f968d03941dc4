/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as text. */
#include <stdlib.h>
#include <string.h>

#include "diagnose/cost.h"
#include "diagnose/selected.h"
#include "report/groups.h"
#include "report/table.h"
#include "util/text.h"

/* Lines of the short report. With more than CORES_SHORT cores, each further
 * core has one line more. */
#define LINES_SHORT        40
#define CORES_SHORT        4
/* Least lines of the call tree, which gets the lines that other parts leave.
 * The tables of threads leave none, and are read below the first screen. */
#define TREE_LEAST         4
#define TREE_LEAST_THREADS 12
#define TREE_LONG          1000

/* Was anything lost? Then the report shows the accounts. */
static bool has_loss(const struct profile *p)
{
    for (size_t i = 0; i < p->core_count; i++) {
        const struct account a = selected_account(p, &p->cores[i]);

        if (account_ticks(&a) != a.samples)
            return true;
    }
    return false;
}

/* Count the notes that only --details shows. */
static size_t count_notes(const struct remarks *remarks)
{
    size_t n = 0;

    for (size_t i = 0; i < remarks->count; i++)
        n += !remarks->list[i].warning && !remarks->list[i].first;
    return n;
}

/* Write the notes that a reader needs to understand the tables. */
static void write_first_notes(FILE *out, const struct report *r)
{
    bool any = false;

    for (size_t i = 0; i < r->remarks->count; i++) {
        if (!r->remarks->list[i].first)
            continue;
        (void)fputs(any ? "Note: " : "\nNote: ", out);
        text_wrap_at(out, strlen("Note: "), r->remarks->list[i].text,
                     table_columns(r));
        any = true;
    }
}

/* Is a tick an exit to QEMU's emulator? That takes longer than the tick. */
static bool is_emulated(const struct report *r)
{
    return (r->profile->guest.features & WIRE_FEATURE_BLOCKS) != 0;
}

/* "Profiler: 0.13 % of the guest's time. Late, ranges, 2 notes: --details". */
static void write_rest(FILE *out, const struct report *r)
{
    struct cost cost = cost_of(r->profile);
    size_t notes = count_notes(r->remarks);
    char line[160] = "", count[32] = "";

    if (cost.cores != 0 && !cost.senseless && cost.share >= 0)
        (void)snprintf(
            line, sizeof line,
            cost.stood ? "Sampling stopped the guest for %.2f %% of the time. "
                       : "Profiler: %.2f %% of the guest's time%s. ",
            100 * cost.share, is_emulated(r) ? ", by TCG's slow timer" : "");
    if (notes != 0)
        (void)snprintf(count, sizeof count, ", %zu note%s", notes,
                       text_plural(notes));
    (void)snprintf(line + strlen(line), sizeof line - strlen(line),
                   "More with --details: ranges, lateness, losses%s.", count);
    (void)putc('\n', out);
    text_wrap_at(out, 0, line, table_columns(r));
}

static void write_details(FILE *out, const struct report *r)
{
    (void)fputs("\nDETAILS\n", out);
    table_origin(out, r);
    if (r->view->total.all.samples != 0) {
        table_all_functions(out, r);
        table_calls(out, r);
    }
    table_footer(out, r);
}

static void write_ending(FILE *out, const struct report *r)
{
    if (table_has_details(r))
        write_details(out, r);
    else if (has_loss(r->profile))
        table_accounts(out, r);
    if (!table_has_details(r)) {
        write_first_notes(out, r);
        write_rest(out, r);
    }
    if (r->view->total.all.samples != 0)
        table_next(out, r);
}

/* Write the parts above the call tree, and the parts below it. */
static void write_above(FILE *out, const struct report *r)
{
    if (r->guest != NULL)
        (void)fprintf(out, "==== %s ====\n", r->guest);
    table_heading(out, r);
    if (r->view->total.all.samples == 0)
        return;
    if (r->function != NULL) {
        table_function(out, r);
        return;
    }
    table_boot(out, r);
    table_summary(out, r);
    if (!r->idle)
        table_matrix(out, r);
}

static void write_below(FILE *out, const struct report *r)
{
    if (r->function == NULL && !r->unfound) {
        table_waits(out, r);
        table_requests(out, r);
        table_threads(out, r);
        table_thread_waits(out, r);
        table_locks(out, r);
        table_scheduling(out, r);
    }
    write_ending(out, r);
    if (r->guest != NULL)
        (void)putc('\n', out);
}

/* Write one tree of all cores; with --all, a tree of each core, or of each
 * thread or the like. */
static void write_trees(FILE *out, const struct report *r, size_t lines)
{
    struct report by = *r;
    char name[NAME_PLAIN];
    struct groups g;

    if (r->function != NULL)
        return;
    name_of_scope(name, sizeof name, r->view, &r->view->total);
    table_tree(out, r, &r->view->total, r->all ? name : NULL, lines);
    if (!r->all)
        return;
    groups_init(&g, r);
    if (!g.has_trees) {
        groups_fini(&g);
        by.by = VIEW_BY_CORE;
        groups_init(&g, &by);
    }
    bool several = g.by != VIEW_BY_CORE || table_active_cores(r->view) > 1;

    for (size_t i = 0; several && i < g.count; i++)
        table_tree(out, r, &g.scopes[i], groups_name(name, &g, r, &g.scopes[i]),
                   lines);
    groups_fini(&g);
}

/* Text that (write) writes, for free(). NULL if there is no memory. Subtracts
 * the text's lines from (*lines), down to 0. */
static char *write_part(void (*write)(FILE *, const struct report *),
                        const struct report *r, size_t *lines)
{
    char *text = NULL;
    size_t size, n = 0;
    FILE *memory = open_memstream(&text, &size);

    if (memory == NULL)
        return NULL;
    write(memory, r);
    if (fclose(memory) != 0)
        return text;
    for (const char *at = text; *at != '\0'; at++)
        n += *at == '\n';
    *lines -= n < *lines ? n : *lines;
    return text;
}

static void write_report(struct render *to, const struct report *r)
{
    FILE *out = to->out;

    size_t cores = table_active_cores(r->view);
    size_t lines =
        LINES_SHORT + (cores > CORES_SHORT ? cores - CORES_SHORT : 0);
    char *above = write_part(write_above, r, &lines);
    char *below = write_part(write_below, r, &lines);
    size_t least =
        r->profile->thread_count != 0 ? TREE_LEAST_THREADS : TREE_LEAST;

    if (table_has_details(r) || r->whole)
        lines = TREE_LONG;
    if (above != NULL)
        (void)fputs(above, out);
    write_trees(out, r, lines > least ? lines : least);
    if (below != NULL)
        (void)fputs(below, out);
    free(above);
    free(below);
}

static void write_overall(struct render *to, const struct overall *o)
{
    table_overall(to->out, o);
}

const struct render_ops render_txt = {
    .name = "txt",
    .suffix = "txt",
    .follows = true,
    .write = write_report,
    .overall = write_overall,
};

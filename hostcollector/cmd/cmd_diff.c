/* SPDX-License-Identifier: BSD-2-Clause */
/* collector diff: compares recordings. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/confine/confine.h"
#include "cli/option_kinds.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "diff/compare/compare.h"
#include "diff/diff.h"
#include "diff/diff_runs.h"
#include "fleet/mcp/mcp.h"
#include "session/session_options.h"
#include "session/window_options.h"
#include "util/text.h"

/* Least share of time in common functions that two builds of one kernel
 * have. */
#define COMMON_LEAST .1

#define AT(m)  offsetof(struct diff_config, options.m)
#define OWN(m) offsetof(struct diff_config, m)

/* Take a recording, or the "--" between before and after. */
static int take_word(void *config, const char *word, struct err *e)
{
    struct diff_config *c = config;

    if (strcmp(word, "--") != 0)
        return session_recordings_add(&c->inputs, word, e);
    if (c->before_count != 0 || c->inputs.count == 0)
        return err_set(e, "one -- divides the recordings: type collector diff "
                          "BEFORE... -- AFTER...");
    c->before_count = c->inputs.count;
    return OPTION_READ;
}

static int read_fail_if(void *field, const struct option_row *row,
                        const char *value, struct err *e)
{
    struct diff_config *c = field;

    if (c->fail_if_count == DIFF_FAIL_IF)
        return err_set(e, "--%s: more than %d changes", row->name,
                       DIFF_FAIL_IF);
    return fail_if_parse(&c->fail_if[c->fail_if_count++], value, e);
}

static const struct option_kind option_fail_if = {.read = read_fail_if};

static const struct option_row own_output_rows[] = {
    {"output", 'o', "FILE", &option_output, 0, 0, 0,
     "write FILE: .txt, .md, .html or .json; - is standard output"},
    {.name = NULL}};

static const struct option_row at_rows[] = {
    {"at", 0, "WHEN", &option_text, OWN(windows.at), 0, 0,
     "compare before and since WHEN (default: the last two builds)"},
    {.name = NULL}};

static const struct option_row own_rows[] = {
    {"fail-if", 0, "CHANGE", &option_fail_if, 0, 0, 0,
     "exit 4 if a share changed by more, such as 'NAME +3%'"},
    {"top", 0, "N", &option_count, AT(shown.top), 1, 1000000,
     "rows of each table (default: those worth a line)"},
    {"all", 0, NULL, &option_flag, AT(shown.all), 0, 0,
     "show every function, also with too few samples to judge"},
    {"slow", 0, "KIND", &option_text, OWN(slow), 0, 0,
     "compare slow requests of this kind with the others of BEFORE"},
    {"tree", 0, NULL, &option_flag, OWN(tree), 0, 0,
     "show the call paths that changed beyond chance, too"},
    {"by", 0, "all|core|thread|image", &option_choice, OWN(by), 0, 0,
     "show what changed on each core, thread or image, too"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Windows of a spool:"),
    OPTION_ROWS(window_rows, OWN(windows.options)),
    OPTION_ROWS(at_rows, 0),
    OPTION_TITLE("What to show:"),
    OPTION_ROWS(own_rows, 0),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(time_rows, AT(selection)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(own_output_rows, AT(output)),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_ROWS(text_rows, AT(output)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " diff", .groups = groups, .word = take_word, .dashes = true};

static const struct help help = {
    &options,
    "collector diff BEFORE [AFTER] [option...]\n"
    "collector diff BEFORE... -- AFTER... [option...]\n"
    "collector diff --spool DIR [--guest NAME] [--at WHEN] [option...]\n"
    "\n"
    "Shows which functions changed between two recordings by more than "
    "chance. The recordings may be of different builds. AFTER is "
    "tprof.tprof by default. A loss in one function looks like a gain "
    "in all others, so functions are also compared within the time that "
    "did not change. Several recordings on each side also show how much "
    "runs of one build differ. With --spool the sides are windows that "
    "collector serve has kept: of the last two builds, or before and "
    "after --at.",
    "  collector diff monday.tprof\n"
    "  collector diff monday.tprof tuesday.tprof --fail-if 'memcpy +3%'\n"
    "  collector diff a1.tprof a2.tprof -- b1.tprof b2.tprof --tree\n"
    "  collector diff run.tprof --slow get\n"
    "  collector diff --spool /var/lib/tprof/spool --guest web1 --at -1h\n",
    CMD_STATUS "             4 changed by more than --fail-if allows."};

/* The formats that the command writes, by the names in struct outputs. */
static const struct render_ops as_text = {.name = "txt"},
                               as_json = {.name = "json"},
                               as_page = {.name = "html"},
                               as_markdown = {.name = "md"};
static const struct render_ops *const formats[] = {&as_text, &as_json, &as_page,
                                                   &as_markdown, NULL};

/* Add the default: if only BEFORE is given, AFTER is the newest recording. */
static void add_default(struct diff_config *c)
{
    const char *after = session_default_recording(c->options.output.quiet);

    if (after != NULL)
        c->inputs.list[c->inputs.count++] = after;
}

/* Find the recordings of each side. */
static int plan_recordings(struct diff_config *c, struct err *e)
{
    if (c->slow != NULL && c->inputs.count > 1)
        return err_set(e, "--slow compares requests of one recording");
    if (c->slow != NULL && c->inputs.count == 0)
        add_default(c);
    if (c->slow != NULL && c->inputs.count == 1) {
        c->inputs.list[1] = c->inputs.list[0];
        c->inputs.count = 2;
    }
    if (c->before_count == 0 && c->inputs.count == 1)
        add_default(c);
    if (c->before_count == 0 && c->inputs.count == 2)
        c->before_count = 1;
    if (c->before_count == 0 || c->before_count == c->inputs.count)
        return err_set(e, "which recordings? type: collector diff BEFORE AFTER"
                          ", or collector diff BEFORE... -- AFTER...");
    return 0;
}

/* Choose windows of a spool as the sides. */
static int plan_windows(struct diff_config *c, struct err *e)
{
    for (unsigned side = 0; side < 2; side++)
        c->inputs.list[c->inputs.count++] = c->windows.labels[side];
    c->before_count = 1;
    return window_sides_plan(&c->windows, e);
}

static int plan_diff(struct outputs *out, void *config, struct err *e)
{
    struct diff_config *c = config;
    const char *first = c->inputs.count != 0 ? c->inputs.list[0] : NULL;
    bool spooled =
        c->windows.options.pick.folder != NULL || c->windows.at != NULL;

    if (c->slow != NULL && spooled)
        return err_set(e, "--slow goes with a recording, not with --spool");
    if (window_options_plan(&c->windows.options, NULL, first, e) != 0 ||
        (spooled ? plan_windows : plan_recordings)(c, e) != 0)
        return -1;
    if (outputs_spare(&c->options.output, &c->inputs, e) != 0 ||
        outputs_plan(out, &c->options, c->options.output.count == 0, e) != 0)
        return -1;
    return outputs_choose(out, "diff", formats, e);
}

static void write_output(struct output *output, const struct report *look,
                         const void *what)
{
    if (output->format == &as_json)
        diff_json(output->to.out, what);
    else if (output->format == &as_page)
        diff_html(&output->to, what);
    else if (output->format == &as_markdown)
        diff_markdown(&output->to, look, what);
    else
        diff_text(output->to.out, look, what);
}

/* Compute the share of each side's busy time that has no function, as the mean
 * of its runs. */
static void find_no_name(struct diff_runs *d)
{
    const struct pairs *p = &d->pairs;
    size_t runs = d->sides[0].runs + d->sides[1].runs;

    for (size_t run = 0; run < runs; run++) {
        const struct amount *a = &p->amounts[run * (p->count + 1)];
        struct diff_side *side = &d->sides[run >= d->sides[0].runs];
        double sum = 0;

        for (size_t i = 0; i <= p->count; i++)
            sum += a[i].time;
        if (sum > 0)
            side->no_name += a[p->count].time / sum / (double)side->runs;
    }
}

/* Find the functions and counters that the rules of (c) name. Returns 0; -1
 * with (e) filled. */
static int find_rules(const struct diff_config *c, const struct diff *d,
                      struct fail_if_found *found, struct err *e)
{
    for (unsigned i = 0; i < c->fail_if_count; i++)
        if (fail_if_find(&c->fail_if[i], d, &found[i], e) != 0)
            return -1;
    return 0;
}

/* Print which rules of (c) are broken. Returns an enum exit_code. */
static int judge_rules(const struct diff_config *c, const struct diff *d,
                       const struct fail_if_found *found)
{
    int result = EXIT_DONE;

    for (unsigned i = 0; i < c->fail_if_count; i++) {
        struct err why;
        char text[sizeof why.text];

        if (!fail_if_holds(&c->fail_if[i], d, &found[i], &why))
            continue;
        (void)fprintf(stderr, "collector diff: %s\n",
                      text_escape(text, sizeof text, why.text));
        result = EXIT_CHANGED;
    }
    return result;
}

/* Write the selection (s) of both sides into (text): "core 1, without push". */
static void say_selected(char *text, size_t size, const struct selection *s)
{
    FILE *out = fmemopen(text, size - 1, "w");
    char name[128];
    const char *comma = "";

    memset(text, 0, size);
    if (out == NULL)
        return;
    for (size_t i = 0; i < s->cores.count; i++, comma = ", ") {
        uint32_t first = s->cores.spans[i].first, last = s->cores.spans[i].last;

        (void)fprintf(out, "%s%s%" PRIu32, comma, i != 0 ? "" : "core ", first);
        if (last > first)
            (void)fprintf(out, "-%" PRIu32, last);
    }
    if (s->time.from_s > 0 || s->time.to_s > 0) {
        (void)fprintf(out, "%sseconds %.6g", comma, s->time.from_s);
        if (s->time.to_s > 0)
            (void)fprintf(out, " to %.6g", s->time.to_s);
        else
            (void)fputs(" to the end", out);
        comma = ", ";
    }
    for (unsigned i = 0; i < s->exclude.count; i++, comma = ", ")
        (void)fprintf(out, "%swithout %s", comma,
                      text_escape(name, sizeof name, s->exclude.list[i]));
    (void)fclose(out);
}

/* Warn if the recordings are of two kernels, and not of two builds of one.
 * Returns -1 if there is no memory. */
static int warn_of_strangers(struct diff_runs *runs, const struct diff *d)
{
    double common[2] = {0}, least = 1;
    char text[160];

    for (size_t i = 0; i < d->count; i++) {
        if (!d->functions[i].has[0] || !d->functions[i].has[1])
            continue;
        common[0] += d->rows[i].all.before;
        common[1] += d->rows[i].all.after;
    }
    for (int side = 0; side < 2; side++)
        if (d->sides[side].no_name < 1 - COMMON_LEAST)
            least = fmin(least, common[side] / (1 - d->sides[side].no_name));
    if (least >= COMMON_LEAST)
        return 0;
    (void)snprintf(text, sizeof text,
                   "Functions that both sides have take %.1f %% of before and "
                   "%.1f %% of after: are these builds of one kernel?",
                   100 * common[0], 100 * common[1]);
    return diff_runs_warn_first(runs, text);
}

/* Write (d), and check the rules. Returns an enum exit_code, with (e) filled
 * for EXIT_FAILED and EXIT_USAGE. */
static int write_and_judge(const struct diff *d, const struct diff_config *c,
                           struct outputs *out, struct err *e)
{
    struct fail_if_found found[DIFF_FAIL_IF];

    if (find_rules(c, d, found, e) != 0)
        return EXIT_USAGE;
    if (outputs_open(out, e) != 0 ||
        outputs_write_by(out, write_output, d, e) != 0 ||
        outputs_close(out, true, e) != 0)
        return EXIT_FAILED;
    return judge_rules(c, d, found);
}

/* Compare the runs, and write the result. Returns an enum exit_code. */
static int show(struct diff_runs *runs, const struct diff_config *c,
                struct outputs *out, struct err *e)
{
    const struct pairs *p = &runs->pairs;
    struct compare_row *rows = calloc(p->count + 1, sizeof *rows);
    const struct compare_input in = {
        p->count, {runs->sides[0].runs, runs->sides[1].runs}, p->amounts, NULL};
    const struct compare_input tree = {runs->tree.parts,
                                       {in.runs[0], in.runs[1]},
                                       runs->tree.amounts,
                                       runs->tree.inside};
    struct compare_row *calls = calloc(runs->tree.parts + 1, sizeof *calls);
    struct compare_result of_tree;
    char selected[1024];
    struct diff d = {.selected = selected,
                     .functions = p->functions,
                     .rows = rows,
                     .count = p->count,
                     .tree = &runs->tree,
                     .calls = calls,
                     .waits = runs->slow.waits,
                     .of_requests = c->slow != NULL,
                     .show_tree = c->tree,
                     .by = c->by != 0 ? c->by - 1 : VIEW_BY_CORE,
                     .top = c->options.shown.top,
                     .all = c->options.shown.all};
    int result = EXIT_FAILED;

    say_selected(selected, sizeof selected, &c->options.selection);
    find_no_name(runs);
    memcpy(d.sides, runs->sides, sizeof d.sides);
    if (rows == NULL || calls == NULL || compare(&in, rows, &d.result) != 0 ||
        compare(&tree, calls, &of_tree) != 0 ||
        diff_units_state(&runs->units, &in, &d) != 0 ||
        (c->by != 0 && diff_groups_state(&runs->groups, in.runs, &d) != 0) ||
        (c->slow == NULL && warn_of_strangers(runs, &d) != 0)) {
        (void)err_memory(e);
    } else {
        diff_sums_state(&runs->sums, &d);
        d.warnings = runs->warnings;
        d.warning_count = runs->warning_count;
        result = write_and_judge(&d, c, out, e);
    }
    free(rows);
    free(calls);
    return result;
}

/* Open files by name before the sandbox, and read their contents in the
 * sandbox. */
static int start(struct diff_config *c, struct outputs *out, int *stop_fd,
                 struct err *e)
{
    bool spooled = c->windows.options.pick.folder != NULL;
    struct err lacking;

    *stop_fd = signals_catch(e);
    if (spooled && window_sides_open(&c->windows, e) != 0)
        return -1;
    c->options.from.listed = spooled ? &c->windows.lists[0] : NULL;
    if (*stop_fd < 0 ||
        confine_prepare_diff(&c->options.from, &c->inputs, out, e) != 0)
        return -1;
    if (confine_sampling(&c->options.from, &lacking) != 0) {
        *e = lacking;
        return -1;
    }
    if (lacking.text[0] != '\0')
        (void)fprintf(stderr, "collector diff: %s\n", lacking.text);
    if (spooled && window_sides_find_builds(&c->windows, e) != 0)
        return -1;
    return outputs_claim(out, e);
}

static int compare_runs(void *config, struct outputs *out)
{
    struct diff_config *c = config;
    struct diff_runs runs = {0};
    struct err e = {""};
    char text[sizeof e.text];
    int stop_fd = -1, result = EXIT_FAILED;

    if (start(c, out, &stop_fd, &e) == 0 &&
        diff_runs_read(&runs, c, stop_fd, &e) == 0)
        result = show(&runs, c, out, &e);
    else if (runs.empty)
        result = EXIT_EMPTY;
    signals_release(stop_fd, 0);
    (void)outputs_close(out, false, NULL);
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector diff: %s\n",
                      text_escape(text, sizeof text, e.text));
    diff_runs_fini(&runs);
    window_sides_fini(&c->windows);
    return result;
}

static const struct command_plan planned = {"collector diff", &help, plan_diff,
                                            compare_runs};

int cmd_diff_answer(const struct mcp_ask *ask)
{
    struct diff_config c = {.options = OPTIONS_DEFAULT, .windows.at = ask->at};

    mcp_ask_options(ask, &c.options);
    c.options.from.input = NULL;
    if (ask->recording != NULL) {
        c.inputs.list[c.inputs.count++] = ask->recording;
        c.inputs.list[c.inputs.count++] = ask->after;
    } else {
        c.windows.options.pick.folder = ask->config->spool;
        c.windows.options.pick.guest = ask->guest;
    }
    int result = command_run(&planned, &c, &c.options.from.guests);

    options_fini(&c.options);
    return result;
}

static int run_diff(int argc, char **argv)
{
    struct diff_config c = {.options = OPTIONS_DEFAULT};
    int result = command_main(&planned, &c, &c.options.from.guests, argc, argv);

    options_fini(&c.options);
    return result;
}

const struct subcommand cmd_diff = {"diff", &options, run_diff};

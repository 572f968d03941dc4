/* SPDX-License-Identifier: BSD-2-Clause */
/* collector report: reports on a recording, or on a captured stream. */
#include <stdio.h>
#include <string.h>

#include "annotate/annotate_part.h"
#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "fleet/mcp/mcp.h"
#include "fleet/serve/serve_config.h"
#include "recording/spool/spool_list.h"
#include "session/sampling.h"
#include "session/session_options.h"
#include "session/window_options.h"

#define NAME        "collector report"
#define PAGE_MEMORY (256u << 20) /* limit of a page that serve answers with */

struct report_config {
    struct options options;
    struct window_options windows;
    struct spool_list list; /* the windows */
};

#define AT(m) offsetof(struct report_config, options.m)

static const struct option_row build_rows[] = {
    {"build", 0, "ID", &option_text, offsetof(struct guest_config, build), 0, 0,
     "windows of the image with this build-id (default: first)"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Recordings and images:"),
    OPTION_ROWS(input_rows, AT(from)),
    OPTION_ROWS(window_rows, offsetof(struct report_config, windows)),
    OPTION_ROWS(build_rows, AT(from)),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(source_rows, AT(from)),
    OPTION_TITLE("What to show:"),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(time_rows, AT(selection)),
    OPTION_ROWS(report_rows, AT(shown)),
    OPTION_ROWS(of_rows, AT(shown)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(output_rows, AT(output)),
    OPTION_ROWS(markdown_rows, AT(output)),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_ROWS(names_rows, 0),
    OPTION_ROWS(text_rows, AT(output)),
    OPTION_ROWS(pager_rows, AT(shown)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(dead_memory_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " report", .groups = groups, .word = session_recording_word};

static const struct help help = {
    &options,
    "collector report [FILE] [option...]\n"
    "\n"
    "Reports on a recording (default: tprof.tprof), or on the bytes "
    "captured from a one-way channel (QEMU's -chardev file). FILE may "
    "be a pipe, and - is standard input. With -o it writes files and "
    "prints nothing. -o NEW.tprof writes the recording with the names "
    "of --elf in it.\n"
    "\n"
    "With --memory FILE it reports on a dead guest by its memory. With "
    "--spool DIR it reads windows that collector serve has kept, as one "
    "recording.",
    "  collector report\n"
    "  collector report monday.tprof --details --core 0,2-3 --time 2s..5s\n"
    "  collector report monday.tprof -o page.html -o profile.pb.gz\n"
    "  collector report --spool DIR --guest web --since -1h\n",
    CMD_STATUS};

static int plan_report(struct outputs *out, void *config, struct err *e)
{
    struct report_config *c = config;
    struct options *o = &c->options;

    if (window_options_plan(&c->windows, o->from.build, o->from.input, e) != 0)
        return -1;
    if (o->from.input == NULL && c->windows.pick.folder == NULL)
        o->from.input = session_default_recording(o->output.quiet);
    if (o->from.input == NULL && c->windows.pick.folder == NULL)
        return err_set(e, "which recording? no tprof.tprof is here; type: "
                          "collector report FILE; or "
                          "--memory FILE for a guest that is dead, or --spool "
                          "DIR");
    if (outputs_plan(out, o, o->output.count == 0, e) != 0)
        return -1;
    if (out->recording != NULL && selection_is_part(&o->selection))
        return err_set(e,
                       "-o %s: a recording holds all that was sampled: leave "
                       "--core and --time to the reports on it",
                       out->recording);
    outputs_plan_code(out, o);
    return 0;
}

static int work_report(void *config, struct outputs *out)
{
    struct report_config *c = config;
    const struct sampling_job job = {.command = NAME,
                                     .options = &c->options,
                                     .outputs = out,
                                     .part = annotate_page_part(&c->options)};
    struct err e;

    if (c->windows.pick.folder == NULL)
        return sampling_run(&job);
    if (spool_list_open(&c->list, &c->windows.pick, &e) != 0) {
        (void)fprintf(stderr, NAME ": %s\n", e.text);
        return EXIT_FAILED;
    }
    c->options.from.listed = &c->list;
    int result = sampling_run(&job);

    spool_list_fini(&c->list);
    return result;
}

static const struct command_plan planned = {NAME, &help, plan_report,
                                            work_report};

int cmd_report_page(const struct serve_page *page)
{
    struct report_config c = {
        .options = OPTIONS_DEFAULT,
        .windows = {.pick = {.folder = page->spool, .guest = page->guest},
                    .since = page->since,
                    .until = page->until}};
    struct guest_config *from = &c.options.from;
    int result = EXIT_FAILED;
    struct err e = {""};

    from->build = page->build;
    from->memory = PAGE_MEMORY;
    from->sandbox = page->from->sandbox;
    memcpy(from->symbols, page->from->symbols, sizeof from->symbols);
    from->symbols_count = page->from->symbols_count;
    c.options.shown.page_code = page->has_code ? OPTIONS_PAGE_USUAL : 0;
    c.options.output.count = 1;
    c.options.output.paths[0] = "-";
    c.options.output.formats[0] = "html";
    for (size_t i = 0; i < page->elf_count && e.text[0] == '\0'; i++)
        (void)guests_option(&from->guests, "elf", page->elfs[i], &e);
    if (e.text[0] == '\0')
        result = command_run(&planned, &c, &from->guests);
    else
        (void)fprintf(stderr, NAME ": %s\n", e.text);
    options_fini(&c.options);
    return result;
}

int cmd_report_answer(const struct mcp_ask *ask)
{
    struct report_config c = {
        .options = OPTIONS_DEFAULT,
        .windows = {.since = ask->since, .until = ask->until}};

    mcp_ask_options(ask, &c.options);
    if (ask->recording == NULL) {
        c.windows.pick.folder = ask->config->spool;
        c.windows.pick.guest = ask->guest;
    }
    int result = command_run(&planned, &c, &c.options.from.guests);

    options_fini(&c.options);
    return result;
}

static int run_report(int argc, char **argv)
{
    struct report_config c = {.options = OPTIONS_DEFAULT};

    c.options.shown.page_code = OPTIONS_PAGE_USUAL;
    int result = command_main(&planned, &c, &c.options.from.guests, argc, argv);

    options_fini(&c.options);
    return result;
}

const struct subcommand cmd_report = {"report", &options, run_report};

/* SPDX-License-Identifier: BSD-2-Clause */
/* collector: attach, sample, report. */
#include <stdio.h>

#include "annotate/annotate_part.h"
#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/help.h"
#include "cli/option_kinds.h"
#include "session/sampling.h"
#include "session/session_options.h"

struct live_config {
    struct options options;
    /* An option of these was found. The rest of the command line was not
     * read. */
    bool version, sandbox_report;
};

#define AT(m)  offsetof(struct live_config, options.m)
#define OWN(m) offsetof(struct live_config, m)

static const struct option_row own_rows[] = {
    {"sandbox-report", 0, NULL, &option_last, OWN(sandbox_report), 0, 0,
     "what this kernel lets the sandbox refuse"},
    {"version", 'V', NULL, &option_last, OWN(version), 0, 0,
     "the collector's version"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Guests and images:"),
    OPTION_MADE(session_source, AT(from)),
    OPTION_ROWS(guests_file_rows, AT(from)),
    OPTION_ROWS(guest_name_rows, AT(from)),
    OPTION_ROWS(input_rows, AT(from)),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(source_rows, AT(from)),
    OPTION_TITLE("What to sample:"),
    OPTION_ROWS(duration_rows, OWN(options)),
    OPTION_ROWS(wait_rows, AT(from)),
    OPTION_ROWS(rate_rows, AT(from)),
    OPTION_ROWS(depth_rows, AT(from)),
    OPTION_ROWS(unwind_rows, AT(from)),
    OPTION_TITLE("What to show:"),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(time_rows, AT(selection)),
    OPTION_ROWS(report_rows, AT(shown)),
    OPTION_ROWS(of_rows, AT(shown)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(output_rows, AT(output)),
    OPTION_ROWS(markdown_rows, AT(output)),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_ROWS(names_rows, OWN(options)),
    OPTION_ROWS(text_rows, AT(output)),
    OPTION_ROWS(pager_rows, AT(shown)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(connect_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(own_rows, 0),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = "", .groups = groups, .nearest = cmd_nearest};

/* Eight common tasks, each with a line to type. */
static const char first_screen[] =
    "collector shows what a unikernel does with its time.\n"
    "\n"
    "Start a guest in QEMU, sample it, and report when it ends:\n"
    "  collector run qemu-system-x86_64 -nographic -kernel kernel.elf\n"
    "Sample a guest that runs, for ten seconds:\n"
    "  collector --serial tprof.sock --elf kernel.elf -d 10s\n"
    "Sample a guest that has no agent, by QEMU's gdb stub:\n"
    "  collector --gdb gdb.sock --elf kernel.elf -d 10s\n"
    "Record now, and report as often as you like:\n"
    "  collector record --serial tprof.sock --elf kernel.elf -d 10s\n"
    "  collector report\n"
    "Open a page with flame graph, timeline and code in the browser:\n"
    "  collector view\n"
    "Show the busiest function, line by line:\n"
    "  collector annotate\n"
    "Show what changed since an earlier recording, and what is chance:\n"
    "  collector diff monday.tprof\n"
    "Watch a guest as it runs:\n"
    "  collector top --serial tprof.sock --elf kernel.elf\n"
    "\n"
    "Further commands: stacks, check, pgo, serve, push, compact, mcp, bridge.\n"
    "'collector help COMMAND' explains a command, 'collector help live' the\n"
    "options of collector itself, and 'man collector' everything.\n";

static const struct help help = {
    &options,
    "collector --serial PATH --elf FILE [option...]\n"
    "\n"
    "Samples guests until --duration, Ctrl-C, or their end, and reports.",
    "  collector --serial tprof.sock --elf kernel.elf\n"
    "  collector --vsock 3 --elf kernel.elf -d 10s --rate 1k -o page.html\n"
    "  collector --gdb gdb.sock --elf kernel.elf -d 1m\n",
    CMD_STATUS};

int cmd_live_help(void)
{
    return help_print(&help);
}

static int print_first_screen(int status)
{
    (void)fputs(first_screen, stdout);
    return status;
}

static int print_version(void)
{
    (void)puts("collector " COLLECTOR_VERSION);
    return EXIT_DONE;
}

/* Check that guests, or a recording, are named. */
static int plan_live(struct outputs *out, struct options *o, struct err *e)
{
    if (outputs_plan(out, o, true, e) != 0)
        return -1;
    if (o->from.guests.count != 0 && o->from.input != NULL)
        return err_set(e, "a guest or --input, not both");
    if (o->from.guests.count == 0 && o->from.input == NULL)
        return err_set(e, "where from? type: collector --serial PATH --elf FILE"
                          ", or collector report FILE");
    outputs_plan_code(out, o);
    return 0;
}

static int run_options(struct live_config *c, struct err *e)
{
    struct outputs out;
    struct sampling_job job = {
        .command = "collector", .options = &c->options, .outputs = &out};

    if (c->version)
        return print_version();
    if (c->sandbox_report)
        return confine_report();
    if (plan_live(&out, &c->options, e) != 0)
        return EXIT_USAGE;
    job.part = annotate_page_part(&c->options);
    return sampling_run(&job);
}

static int run_live(int argc, char **argv)
{
    struct live_config c = {.options = OPTIONS_DEFAULT};
    struct err e = {""};

    if (argc == 0)
        return print_first_screen(EXIT_USAGE);
    c.options.shown.page_code = OPTIONS_PAGE_USUAL;
    int result = option_parse(&c, &options, argc, argv, &e);

    if (result == OPTION_HELP)
        result = print_first_screen(EXIT_DONE);
    else if (result < 0 || guests_finish(&c.options.from.guests, &e) != 0)
        result = EXIT_USAGE;
    else
        result = run_options(&c, &e);
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector: %s\n", e.text);
    options_fini(&c.options);
    return result;
}

const struct subcommand cmd_live = {"", &options, run_live};

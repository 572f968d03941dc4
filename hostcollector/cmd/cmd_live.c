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
    /* One of these options was found. The rest of the command line was not
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
    OPTION_MADE(session_source, AT(from)),
    OPTION_ROWS(guests_file_rows, AT(from)),
    OPTION_ROWS(guest_name_rows, AT(from)),
    OPTION_ROWS(input_rows, AT(from)),
    OPTION_ROWS(elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(source_rows, AT(from)),
    OPTION_ROWS(duration_rows, OWN(options)),
    OPTION_ROWS(wait_rows, AT(from)),
    OPTION_ROWS(connect_rows, AT(from)),
    OPTION_ROWS(rate_rows, AT(from)),
    OPTION_ROWS(depth_rows, AT(from)),
    OPTION_ROWS(unwind_rows, AT(from)),
    OPTION_ROWS(output_rows, AT(output)),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(time_rows, AT(selection)),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(report_rows, AT(shown)),
    OPTION_ROWS(of_rows, AT(shown)),
    OPTION_ROWS(colour_rows, AT(output)),
    OPTION_ROWS(pager_rows, AT(shown)),
    OPTION_ROWS(names_rows, OWN(options)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(own_rows, 0),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = "", .groups = groups, .nearest = cmd_nearest};

static const struct help help = {
    &options,
    "collector: what does a unikernel do with its time?\n"
    "\n"
    "  collector --serial PATH --elf FILE ...   sample and report\n"
    "  collector --vsock CID --elf FILE ...     likewise\n"
    "  collector --gdb PATH --elf FILE ...      without an agent; --qmp "
    "likewise\n"
    "  collector run -- qemu-system-x86_64 ...  start QEMU, too\n"
    "  collector record ...                     sample into a file\n"
    "  collector report FILE ...                report on a file\n"
    "  collector annotate FUNCTION FILE         the lines and blocks of a "
    "function\n"
    "  collector diff BEFORE AFTER              what changed, and what is "
    "chance\n"
    "  collector pgo FILE -o kernel.prof        a profile for clang and rustc\n"
    "  collector top ...                        watch it as it runs\n"
    "  collector stacks ...                     every core's stack now: does "
    "it hang?\n"
    "  collector check --elf FILE               what would a profile of it "
    "show?\n"
    "  collector serve --watch DIR ...          many guests, for ever\n"
    "  collector compact DIR                    merge what serve has kept\n"
    "  collector push --to URL FOLDER ...       hand recordings on to a store\n"
    "  collector bridge ...                     vsock for QEMU without root\n"
    "  collector completion SHELL               complete lines in bash, zsh or "
    "fish\n"
    "  collector help COMMAND                   what a command understands\n"
    "\n"
    "Samples until --duration, Ctrl-C, or the guest's end.",
    CMD_STATUS
    "'collector help record' and its like tell more, 'man collector' all."};

static int print_version(void)
{
    (void)puts("collector " COLLECTOR_VERSION);
    return EXIT_DONE;
}

/* Guests must be named, or a recording. */
static int plan(struct outputs *out, struct options *o, struct err *e)
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
    if (plan(&out, &c->options, e) != 0)
        return EXIT_USAGE;
    job.part = annotate_page_part(&c->options);
    return sampling_run(&job);
}

static int run_live(int argc, char **argv)
{
    struct live_config c = {.options = OPTIONS_DEFAULT};
    struct err e = {""};

    c.options.shown.page_code = OPTIONS_PAGE_USUAL;
    int result = option_parse(&c, &options, argc, argv, &e);

    if (result == OPTION_HELP)
        result = help_print(&help);
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

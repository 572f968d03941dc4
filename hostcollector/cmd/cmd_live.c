/* SPDX-License-Identifier: BSD-2-Clause */
/* collector: attach, sample, report. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/help.h"
#include "cli/option_kinds.h"
#include "session/sampling.h"
#include "session/session_options.h"

#define AT(m) offsetof(struct options, m)

static const struct option_row own_rows[] = {
    {"sandbox-report", 0, NULL, &option_last, AT(sandbox_report), 0, 0,
     "what this kernel lets the sandbox refuse"},
    {"version", 'V', NULL, &option_last, AT(version), 0, 0,
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
    OPTION_ROWS(duration_rows, 0),
    OPTION_ROWS(wait_rows, AT(from)),
    OPTION_ROWS(connect_rows, AT(from)),
    OPTION_ROWS(rate_rows, AT(from)),
    OPTION_ROWS(depth_rows, AT(from)),
    OPTION_ROWS(unwind_rows, AT(from)),
    OPTION_ROWS(output_rows, 0),
    OPTION_ROWS(force_rows, 0),
    OPTION_ROWS(core_rows, 0),
    OPTION_ROWS(time_rows, 0),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(report_rows, 0),
    OPTION_ROWS(of_rows, 0),
    OPTION_ROWS(colour_rows, 0),
    OPTION_ROWS(pager_rows, 0),
    OPTION_ROWS(names_rows, 0),
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

static int run_options(struct options *o, struct err *e)
{
    struct outputs out;

    if (o->version)
        return print_version();
    if (o->sandbox_report)
        return confine_report();
    if (plan(&out, o, e) != 0)
        return EXIT_USAGE;
    return sampling_run("collector", o, &out, NULL);
}

static int run_live(int argc, char **argv)
{
    struct options o;
    struct err e = {""};

    options_init(&o);
    o.page_code = OPTIONS_PAGE_USUAL;
    int result = option_parse(&o, &options, argc, argv, &e);

    if (result == OPTION_HELP)
        result = help_print(&help);
    else if (result < 0 || guests_finish(&o.from.guests, &e) != 0)
        result = EXIT_USAGE;
    else
        result = run_options(&o, &e);
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector: %s\n", e.text);
    options_fini(&o);
    return result;
}

const struct subcommand cmd_live = {"", &options, run_live};

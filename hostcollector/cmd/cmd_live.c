/* SPDX-License-Identifier: BSD-2-Clause */
/* collector: attach, sample, report. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/help.h"
#include "session/sampling.h"

static const struct help help = {
    COMMAND_LIVE,
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
    if (o->guests.count != 0 && o->input != NULL)
        return err_set(e, "a guest or --input, not both");
    if (o->guests.count == 0 && o->input == NULL)
        return err_set(e, "where from? type: collector --serial PATH --elf FILE"
                          ", or collector report FILE");
    outputs_plan_code(out, o);
    return 0;
}

static int run_options(struct options *o, struct err *e)
{
    struct outputs out;

    if (o->help)
        return help_print(&help);
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
    int result = EXIT_USAGE;

    if (options_parse(&o, COMMAND_LIVE, argc, argv, &e) == 0)
        result = run_options(&o, &e);
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector: %s\n", e.text);
    options_fini(&o);
    return result;
}

const struct subcommand cmd_live = {"", run_live};

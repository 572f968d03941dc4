/* SPDX-License-Identifier: BSD-2-Clause */
/* collector: attach, sample, report. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/sampling.h"

static int print_help(void)
{
    (void)fputs(
        "collector: what does a unikernel do with its time?\n"
        "\n"
        "  collector --vsock CID --elf FILE [option...]     sample and report\n"
        "  collector record ...                             sample into a "
        "file\n"
        "  collector report FILE ...                        report on a file\n"
        "  collector check --elf FILE                       what would a "
        "profile of it show?\n"
        "  collector bridge ...                             vsock for QEMU "
        "without root\n"
        "\n"
        "Samples until --duration, Ctrl-C, or the guest's end. Options:\n",
        stdout);
    options_help(stdout, COMMAND_LIVE);
    (void)fputs("      --version               the collector's version\n"
                "\n"
                "'collector record --help' and 'collector report --help' tell "
                "more, 'man collector' all.\n",
                stdout);
    return EXIT_DONE;
}

/* Guests must be named, or a recording. */
static int plan(struct outputs *out, const struct options *o, struct err *e)
{
    if (outputs_plan(out, o, true, e) != 0)
        return -1;
    if (o->guests.count != 0 && o->input != NULL)
        return err_set(e, "a guest or --input, not both");
    if (o->guests.count == 0 && o->input == NULL)
        return err_set(e, "where from? type: collector --vsock CID --elf FILE, "
                          "or collector report FILE");
    return 0;
}

static int run_live(int argc, char **argv)
{
    struct options o;
    struct outputs out;
    struct err e = {""};
    int result = EXIT_USAGE;

    if (argc > 0 && strcmp(argv[0], "--version") == 0) {
        (void)puts("collector " COLLECTOR_VERSION);
        return EXIT_DONE;
    }
    if (options_parse(&o, COMMAND_LIVE, argc, argv, &e) != 0 ||
        (!o.help && plan(&out, &o, &e) != 0))
        (void)fprintf(stderr, "collector: %s\n", e.text);
    else
        result =
            o.help ? print_help() : sampling_run("collector", &o, &out, NULL);
    options_fini(&o);
    return result;
}

const struct subcommand cmd_live = {"", run_live};

/* SPDX-License-Identifier: BSD-2-Clause */
/* collector: attach, sample, report. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/session.h"

static int help(void)
{
    (void)fputs(
        "collector: what does a unikernel do with its time?\n"
        "\n"
        "  collector --serial PATH --elf FILE [option...]   sample and report\n"
        "  collector record ...                             sample into a "
        "file\n"
        "  collector report FILE ...                        report on a file\n"
        "\n"
        "Samples until --duration, Ctrl-C, or the guest's end. Options:\n",
        stdout);
    options_help(stdout, COMMAND_LIVE);
    (void)fputs("      --version           the collector's version\n"
                "\n"
                "'collector record --help' and 'collector report --help' tell "
                "more, 'man collector' all.\n",
                stdout);
    return EXIT_DONE;
}

/* Exactly one place must be named where samples come from. */
static struct source *open_source(const struct options *o, struct err *e)
{
    if (o->serial != NULL && o->input != NULL) {
        (void)err_set(e, "--serial or --input, not both");
        return NULL;
    }
    if (o->serial == NULL && o->input == NULL) {
        (void)err_set(e, "where from? type: collector --serial PATH --elf "
                         "FILE, or collector report FILE");
        return NULL;
    }
    return o->serial != NULL ? source_serial(o->serial, e)
                             : source_replay(o->input, e);
}

static int run_live(int argc, char **argv)
{
    struct options o;
    struct outputs out;
    struct err e = {""};
    struct source *source;

    if (argc > 0 && strcmp(argv[0], "--version") == 0) {
        (void)puts("collector " COLLECTOR_VERSION);
        return EXIT_DONE;
    }
    if (options_parse(&o, COMMAND_LIVE, argc, argv, &e) != 0)
        goto usage;
    if (o.help)
        return help();
    if (outputs_plan(&out, &o, true, &e) != 0)
        goto usage;
    source = open_source(&o, &e);
    if (source == NULL)
        goto usage;
    return session_run("collector", source, &o, &out, NULL);

usage:
    (void)fprintf(stderr, "collector: %s\n", e.text);
    return EXIT_USAGE;
}

const struct command cmd_live = {"", run_live};

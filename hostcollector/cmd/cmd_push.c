/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push: recordings, into the stores that people have. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/help.h"
#include "fleet/push/push_session.h"

static const struct help help = {
    COMMAND_PUSH,
    "collector push --to URL [--from] FOLDER|FILE... [option...]\n"
    "\n"
    "Hands recordings on to a store. A folder is a queue: each *.tprof in it "
    "is sent once, the oldest first; a file beside it says so. A recording is "
    "of the guest that its name says: web1.tprof, or web1.TIME.tprof with "
    "digits for TIME. Windows of collector serve have no names of functions: "
    "--symbols or --elf gives them.\n"
    "\n"
    "  --to ./profiles                         a folder\n"
    "  --to clickhouse+http://127.0.0.1:8123/  the tables of clickhouse.sql\n"
    "  --to KIND+https://HOST/                 KIND is pyroscope, "
    "pyroscope-folded,\n"
    "                                          pyroscope-push, parca, coroot, "
    "otlp,\n"
    "                                          otlp-json or s3",
    "Exit status: 0 all is delivered, 1 something is not, 2 the line makes no "
    "sense."};

static int check_options(const struct options *o, struct err *e)
{
    if (o->to == NULL)
        return err_set(e, "where to? type: collector push --to URL FOLDER");
    if (o->input_count == 0)
        return err_set(e, "what? type: collector push --to %s FOLDER", o->to);
    if (o->key != NULL && o->cert == NULL)
        return err_set(e, "--key is that of a --cert: name both");
    return 0;
}

static int run_push(int argc, char **argv)
{
    struct options o;
    struct err e = {""};
    int result = EXIT_USAGE;

    if (options_parse(&o, COMMAND_PUSH, argc, argv, &e) == 0) {
        e.text[0] = '\0';
        if (o.help)
            result = help_print(&help);
        else if (check_options(&o, &e) == 0)
            result = push_session_run(&o, &e);
    }
    if (e.text[0] != '\0')
        (void)fprintf(stderr, "collector push: %s\n", e.text);
    options_fini(&o);
    return result;
}

const struct subcommand cmd_push = {"push", run_push};

/* SPDX-License-Identifier: BSD-2-Clause */
/* collector annotate: the lines and basic blocks of one function. */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/sampling.h"

static int print_help(void)
{
    (void)fputs(
        "collector annotate [FUNCTION] FILE [option...]\n"
        "\n"
        "Shows one function of the recording FILE: its source lines and the "
        "basic blocks of\n"
        "its code, each with the share of its samples and how far that may be "
        "off.\n"
        "FUNCTION is a name or a part of one; without it the busiest function "
        "is shown.\n"
        "The code comes from the guest's image, which must be the one that "
        "ran.\n"
        "\n",
        stdout);
    options_help(stdout, COMMAND_ANNOTATE);
    (void)fputs("\n" CMD_STATUS, stdout);
    return EXIT_DONE;
}

/* Was FILE typed before FUNCTION? */
static bool is_turned(const struct options *o)
{
    return o->function != NULL && access(o->input, F_OK) != 0 &&
           access(o->function, F_OK) == 0;
}

static int plan(struct outputs *out, struct options *o, struct err *e)
{
    if (o->input == NULL)
        return err_set(
            e, "which recording? type: collector annotate FUNCTION FILE");
    if (is_turned(o)) {
        const char *function = o->input;

        o->input = o->function;
        o->function = function;
    }
    o->annotate = true;
    return outputs_plan(out, o, true, e);
}

static int run_annotate(int argc, char **argv)
{
    struct options o;
    struct outputs out;
    struct err e = {""};
    int result = EXIT_USAGE;

    if (options_parse(&o, COMMAND_ANNOTATE, argc, argv, &e) != 0 ||
        (!o.help && plan(&out, &o, &e) != 0))
        (void)fprintf(stderr, "collector annotate: %s\n", e.text);
    else
        result = o.help ? print_help()
                        : sampling_run("collector annotate", &o, &out, NULL);
    options_fini(&o);
    return result;
}

const struct subcommand cmd_annotate = {"annotate", run_annotate};

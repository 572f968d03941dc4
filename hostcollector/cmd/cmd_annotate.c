/* SPDX-License-Identifier: BSD-2-Clause */
/* collector annotate: the lines and basic blocks of one function. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/command_main.h"
#include "session/sampling.h"

static const struct help help = {
    COMMAND_ANNOTATE,
    "collector annotate [FUNCTION] FILE [option...]\n"
    "\n"
    "Shows one function of the recording FILE: its source lines and the basic "
    "blocks of its code, each with the share of its samples and how far that "
    "may be off. FUNCTION is a name or a part of one; without it the busiest "
    "function is shown. The code comes from the guest's image, which must be "
    "the one that ran.",
    "Exit status: 0 done, 1 failed, 2 the line makes no sense, 3 no samples, "
    "or no such function."};

/* What there is to write. */
static const struct render_ops *const formats[] = {
    &render_txt, &render_annotate_json, &render_html, NULL};

/* Was FILE typed before FUNCTION? */
static bool is_turned(const struct options *o)
{
    return o->function != NULL && access(o->input, F_OK) != 0 &&
           access(o->function, F_OK) == 0;
}

/* Is the one word that was typed a function, and no file? */
static bool lacks_file(const struct options *o)
{
    const char *end = strrchr(o->input, '.');

    return o->function == NULL && strcmp(o->input, "-") != 0 &&
           strchr(o->input, '/') == NULL &&
           (end == NULL || strcmp(end, ".tprof") != 0) &&
           access(o->input, F_OK) != 0;
}

static int plan(struct outputs *out, struct options *o, struct err *e)
{
    if (o->input == NULL)
        return err_set(
            e, "which recording? type: collector annotate FUNCTION FILE");
    if (lacks_file(o))
        return err_set(e, "which recording? type: collector annotate %s FILE",
                       o->input);
    if (is_turned(o)) {
        const char *function = o->input;

        o->input = o->function;
        o->function = function;
    }
    o->annotate = true;
    if (outputs_plan(out, o, o->output_count == 0, e) != 0)
        return -1;
    outputs_plan_code(out, o);
    o->reads_sources = true;
    return outputs_choose(out, "annotate", formats, e);
}

static int work(const struct options *o, struct outputs *out)
{
    return sampling_run("collector annotate", o, out, NULL);
}

static int run_annotate(int argc, char **argv)
{
    static const struct command_plan planned = {"collector annotate", &help,
                                                plan, work};

    return command_main(&planned, argc, argv);
}

const struct subcommand cmd_annotate = {"annotate", run_annotate};

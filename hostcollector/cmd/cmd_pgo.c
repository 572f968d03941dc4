/* SPDX-License-Identifier: BSD-2-Clause */
/* collector pgo: a recording as a profile for a compiler. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/sampling.h"

static int print_help(void)
{
    (void)fputs(
        "collector pgo FILE -o kernel.prof [--elf FILE] [option...]\n"
        "\n"
        "Writes the recording FILE as LLVM's sample profile in text: what "
        "clang takes by\n"
        "-fprofile-sample-use=kernel.prof, and rustc by -Z "
        "profile-sample-use=kernel.prof.\n"
        "The kernel that was sampled must have been compiled by 'clang -g "
        "-fdebug-info-for-\n"
        "profiling' (rustc: -g -Z debug-info-for-profiling), and its image "
        "must be the one\n"
        "that ran. A profile with too few samples is refused.\n"
        "\n",
        stdout);
    options_help(stdout, COMMAND_PGO);
    (void)fputs("\nExit status: 0 done, 1 failed, also if the profile would "
                "mislead, 2 the line\nmakes no sense.\n",
                stdout);
    return EXIT_DONE;
}

static int plan(struct outputs *out, struct options *o, struct err *e)
{
    if (o->input == NULL)
        return err_set(
            e, "which recording? type: collector pgo FILE -o kernel.prof");
    o->pgo = true;
    return outputs_plan_only(out, o, &render_pgo, e);
}

static int run_pgo(int argc, char **argv)
{
    struct options o;
    struct outputs out;
    struct err e = {""};
    int result = EXIT_USAGE;

    if (options_parse(&o, COMMAND_PGO, argc, argv, &e) != 0 ||
        (!o.help && plan(&out, &o, &e) != 0))
        (void)fprintf(stderr, "collector pgo: %s\n", e.text);
    else
        result = o.help ? print_help()
                        : sampling_run("collector pgo", &o, &out, NULL);
    options_fini(&o);
    return result;
}

const struct subcommand cmd_pgo = {"pgo", run_pgo};

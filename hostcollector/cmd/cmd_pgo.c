/* SPDX-License-Identifier: BSD-2-Clause */
/* collector pgo: a recording as a profile for a compiler. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/planned.h"
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

static int work(const struct options *o, struct outputs *out)
{
    return sampling_run("collector pgo", o, out, NULL);
}

static int run_pgo(int argc, char **argv)
{
    static const struct planned planned = {"collector pgo", COMMAND_PGO,
                                           print_help, plan, work};

    return planned_run(&planned, argc, argv);
}

const struct subcommand cmd_pgo = {"pgo", run_pgo};

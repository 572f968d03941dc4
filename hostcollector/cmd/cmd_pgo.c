/* SPDX-License-Identifier: BSD-2-Clause */
/* collector pgo: a recording as a profile for a compiler. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/command_main.h"
#include "session/sampling.h"

static const struct help help = {
    COMMAND_PGO,
    "collector pgo FILE -o kernel.prof [--elf FILE] [option...]\n"
    "\n"
    "Writes the recording FILE as LLVM's sample profile in text, for\n"
    "\n"
    "  clang -fprofile-sample-use=kernel.prof\n"
    "  rustc -Z profile-sample-use=kernel.prof\n"
    "\n"
    "The kernel must have been compiled by 'clang -g "
    "-fdebug-info-for-profiling' or 'rustc -g -Z debug-info-for-profiling', "
    "and its image must be the one that ran. A profile with too few samples is "
    "refused. -o kernel.fdata is for llvm-bolt, and a kernel by any compiler.",
    "Exit status: 0 done, 1 failed, also if the profile would mislead, 2 the "
    "line makes no sense."};

/* Is (path) one of BOLT's profiles, by its suffix? */
static bool is_fdata(const char *path)
{
    size_t length = strlen(path), suffix = strlen(".fdata");

    return length > suffix && strcmp(path + length - suffix, ".fdata") == 0;
}

static int plan(struct outputs *out, struct options *o, struct err *e)
{
    if (o->input == NULL)
        return err_set(
            e, "which recording? type: collector pgo FILE -o kernel.prof");
    o->pgo = true;
    o->pgo_by_address = o->output_count != 0 && is_fdata(o->outputs[0]);
    for (unsigned i = 1; i < o->output_count; i++)
        if (is_fdata(o->outputs[i]) != o->pgo_by_address)
            return err_set(e, "-o %s and -o %s: type two commands",
                           o->outputs[0], o->outputs[i]);
    return outputs_plan_only(
        out, o, o->pgo_by_address ? &render_fdata : &render_pgo, e);
}

static int work(const struct options *o, struct outputs *out)
{
    return sampling_run("collector pgo", o, out, NULL);
}

static int run_pgo(int argc, char **argv)
{
    static const struct command_plan planned = {"collector pgo", &help, plan,
                                                work};

    return command_main(&planned, argc, argv);
}

const struct subcommand cmd_pgo = {"pgo", run_pgo};

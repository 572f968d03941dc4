/* SPDX-License-Identifier: BSD-2-Clause */
/* collector pgo: writes a recording as a profile for a compiler. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/command_main.h"
#include "cli/option_kinds.h"
#include "pgo/pgo_part.h"
#include "session/sampling.h"
#include "session/session_options.h"

#define AT(m) offsetof(struct options, m)

static const struct option_row own_rows[] = {
    {"output", 'o', "FILE", &option_output, 0, 0, 0,
     "write FILE, not to standard output"},
    {.name = NULL}};

static const struct option_group groups[] = {
    OPTION_TITLE("Recordings and images:"),
    OPTION_ROWS(recorded_elf_rows, AT(from)),
    OPTION_ROWS(symbols_rows, AT(from)),
    OPTION_ROWS(core_rows, AT(selection)),
    OPTION_ROWS(time_rows, AT(selection)),
    OPTION_TITLE("Where to write:"),
    OPTION_ROWS(own_rows, AT(output)),
    OPTION_ROWS(force_rows, AT(output)),
    OPTION_TITLE("Limits and trust:"),
    OPTION_ROWS(memory_rows, AT(from)),
    OPTION_ROWS(sandbox_rows, AT(from.sandbox)),
    OPTION_ROWS(help_rows, 0),
    OPTION_END};

static const struct option_set options = {
    .command = " pgo", .groups = groups, .word = session_recording_word};

static const struct help help = {
    &options,
    "collector pgo [FILE] -o kernel.prof [--elf FILE] [option...]\n"
    "\n"
    "Writes the recording FILE (default: tprof.tprof) as LLVM's sample profile "
    "in text, for\n"
    "\n"
    "  clang -fprofile-sample-use=kernel.prof\n"
    "  rustc -Z profile-sample-use=kernel.prof\n"
    "\n"
    "The kernel must have been compiled by 'clang -g "
    "-fdebug-info-for-profiling' or 'rustc -g -Z debug-info-for-profiling', "
    "and its image must be the one that ran. A profile with too few samples is "
    "refused. -o kernel.fdata is for llvm-bolt, and a kernel by any compiler.",
    "  collector pgo -o kernel.prof\n"
    "  collector pgo monday.tprof --elf kernel.elf -o kernel.prof\n"
    "  collector pgo monday.tprof -o kernel.fdata\n",
    "Exit status: 0 done, 1 failed, also if the profile would mislead, 2 the "
    "command line is wrong."};

/* Is (path) a profile for BOLT, by its suffix? */
static bool is_fdata(const char *path)
{
    size_t length = strlen(path), suffix = strlen(".fdata");

    return length > suffix && strcmp(path + length - suffix, ".fdata") == 0;
}

/* Is the output for BOLT, and not for a compiler? */
static bool is_bolt(const struct options *o)
{
    return o->output.count != 0 && is_fdata(o->output.paths[0]);
}

static int plan_pgo(struct outputs *out, void *config, struct err *e)
{
    struct options *o = config;

    if (o->from.input == NULL)
        o->from.input = session_default_recording(o->output.quiet);
    if (o->from.input == NULL)
        return err_set(
            e,
            "which recording? no tprof.tprof is here; type: collector pgo FILE "
            "-o kernel.prof");
    bool fdata = is_bolt(o);

    for (unsigned i = 1; i < o->output.count; i++)
        if (is_fdata(o->output.paths[i]) != fdata)
            return err_set(e,
                           "-o %s and -o %s: a command writes only .fdata, or "
                           "no .fdata; type a command for each file",
                           o->output.paths[0], o->output.paths[i]);
    return outputs_plan_only(out, o, fdata ? &render_fdata : &render_pgo, e);
}

static int work_pgo(void *config, struct outputs *out)
{
    const struct options *o = config;
    const struct sampling_job job = {.command = "collector pgo",
                                     .options = o,
                                     .outputs = out,
                                     .part = is_bolt(o) ? &pgo_part_by_address
                                                        : &pgo_part};

    return sampling_run(&job);
}

static int run_pgo(int argc, char **argv)
{
    static const struct command_plan planned = {"collector pgo", &help,
                                                plan_pgo, work_pgo};
    struct options o = OPTIONS_DEFAULT;
    int result = command_main(&planned, &o, &o.from.guests, argc, argv);

    options_fini(&o);
    return result;
}

const struct subcommand cmd_pgo = {"pgo", &options, run_pgo};

/* SPDX-License-Identifier: BSD-2-Clause */
/* collector report: what a recording, or a captured stream, tells. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/planned.h"
#include "cmd/sampling.h"

static int print_help(void)
{
    (void)fputs("collector report FILE [option...]\n"
                "\n"
                "Reports on a recording, or on the bytes captured from a "
                "one-way channel (QEMU's\n"
                "-chardev file); FILE may be a pipe, and - is standard "
                "input. With -o it writes\n"
                "those files and prints nothing; -o NEW.tprof is the recording "
                "with the names of\n"
                "--elf in it.\n"
                "\n"
                "With --memory FILE it reports on a guest that is dead, by "
                "its memory.\n"
                "\n",
                stdout);
    options_help(stdout, COMMAND_REPORT);
    (void)fputs("\n" CMD_STATUS, stdout);
    return EXIT_DONE;
}

static int plan(struct outputs *out, struct options *o, struct err *e)
{
    if (o->input == NULL)
        return err_set(e, "which recording? type: collector report FILE; or "
                          "--memory FILE for a guest that is dead");
    if (outputs_plan(out, o, o->output_count == 0, e) != 0)
        return -1;
    if (out->recording != NULL && options_select(o))
        return err_set(e,
                       "-o %s: a recording holds all that was sampled: leave "
                       "--core and --time to the reports on it",
                       out->recording);
    outputs_plan_code(out, o);
    return 0;
}

static int work(const struct options *o, struct outputs *out)
{
    return sampling_run("collector report", o, out, NULL);
}

static int run_report(int argc, char **argv)
{
    static const struct planned planned = {"collector report", COMMAND_REPORT,
                                           print_help, plan, work};

    return planned_run(&planned, argc, argv);
}

const struct subcommand cmd_report = {"report", run_report};

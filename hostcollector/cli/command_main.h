/* SPDX-License-Identifier: BSD-2-Clause */
/* The main function of commands that plan their outputs before they work. */
#ifndef TPROF_CLI_COMMAND_MAIN_H
#define TPROF_CLI_COMMAND_MAIN_H

#include "cli/help.h"
#include "cli/output.h"
#include "util/err.h"

struct command_plan {
    /* "collector report": the beginning of its error messages */
    const char *name;
    const struct help *help;
    /* Fill (out) from (config). Returns 0; -1 with (e) filled. */
    int (*plan)(struct outputs *out, void *config, struct err *e);
    /* Returns an enum exit_code. */
    int (*work)(void *config, struct outputs *out);
};

/* Run the command with the (argc) words at (argv). (config) has the defaults
 * and contains (guests). Returns an enum exit_code. */
int command_main(const struct command_plan *p, void *config,
                 struct guests *guests, int argc, char **argv);

/* Run the command without words. (config) is complete, as if a command line had
 * been read into it. */
int command_run(const struct command_plan *p, void *config,
                struct guests *guests);

#endif

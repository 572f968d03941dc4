/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands that plan their outputs, and then work, have in common. */
#ifndef TPROF_CLI_COMMAND_MAIN_H
#define TPROF_CLI_COMMAND_MAIN_H

#include "cli/help.h"
#include "cli/output.h"
#include "util/err.h"

struct command_plan {
    const char *name; /* "collector report": what its errors begin with */
    const struct help *help;
    /* Fill (out) from (config). Returns 0; -1 with (e) filled. */
    int (*plan)(struct outputs *out, void *config, struct err *e);
    /* Returns an enum exit_code. */
    int (*work)(const void *config, struct outputs *out);
};

/* Run the command with the (argc) words at (argv), and (config), which has its
 * defaults, (guests) among it. Returns an enum exit_code. */
int command_main(const struct command_plan *p, void *config,
                 struct guests *guests, int argc, char **argv);

#endif

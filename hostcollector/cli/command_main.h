/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands that plan their outputs, and then work, have in common. */
#ifndef TPROF_CLI_COMMAND_MAIN_H
#define TPROF_CLI_COMMAND_MAIN_H

#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "util/err.h"

struct command_plan {
    const char *name; /* "collector report": what its errors begin with */
    const struct help *help;
    /* Fill (out) from (o). Returns 0; -1 with (e) filled. */
    int (*plan)(struct outputs *out, struct options *o, struct err *e);
    /* Returns an enum exit_code. */
    int (*work)(const struct options *o, struct outputs *out);
};

/* Run the command with the (argc) words at (argv), and (o), which has its
 * defaults. Returns an enum exit_code. */
int command_main(const struct command_plan *p, struct options *o, int argc,
                 char **argv);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands that plan their outputs, and then work, have in common. */
#ifndef TPROF_CMD_PLANNED_H
#define TPROF_CMD_PLANNED_H

#include "cmd/help.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "util/err.h"

struct planned {
    const char *name; /* "collector report": what its errors begin with */
    const struct help *help;
    /* Fill (out) from (o). Returns 0; -1 with (e) filled. */
    int (*plan)(struct outputs *out, struct options *o, struct err *e);
    /* Returns an enum exit_code. */
    int (*work)(const struct options *o, struct outputs *out);
};

/* Run the command with the (argc) words at (argv). Returns an enum exit_code.
 */
int planned_run(const struct planned *p, int argc, char **argv);

#endif

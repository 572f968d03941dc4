/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a command's --help, in lines that fit every terminal. */
#ifndef TPROF_CLI_HELP_H
#define TPROF_CLI_HELP_H

#include <stdio.h>

#include "cli/option_table.h"

#define HELP_COLUMNS 80

/* Each line of a text is a paragraph, which is broken between words if it is
 * longer than HELP_COLUMNS. Lines that begin with a blank are not broken. */
struct help {
    const struct option_set *options; /* printed between the two texts */
    const char *before;               /* usage and purpose of the command */
    const char *examples; /* lines to type, indented by two blanks; or NULL */
    const char *after;    /* meaning of the exit status; or NULL */
};

/* Write (h) to stdout. Returns EXIT_DONE. */
int help_print(const struct help *h);

/* Write the options of (set) to (out), one line or more each. */
void help_options(FILE *out, const struct option_set *set);

#endif

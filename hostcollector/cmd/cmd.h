/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of `collector`. Only these print errors and pick exit codes. */
#ifndef TPROF_CMD_CMD_H
#define TPROF_CMD_CMD_H

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* one line on stderr says why */
    EXIT_USAGE = 2,  /* likewise, and what to type */
};

struct subcommand {
    const char *name; /* as typed; "" for the one that needs no name */
    /* (argc) words at (argv) follow the name. Returns an enum exit_code. */
    int (*run)(int argc, char **argv);
};

extern const struct subcommand cmd_bridge;
extern const struct subcommand cmd_check;
extern const struct subcommand cmd_live;
extern const struct subcommand cmd_record;
extern const struct subcommand cmd_report;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of `collector`. Only these print errors and pick exit codes. */
#ifndef TPROF_CLI_COMMAND_H
#define TPROF_CLI_COMMAND_H

#include <stddef.h>

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,  /* one line on stderr says why */
    EXIT_USAGE = 2,   /* likewise, and what to type */
    EXIT_EMPTY = 3,   /* nothing failed, but there is no sample */
    EXIT_CHANGED = 4, /* collector diff: by more than --fail-if allows */
    /* What reads a recording for collector push: a file of --elf cannot be
     * read; the guest's kernel is in none of the files. */
    EXIT_NO_IMAGE = 5,
    EXIT_OTHER_IMAGE = 6,
};

/* What --help says of it, for commands that report or record. */
#define CMD_STATUS                                                             \
    "Exit status: 0 done, 1 failed, 2 the line makes no sense, 3 no "          \
    "samples.\n"

struct option_set;

struct subcommand {
    const char *name; /* as typed; "" for the one that needs no name */
    const struct option_set *options; /* NULL: none */
    /* (argc) words at (argv) follow the name. Returns an enum exit_code. */
    int (*run)(int argc, char **argv);
};

/* The command called (name); NULL: there is none. */
const struct subcommand *cmd_find(const char *name);

/* Command (i) of those that have names; NULL behind the last. */
const struct subcommand *cmd_at(size_t i);

/* The name of the command that is most like (name); NULL: none is like it. */
const char *cmd_nearest(const char *name);

extern const struct subcommand cmd_annotate;
extern const struct subcommand cmd_bridge;
extern const struct subcommand cmd_check;
extern const struct subcommand cmd_compact;
extern const struct subcommand cmd_completion;
extern const struct subcommand cmd_diff;
extern const struct subcommand cmd_live;
extern const struct subcommand cmd_pgo;
extern const struct subcommand cmd_push;
extern const struct subcommand cmd_record;
extern const struct subcommand cmd_report;
extern const struct subcommand cmd_run;
extern const struct subcommand cmd_serve;
extern const struct subcommand cmd_stacks;
extern const struct subcommand cmd_top;

#endif

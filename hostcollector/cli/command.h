/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of `collector`. Only commands print errors and choose exit
 * codes. */
#ifndef TPROF_CLI_COMMAND_H
#define TPROF_CLI_COMMAND_H

#include <stddef.h>

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* one line on stderr says why */
    EXIT_USAGE = 2,  /* one line on stderr says why and what to type */
    EXIT_EMPTY = 3,  /* nothing failed, but there are no samples */
    EXIT_CHANGED =
        4, /* collector diff: a change is larger than --fail-if allows */
    /* Used only by the process in which collector push reads one recording.
     * EXIT_NO_IMAGE: a file of --elf cannot be read. EXIT_OTHER_IMAGE: no file
     * of --elf is the guest's kernel. */
    EXIT_NO_IMAGE = 5,
    EXIT_OTHER_IMAGE = 6,
};

/* Exit statuses in the --help of commands that report or record. */
#define CMD_STATUS                                                             \
    "Exit status: 0 done, 1 failed, 2 the command line is wrong, 3 no "        \
    "samples.\n"

struct option_set;

struct subcommand {
    const char *name; /* as typed; "" for the command without a name */
    const struct option_set *options; /* NULL: none */
    /* Run the command with the (argc) words at (argv) after its name. Returns
     * an enum exit_code. */
    int (*run)(int argc, char **argv);
};

/* Return the command (name), also if it is for scripts only; NULL if no command
 * has that name. */
const struct subcommand *cmd_find(const char *name);

/* Return command (i) of the commands that users type, without cmd_live; NULL
 * after the last. */
const struct subcommand *cmd_at(size_t i);

/* Return the name of the command that is most similar to (name); NULL if none
 * is similar. */
const char *cmd_nearest(const char *name);

/* Write the options of `collector` without a command. Returns EXIT_DONE. */
int cmd_live_help(void);

/* Write the page of a guest to standard output, as `collector report --spool`
 * does: for struct serve_config. Returns an enum exit_code. */
struct serve_page;
int cmd_report_page(const struct serve_page *page);

/* For struct mcp_config: write the answer of a command to standard output.
 * Return an enum exit_code. */
struct mcp_ask;
int cmd_report_answer(const struct mcp_ask *ask);
int cmd_annotate_answer(const struct mcp_ask *ask);
int cmd_diff_answer(const struct mcp_ask *ask);
int cmd_check_answer(const struct mcp_ask *ask);

extern const struct subcommand cmd_annotate;
extern const struct subcommand cmd_bridge;
extern const struct subcommand cmd_check;
extern const struct subcommand cmd_compact;
extern const struct subcommand cmd_complete;
extern const struct subcommand cmd_diff;
extern const struct subcommand cmd_live;
extern const struct subcommand cmd_mcp;
extern const struct subcommand cmd_pgo;
extern const struct subcommand cmd_push;
extern const struct subcommand cmd_record;
extern const struct subcommand cmd_report;
extern const struct subcommand cmd_run;
extern const struct subcommand cmd_serve;
extern const struct subcommand cmd_stacks;
extern const struct subcommand cmd_top;
extern const struct subcommand cmd_view;

#endif

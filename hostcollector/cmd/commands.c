/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands, and `collector help`. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "util/text.h"

static int run_help(int argc, char **argv);

static const struct subcommand help = {"help", NULL, run_help};

static const struct subcommand *const commands[] = {
    &cmd_run,     &cmd_record, &cmd_report, &cmd_annotate,
    &cmd_diff,    &cmd_pgo,    &cmd_top,    &cmd_stacks,
    &cmd_check,   &cmd_bridge, &cmd_push,   &cmd_serve,
    &cmd_compact, &cmd_view,   &cmd_mcp,    &help};
#define COMMANDS (sizeof commands / sizeof commands[0])

const struct subcommand *cmd_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return strcmp(name, cmd_complete.name) == 0 ? &cmd_complete : NULL;
}

const struct subcommand *cmd_at(size_t i)
{
    return i < COMMANDS ? commands[i] : NULL;
}

const char *cmd_nearest(const char *name)
{
    const char *best = NULL;
    unsigned least = TEXT_FAR;

    for (size_t i = 0; i < COMMANDS; i++) {
        unsigned edits = text_near_edits(name, strlen(name), commands[i]->name);

        if (edits < least && edits < strlen(name)) {
            least = edits;
            best = commands[i]->name;
        }
    }
    return best;
}

static int run_help(int argc, char **argv)
{
    static char word[] = "--help";
    char *only[] = {word, NULL};
    const struct subcommand *command =
        argc == 0 ? &cmd_live : cmd_find(argv[0]);

    if (argc != 0 && strcmp(argv[0], "live") == 0)
        return cmd_live_help();
    if (command == NULL) {
        const char *near = cmd_nearest(argv[0]);

        (void)fprintf(stderr,
                      "collector help: no command '%s'%s%s%s 'collector "
                      "--help' lists all\n",
                      argv[0], near != NULL ? ": did you mean '" : ":",
                      near != NULL ? near : "", near != NULL ? "'?" : "");
        return EXIT_USAGE;
    }
    return command == &help ? cmd_live.run(1, only) : command->run(1, only);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* collector completion: prints the options as a script for a shell. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/option_table.h"
#include "util/text.h"

#define SHELLS "bash zsh fish"

static const char help[] =
    "collector completion bash|zsh|fish\n"
    "\n"
    "Prints the script by which this shell completes commands, options and "
    "their\n"
    "words. An installed collector has it where the shell looks for it.\n";

/* The kind of an option's argument. */
enum argument {
    ARGUMENT_NONE,
    ARGUMENT_FILE, /* or a folder */
    ARGUMENT_WORDS,
    ARGUMENT_OTHER
};

/* The possible words of (row)'s argument in (words), separated by blanks; "" if
 * any word is possible. */
static enum argument argument_of(const struct option_row *row,
                                 char words[OPTION_CHOICES])
{
    words[0] = '\0';
    if (row->argument == NULL)
        return ARGUMENT_NONE;
    if (row->kind->choices != NULL)
        row->kind->choices(row, words);
    for (char *c = words; *c != '\0'; c++)
        if (*c == ',' || *c == '|')
            *c = ' ';
    if (words[0] != '\0')
        return ARGUMENT_WORDS;
    return strstr(row->argument, "FILE") != NULL ||
                   strstr(row->argument, "PATH") != NULL ||
                   strcmp(row->argument, "DIR") == 0 ||
                   strcmp(row->argument, "SOCKET") == 0
               ? ARGUMENT_FILE
               : ARGUMENT_OTHER;
}

/* Return command (i), beginning with the command without a name; NULL after the
 * last. */
static const struct subcommand *command_at(size_t i)
{
    return i == 0 ? &cmd_live : cmd_at(i - 1);
}

static void write_names(const char *between)
{
    const struct subcommand *command;

    for (size_t i = 0; (command = cmd_at(i)) != NULL; i++)
        (void)printf("%s%s", i != 0 ? between : "", command->name);
}

/* Print the start of (row)'s help. Characters that are special to shells become
 * blanks. */
static void write_what(const struct option_row *row)
{
    for (const char *c = row->help;
         *c != '\0' && *c != ';' && strncmp(c, " (", 2) != 0; c++)
        (void)putchar(strchr("'[]:\\\"", *c) != NULL ? ' ' : *c);
}

/* bash */

/* Print the words that complete the arguments of (command)'s options. */
static void bash_arguments(const struct subcommand *command)
{
    const struct option_row *row;
    size_t offset;
    char words[OPTION_CHOICES];

    for (size_t n = 0; (row = option_at(command->options, n, &offset)) != NULL;
         n++) {
        enum argument kind = argument_of(row, words);

        if (kind == ARGUMENT_NONE)
            continue;
        (void)printf("    %s:--%s", command->name, row->name);
        if (row->letter != 0)
            (void)printf(" | %s:-%c", command->name, row->letter);
        if (kind == ARGUMENT_FILE)
            (void)puts(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;");
        else
            (void)printf(") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); "
                         "return ;;\n",
                         words);
    }
}

static void bash_options(const struct subcommand *command)
{
    const struct option_row *row;
    size_t offset;

    (void)printf("    %s) words='",
                 command->name[0] != '\0' ? command->name : "''");
    for (size_t n = 0; (row = option_at(command->options, n, &offset)) != NULL;
         n++)
        (void)printf("--%s ", row->name);
    if (command->name[0] == '\0')
        write_names(" ");
    (void)puts("' ;;");
}

static void write_bash(void)
{
    const struct subcommand *command;

    (void)puts("# bash completion of collector and tprof\n"
               "_collector()\n{\n"
               "    local cur=${COMP_WORDS[COMP_CWORD]} words='' command=''\n"
               "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
               "    [ \"$COMP_CWORD\" -lt 2 ] || command=${COMP_WORDS[1]}\n"
               "    case $command in");
    (void)fputs("    ", stdout);
    write_names(" | ");
    (void)puts(") ;;\n    *) command='' ;;\n    esac\n"
               "    case $command:$prev in");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        if (command->options != NULL)
            bash_arguments(command);
    (void)puts("    esac\n    case $command in");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        if (command->options != NULL)
            bash_options(command);
    (void)puts("    completion) words='" SHELLS "' ;;");
    (void)fputs("    help) words='", stdout);
    write_names(" ");
    (void)puts("' ;;\n    esac\n"
               "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
               "    [[ $cur == -* || -z $command ]] ||\n"
               "        COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
               "}\n"
               "complete -o filenames -F _collector collector tprof");
}

/* zsh */

static void zsh_options(const struct subcommand *command)
{
    const struct option_row *row;
    size_t offset;
    char words[OPTION_CHOICES];

    (void)printf("    %s)\n        _arguments \\\n",
                 command->name[0] != '\0' ? command->name : "''");
    for (size_t n = 0; (row = option_at(command->options, n, &offset)) != NULL;
         n++) {
        enum argument kind = argument_of(row, words);

        (void)printf("            '*--%s[", row->name);
        write_what(row);
        (void)putchar(']');
        if (kind == ARGUMENT_FILE)
            (void)fputs(":file:_files", stdout);
        else if (kind != ARGUMENT_NONE)
            (void)printf(":argument:(%s)", words);
        (void)puts("' \\");
    }
    if (command->name[0] == '\0') {
        (void)fputs("            '1:command:(", stdout);
        write_names(" ");
        (void)puts(")' '*:file:_files' ;;");
    } else {
        (void)puts("            '*:file:_files' ;;");
    }
}

static void write_zsh(void)
{
    const struct subcommand *command;

    (void)puts("#compdef collector tprof\n"
               "_collector()\n{\n    local command=''");
    (void)fputs("    case $words[2] in\n    ", stdout);
    write_names(" | ");
    (void)puts(")\n        if ((CURRENT > 2)); then\n"
               "            command=$words[2]\n"
               "            shift words\n            ((CURRENT--))\n"
               "        fi ;;\n    esac\n    case $command in");
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        if (command->options != NULL)
            zsh_options(command);
    (void)puts("    completion) _arguments '1:shell:(" SHELLS ")' ;;");
    (void)fputs("    help) _arguments '1:command:(", stdout);
    write_names(" ");
    (void)puts(")' ;;\n    esac\n}\n"
               "[ \"$funcstack[1]\" = _collector ] && _collector \"$@\" || "
               "compdef _collector collector tprof");
}

/* fish */

static void fish_option(const char *tool, const struct subcommand *command,
                        const struct option_row *row)
{
    char words[OPTION_CHOICES];
    enum argument kind = argument_of(row, words);

    (void)printf("complete -c %s -n '%s__fish_seen_subcommand_from ", tool,
                 command->name[0] == '\0' ? "not " : "");
    if (command->name[0] == '\0')
        write_names(" ");
    else
        (void)fputs(command->name, stdout);
    (void)printf("' -l %s", row->name);
    if (row->letter != 0)
        (void)printf(" -s %c", row->letter);
    (void)fputs(" -d '", stdout);
    write_what(row);
    (void)putchar('\'');
    if (kind == ARGUMENT_FILE)
        (void)fputs(" -r -F", stdout);
    else if (kind != ARGUMENT_NONE)
        (void)printf(" -x -a '%s'", words);
    (void)putchar('\n');
}

static void write_fish(void)
{
    static const char *const tools[] = {"collector", "tprof"};
    const struct subcommand *command;
    const struct option_row *row;
    size_t offset;

    for (size_t t = 0; t < sizeof tools / sizeof tools[0]; t++) {
        (void)printf("complete -c %s -n __fish_use_subcommand -a '", tools[t]);
        write_names(" ");
        (void)puts("'");
        (void)printf("complete -c %s -n '__fish_seen_subcommand_from "
                     "completion' -f -a '" SHELLS "'\n",
                     tools[t]);
        for (size_t i = 0; (command = command_at(i)) != NULL; i++)
            for (size_t n = 0;
                 command->options != NULL &&
                 (row = option_at(command->options, n, &offset)) != NULL;
                 n++)
                fish_option(tools[t], command, row);
    }
}

static int run_completion(int argc, char **argv)
{
    const char *shell = argc == 1 ? argv[0] : "";

    if (strcmp(shell, "bash") == 0) {
        write_bash();
    } else if (strcmp(shell, "zsh") == 0) {
        write_zsh();
    } else if (strcmp(shell, "fish") == 0) {
        write_fish();
    } else if (strcmp(shell, "--help") == 0 || strcmp(shell, "-h") == 0) {
        (void)fputs(help, stdout);
    } else {
        char near[TEXT_NEAR];

        (void)fprintf(stderr,
                      "collector completion: for which shell%s? type: "
                      "collector completion bash, zsh or fish\n",
                      text_near_guess(near, shell, SHELLS));
        return EXIT_USAGE;
    }
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

const struct subcommand cmd_completion = {"completion", NULL, run_completion};

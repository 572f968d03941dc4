/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a command: parses options, plans outputs, then does the work. */
#include "cli/command_main.h"

#include <stdio.h>

#include "cli/command.h"

int command_run(const struct command_plan *p, void *config,
                struct guests *guests)
{
    struct outputs out = {0};
    struct err e = {""};

    if (guests_finish(guests, &e) == 0 && p->plan(&out, config, &e) == 0)
        return p->work(config, &out);
    (void)fprintf(stderr, "%s: %s\n", p->name, e.text);
    return EXIT_USAGE;
}

int command_main(const struct command_plan *p, void *config,
                 struct guests *guests, int argc, char **argv)
{
    struct err e = {""};
    int result = option_parse(config, p->help->options, argc, argv, &e);

    if (result == OPTION_HELP)
        return help_print(p->help);
    if (result >= 0)
        return command_run(p, config, guests);
    (void)fprintf(stderr, "%s: %s\n", p->name, e.text);
    return EXIT_USAGE;
}

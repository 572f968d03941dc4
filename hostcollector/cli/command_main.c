/* SPDX-License-Identifier: BSD-2-Clause */
/* From words to options, to a plan, to the work. */
#include "cli/command_main.h"

#include <stdio.h>

#include "cli/command.h"

int command_main(const struct command_plan *p, int argc, char **argv)
{
    struct options o;
    struct outputs out = {0};
    struct err e = {""};
    int result = EXIT_USAGE;

    if (options_parse(&o, p->help->command, argc, argv, &e) != 0 ||
        (!o.help && p->plan(&out, &o, &e) != 0))
        (void)fprintf(stderr, "%s: %s\n", p->name, e.text);
    else
        result = o.help ? help_print(p->help) : p->work(&o, &out);
    options_fini(&o);
    return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* From words to options, to a plan, to the work. */
#include "cli/command_main.h"

#include <stdio.h>

#include "cli/command.h"

int command_main(const struct command_plan *p, struct options *o, int argc,
                 char **argv)
{
    struct outputs out = {0};
    struct err e = {""};
    int result = option_parse(o, p->help->options, argc, argv, &e);

    if (result == OPTION_HELP)
        return help_print(p->help);
    if (result < 0 || guests_finish(&o->from.guests, &e) != 0 ||
        p->plan(&out, o, &e) != 0) {
        (void)fprintf(stderr, "%s: %s\n", p->name, e.text);
        return EXIT_USAGE;
    }
    return p->work(o, &out);
}

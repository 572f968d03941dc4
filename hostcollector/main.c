/* SPDX-License-Identifier: BSD-2-Clause */
/* argv -> command -> exit code; nothing else. */
#include <stddef.h>

#include "cli/command.h"

int main(int argc, char **argv)
{
    const struct subcommand *command = argc > 1 ? cmd_find(argv[1]) : NULL;

    if (command != NULL)
        return command->run(argc - 2, argv + 2);
    return cmd_live.run(argc - 1, argv + 1);
}

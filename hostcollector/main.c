/* SPDX-License-Identifier: BSD-2-Clause */
/* argv -> command -> exit code; nothing else. */
#include <string.h>

#include "cmd/cmd.h"

static const struct subcommand *const commands[] = {&cmd_record, &cmd_report,
                                                    &cmd_check, &cmd_bridge};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (argc > 1 && strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 2, argv + 2);
    }
    return cmd_live.run(argc - 1, argv + 1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* collector push, where libcurl or libmd was missing when it was built. */
#include <stdio.h>

#include "cli/command.h"
#include "fleet/push/receivers/receiver.h"

static int run_push(int argc, char **argv)
{
    (void)argc, (void)argv;
    (void)fputs("collector push: this collector was built without libcurl or "
                "libmd (Debian: libcurl4-openssl-dev, libmd-dev)\n",
                stderr);
    return EXIT_FAILED;
}

const char *receiver_names(void)
{
    return "";
}

const struct subcommand cmd_push = {"push", run_push};

/* SPDX-License-Identifier: BSD-2-Clause */
/* A session of `collector stacks`: samples guests until the state of each core
 * is known, once or several times, and writes the stacks. */
#ifndef TPROF_STACKS_STACKS_SESSION_H
#define TPROF_STACKS_STACKS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "cli/output.h"

struct stacks_config {
    struct options options;
    bool registers;    /* show registers, too */
    uint32_t looks;    /* number of looks; 0: not given */
    double interval_s; /* seconds between the beginnings of two looks; 0: not
                          given */
};

/* Read the stacks of the guests that (c) names, and write them to (out). If (c)
 * names a recording, read the stacks at its end.
 * Returns an enum exit_code. */
int stacks_session_run(const char *command, const struct stacks_config *c,
                       struct outputs *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A session of `collector stacks`: samples guests until the state of each core
 * is known, once or several times, and writes the stacks. */
#ifndef TPROF_STACKS_STACKS_SESSION_H
#define TPROF_STACKS_STACKS_SESSION_H

#include "cli/options.h"
#include "cli/output.h"

/* Read the stacks of the guests of (o), and write them to (out). If (o) names a
 * recording, read the stacks at its end.
 * Returns an enum exit_code. */
int stacks_session_run(const char *command, const struct options *o,
                       struct outputs *out);

#endif

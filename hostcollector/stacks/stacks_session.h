/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of collector stacks: guests are sampled until each core has told
 * what it does, once or several times; and the stacks are written.
 */
#ifndef TPROF_STACKS_STACKS_SESSION_H
#define TPROF_STACKS_STACKS_SESSION_H

#include "cli/options.h"
#include "cli/output.h"

/* Look at the guests of (o), or at the end of its recording, and write what is
 * seen to (out). Returns an enum exit_code. */
int stacks_session_run(const char *command, const struct options *o,
                       struct outputs *out);

#endif

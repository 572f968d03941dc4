/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of collector stacks: guests are sampled until each core has told
 * what it does, once or several times; and the stacks are written.
 */
#ifndef TPROF_CMD_STACKS_SESSION_H
#define TPROF_CMD_STACKS_SESSION_H

#include "cmd/options.h"
#include "cmd/output.h"

/* Look at the guests of (o), or at the end of its recording, and write what is
 * seen to (out). Returns an enum exit_code. */
int stacks_session_run(const char *command, const struct options *o,
                       struct outputs *out);

#endif

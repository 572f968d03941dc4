/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows standard output by the user's pager, as git does. */
#ifndef TPROF_CLI_PAGER_H
#define TPROF_CLI_PAGER_H

#include <stdbool.h>

/*
 * Send standard output to $TPROF_PAGER, $PAGER or less(1). A child process,
 * started before the sandbox, starts the pager as soon as there is text. "" and
 * "cat" mean no pager. Call this once, before the sandbox, if standard output
 * is a terminal. If the child cannot be started, text goes to the terminal
 * directly.
 */
void pager_start(void);

/* End the text, and wait until the user has left the pager. Nothing can be
 * written to standard output afterwards. Does nothing without pager_start(). */
void pager_end(void);

#endif

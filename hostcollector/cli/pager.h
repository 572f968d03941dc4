/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows standard output by the user's pager, as git does. */
#ifndef TPROF_CLI_PAGER_H
#define TPROF_CLI_PAGER_H

#include <stdbool.h>

/*
 * Have standard output go to $TPROF_PAGER, $PAGER or less(1), started by a
 * process of its own as soon as there is text: one that was there before the
 * sandbox. "" and "cat" stand for none. Call once, before the sandbox, where
 * standard output is a terminal. Without a process text goes there directly.
 */
void pager_start(void);

/* End the text, and wait until the user has left the pager. Nothing can be
 * written to standard output afterwards. Without pager_start() nothing
 * happens. */
void pager_end(void);

#endif

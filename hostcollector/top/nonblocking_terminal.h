/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands between ncurses and the terminal. It keeps the output of ncurses until
 * the terminal accepts it, so that the collector never waits for a terminal
 * that does not read (Ctrl-S, a stalled ssh). One for each process.
 */
#ifndef TPROF_TOP_NONBLOCKING_TERMINAL_H
#define TPROF_TOP_NONBLOCKING_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "util/err.h"

/* Begin, before the process is confined. Standard output is a terminal. Writes
 * the stream for ncurses to (*stream). Returns 0; -1 with (e) filled. */
int nonblocking_terminal_open(FILE **stream, struct err *e);

/* Keep the stream's output until nonblocking_terminal_release() is called. */
void nonblocking_terminal_hold(void);

/* Make the stream write to the terminal again. */
void nonblocking_terminal_release(void);

/* Write as much of the kept bytes as the terminal takes now. Returns true if
 * nothing is left. */
bool nonblocking_terminal_flush(void);

/* Flush for half a second, drop the rest, and close the stream. Does nothing if
 * the stream is not open. */
void nonblocking_terminal_close(void);

#endif

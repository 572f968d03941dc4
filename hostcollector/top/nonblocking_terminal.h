/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between ncurses and the terminal: keeps what ncurses writes until the
 * terminal takes it, so that nobody ever waits for a terminal that is not read
 * (Ctrl-S, a stalled ssh). One for each process.
 */
#ifndef TPROF_TOP_NONBLOCKING_TERMINAL_H
#define TPROF_TOP_NONBLOCKING_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "util/err.h"

/* Begin, before the process is confined. The stream for ncurses in (*stream):
 * it is standard output, a terminal. Returns 0; -1 with (e) filled. */
int nonblocking_terminal_open(FILE **stream, struct err *e);

/* Keep what is written to the stream until nonblocking_terminal_release() is
 * called. */
void nonblocking_terminal_hold(void);

/* Make the stream write to the terminal again. */
void nonblocking_terminal_release(void);

/* Write as much of the kept bytes as the terminal takes now. Returns true if
 * nothing is left. */
bool nonblocking_terminal_flush(void);

/* Flush for half a second, forget what the terminal has not taken by then, and
 * close the stream. Harmless if nothing is open. */
void nonblocking_terminal_close(void);

#endif

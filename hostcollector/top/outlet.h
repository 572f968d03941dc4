/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between ncurses and the terminal: keeps what ncurses writes until the
 * terminal takes it, so that nobody ever waits for a terminal that is not read
 * (Ctrl-S, a stalled ssh). One for each process.
 */
#ifndef TPROF_TOP_OUTLET_H
#define TPROF_TOP_OUTLET_H

#include <stdbool.h>
#include <stdio.h>

#include "util/err.h"

/* Begin, before the process is confined. The stream for ncurses in (*stream):
 * it is standard output, a terminal. Returns 0; -1 with (e) filled. */
int outlet_open(FILE **stream, struct err *e);

/* What is written to the stream from here on is kept, ... */
void outlet_hold(void);

/* ... up to here: the stream is the terminal again. */
void outlet_release(void);

/* Give the terminal of what was kept as much as it takes now. Returns true if
 * nothing is left. */
bool outlet_flush(void);

/* The same for half a second. What is left then is forgotten, and so is the
 * stream. Harmless if nothing is open. */
void outlet_close(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal of collector top: shows screens, and reads keys. Only this file
 * uses ncurses. There is one terminal for the process.
 */
#ifndef TPROF_TOP_CURSES_H
#define TPROF_TOP_CURSES_H

#include <stdbool.h>
#include <stdint.h>

#include "top/screen.h"
#include "util/err.h"

/*
 * Take over the terminal on standard input and output. Call this before the
 * process is confined, because ncurses reads files that describe terminals.
 * curses_close() restores the terminal. So does a signal that ends the process.
 * Returns 0; -1 with (e) filled.
 */
int curses_open(struct err *e);

/* Restore the terminal. Does nothing if the terminal is not open. */
void curses_close(void);

/* Restore the terminal at once, from a signal handler. */
void curses_restore(void);

/* Columns and rows at the time of the last key. */
void curses_size(unsigned *width, unsigned *height);

/* Show (s) without waiting for the terminal. Returns false, and shows nothing,
 * while the terminal has not read earlier output. */
bool curses_show(const struct screen *s);

/* Write as much as the terminal accepts now. Returns true if nothing is
 * left. */
bool curses_flush(void);

/* Return the next key for top_key(), without waiting; 0 if there is none. Sets
 * (*resized) if the size has changed, and (*gone) if the terminal has hung
 * up. */
uint32_t curses_key(bool *resized, bool *gone);

#endif

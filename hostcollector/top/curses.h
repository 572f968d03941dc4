/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal of collector top: shows screens, and reads keys. Alone knows
 * ncurses. One for each process.
 */
#ifndef TPROF_TOP_CURSES_H
#define TPROF_TOP_CURSES_H

#include <stdbool.h>
#include <stdint.h>

#include "top/screen.h"
#include "util/err.h"

/*
 * Take the terminal that standard input and output are: before the process is
 * confined, since terminals are described by files. What it looked like is
 * restored by curses_close(), and also when a signal ends the process. Returns
 * 0; -1 with (e) filled.
 */
int curses_open(struct err *e);

/* Give the terminal back. Harmless if it is not open. */
void curses_close(void);

/* Give the terminal back at once, from a signal handler. */
void curses_restore(void);

/* Columns and rows, as of the last key. */
void curses_size(unsigned *width, unsigned *height);

/* Show (s) without waiting for the terminal. Returns false, and nothing is
 * shown, while the terminal has not taken what came before. */
bool curses_show(const struct screen *s);

/* Write as much as the terminal takes now. Returns true if nothing is left. */
bool curses_flush(void);

/* Return the next key for top_key(), without waiting; 0 if there is none.
 * (*resized) is set if the size has changed, (*gone) if the terminal has hung
 * up. */
uint32_t curses_key(bool *resized, bool *gone);

#endif

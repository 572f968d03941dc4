/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain text in columns, harmless on any terminal. Leaf. */
#ifndef TPROF_UTIL_TEXT_H
#define TPROF_UTIL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Columns that a report never exceeds, but by a name on a line of its own. */
#define TEXT_COLUMNS 100

/* Room for a number with separators, for text_count(). */
#define TEXT_NUMBER 32

/* Terminal columns of UTF-8 (s); every character counts as one. */
size_t text_width(const char *s);

/*
 * Copy (s) into the (size) bytes at (buf), (size) > 0, with control characters
 * and bytes that are no UTF-8 as \xNN, cut where it does not fit.
 *
 * Returns (buf).
 */
char *text_escape(char *buf, size_t size, const char *s);

/* Write (s) to (out) in exactly (width) columns; a longer one ends in "..". */
void text_left(FILE *out, const char *s, size_t width);

/* Write (s) to (out) in at most (width) columns; a longer one begins with
 * "..": for paths at the end of a line. */
void text_tail(FILE *out, const char *s, size_t width);

/* Format (n) as 1,234,567 into (buf). Returns (buf). */
char *text_count(char buf[TEXT_NUMBER], uint64_t n);

/* Room for text_percent(). */
#define TEXT_PERCENT 8

/* Format (part) of (whole) as "92 %" into (buf); never as "100 %" or "0 %" if
 * that is not exact. Returns (buf). */
char *text_percent(char buf[TEXT_PERCENT], uint64_t part, uint64_t whole);

/* The part of (path) behind the last slash. */
const char *text_base_name(const char *path);

/*
 * Write (paragraph) to (out), broken at spaces so that no line exceeds
 * TEXT_COLUMNS, each begun by (first) or, from the second on, by as many
 * blanks; ends with a newline.
 */
void text_wrap(FILE *out, const char *first, const char *paragraph);

#endif

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
 * The bytes of the UTF-8 character at (s) if it may be shown as it is. Returns
 * 0 for a control character, one that changes the direction of writing or that
 * nobody sees, and for what is no character: a byte by itself, a surrogate, or
 * a code in more bytes than it takes.
 */
size_t text_character(const char *s);

/*
 * Copy (s) into the (size) bytes at (buf), (size) > 0, with the bytes
 * of what text_character() refuses as \xNN, cut where it does not fit.
 *
 * Returns (buf).
 */
char *text_escape(char *buf, size_t size, const char *s);

/* Write (s) to (out) in exactly (width) columns; a longer one ends in "..". */
void text_left(FILE *out, const char *s, size_t width);

/* The same without blanks behind a shorter one. */
void text_cut(FILE *out, const char *s, size_t width);

/* Write (s) to (out) in at most (width) columns; a longer one begins with
 * "..": for paths at the end of a line. */
void text_tail(FILE *out, const char *s, size_t width);

/* Format (n) as 1,234,567 into (buf). Returns (buf). */
char *text_count(char buf[TEXT_NUMBER], uint64_t n);

/* Format (s) seconds, 0 or more, as "321 us" into (buf). Returns (buf). */
char *text_seconds(char buf[TEXT_NUMBER], double s);

/* Write (n) / 10^(point) to (out), with (point) digits behind the point: faster
 * than printf, which would take most of the time of a large file. */
void text_decimal(FILE *out, uint64_t n, unsigned point);

/* Write (n) to (out) in hexadecimal digits, for the same reason. */
void text_hex(FILE *out, uint64_t n);

/* Room for text_size(). */
#define TEXT_SIZE 24

/* Format (bytes) into (buf) as an option takes it, in the largest unit that is
 * exact: "1G", "1536M". Returns (buf). */
char *text_size(char buf[TEXT_SIZE], uint64_t bytes);

/* What a word for (n) things ends in: "s", or "" for one. */
const char *text_plural(uint64_t n);

/* Room for text_percent(). */
#define TEXT_PERCENT 8

/* Format (part) of (whole) as "92 %" into (buf); never as "100 %" or "0 %" if
 * that is not exact. Returns (buf). */
char *text_percent(char buf[TEXT_PERCENT], uint64_t part, uint64_t whole);

/* The part of (path) behind the last slash. */
const char *text_base_name(const char *path);

/* How many edits lead from the (len) bytes at (a) to (b), which is a word: none
 * of TEXT_WORD bytes or more is near to anything, so UINT_MAX. */
#define TEXT_WORD 32
unsigned text_edits(const char *a, size_t len, const char *b);

/*
 * Write (paragraph) to (out), broken at spaces so that no line exceeds
 * TEXT_COLUMNS, each begun by (first) or, from the second on, by as many
 * blanks; ends with a newline.
 */
void text_wrap(FILE *out, const char *first, const char *paragraph);

/* The same in (columns), where (indent) of the first line's are written
 * already. */
void text_wrap_at(FILE *out, size_t indent, const char *paragraph,
                  size_t columns);

#endif

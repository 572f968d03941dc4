/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain text in columns, safe on any terminal. Leaf. */
#ifndef TPROF_UTIL_TEXT_H
#define TPROF_UTIL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Width of a report. Only a long name on a line of its own may exceed it. */
#define TEXT_COLUMNS 100

/* Buffer size for text_count(): a number with separators. */
#define TEXT_NUMBER 32

/* Terminal columns of the UTF-8 text (s), one for each character. */
size_t text_width(const char *s);

/*
 * Returns the length of the UTF-8 character at (s) if it is safe to print.
 * Returns 0 for malformed bytes (a stray byte, a surrogate, an overlong code),
 * and for characters that control, that are invisible, or that change the
 * writing direction.
 */
size_t text_character(const char *s);

/*
 * Copy (s) into (buf), which has (size) bytes, at least 1. Bytes that
 * text_character() refuses become \xNN. Text that does not fit is cut.
 *
 * Returns (buf).
 */
char *text_escape(char *buf, size_t size, const char *s);

/* Write (s) to (out), padded to (width) columns. A longer text is cut and ends
 * in "..". */
void text_left(FILE *out, const char *s, size_t width);

/* Write (s) to (out) in at most (width) columns, without padding. A longer text
 * is cut and ends in "..". */
void text_cut(FILE *out, const char *s, size_t width);

/* Write (s) to (out) in at most (width) columns, for paths at the end of a
 * line. A longer text begins with ".." in place of its start. */
void text_tail(FILE *out, const char *s, size_t width);

/* Format (n) as 1,234,567 into (buf). Returns (buf). */
char *text_count(char buf[TEXT_NUMBER], uint64_t n);

/* Format (s) seconds, 0 or more, as for example "321 us" into (buf). Returns
 * (buf). */
char *text_seconds(char buf[TEXT_NUMBER], double s);

/* Write (n) / 10^(point) to (out) with (point) decimals. With printf, writing a
 * large file would take several times as long. */
void text_decimal(FILE *out, uint64_t n, unsigned point);

/* Write (n) to (out) in hexadecimal, faster than printf. */
void text_hex(FILE *out, uint64_t n);

/* Buffer size for text_size(). */
#define TEXT_SIZE 24

/* Format (bytes) into (buf) as options accept sizes, in the largest unit that
 * is exact: "1G", "1536M". Returns (buf). */
char *text_size(char buf[TEXT_SIZE], uint64_t bytes);

/* Buffer size for text_enough(). */
#define TEXT_ENOUGH 128

/* Format a part of an error message into (buf). It names the share, and the
 * size that the user has to type: (needed) bytes are more than the (share)
 * bytes that a guest has of (all), the value of --memory. If (all) is 0, no
 * size is named. Returns (buf). */
char *text_enough(char buf[TEXT_ENOUGH], uint64_t all, uint64_t share,
                  uint64_t needed);

/* Returns the plural ending for (n) things: "", or "s" unless (n) is 1. */
const char *text_plural(uint64_t n);

/* Buffer size for text_percent(). */
#define TEXT_PERCENT 8

/* Format (part) of (whole) as for example "92 %" into (buf). "100 %" and "0 %"
 * are exact; other values are not rounded to them. Returns (buf). */
char *text_percent(char buf[TEXT_PERCENT], uint64_t part, uint64_t whole);

/* The part of (path) after the last slash. */
const char *text_base_name(const char *path);

/* Returns the number of edits that turn the (len) bytes at (a) into the word
 * (b). UINT_MAX if (b) has TEXT_WORD bytes or more. */
#define TEXT_WORD 32
unsigned text_edits(const char *a, size_t len, const char *b);

#define TEXT_NEAR 80 /* room for text_near_guess() */

/* With this number of edits, or more, a word is another word. */
#define TEXT_FAR 3u

/* Returns the number of edits from the (length) bytes at (typed) to (word). If
 * (typed) is the beginning of (word), this counts as one edit: --dur for
 * --duration. */
unsigned text_near_edits(const char *typed, size_t length, const char *word);

/* Write " (did you mean WORD?)" into (buf), with the word of (words) that is
 * most like (typed); "" if no word is like it. (words) have blanks, commas or
 * bars between them. Returns (buf). */
const char *text_near_guess(char buf[TEXT_NEAR], const char *typed,
                            const char *words);

/*
 * Write (paragraph) to (out), broken at spaces into lines of at most
 * (columns). The first line begins with (first), each further line with as
 * many blanks. Ends with a newline.
 */
void text_wrap(FILE *out, const char *first, const char *paragraph,
               size_t columns);

/* Write (paragraph) to (out), broken at spaces into lines of at most (columns).
 * The first line already has (indent) columns; further lines are indented by as
 * many. */
void text_wrap_at(FILE *out, size_t indent, const char *paragraph,
                  size_t columns);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen as plain rows: text in columns, each part with a style. Code that
 * fills a screen needs no terminal; top/curses.h shows the screen. Columns are
 * those of a terminal: a wide character takes two, an accent none.
 */
#ifndef TPROF_TOP_SCREEN_H
#define TPROF_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum screen_style {
    SCREEN_PLAIN,
    SCREEN_DIM,
    SCREEN_BOLD,
    SCREEN_HEAD,     /* the line above a table */
    SCREEN_SELECTED, /* the row on which keys act */
    SCREEN_BUSY,
    SCREEN_IDLE,
    SCREEN_LATE,
    SCREEN_LOST, /* losses, and other errors */
    SCREEN_MORE, /* a rising share */
    SCREEN_LESS, /* a falling share */
    SCREEN_STYLES
};

#define SCREEN_COLUMNS 400u /* further columns stay empty */
#define SCREEN_ROWS    200u
#define SCREEN_BYTES   2048u /* bytes of a row's text */
#define SCREEN_SPANS   96u   /* styles of a row */

/* A style, from byte (from) of the text to the next span or to the end. */
struct screen_span {
    uint16_t from;
    uint8_t style;
};

struct screen_line {
    char text[SCREEN_BYTES]; /* UTF-8 without control characters */
    size_t size, columns;
    struct screen_span spans[SCREEN_SPANS];
    size_t span_count;
    enum screen_style all; /* style of the whole row, unless SCREEN_PLAIN */
};

/* Zeroed: has no memory yet. */
struct screen {
    unsigned width, height;
    struct screen_line *rows;
    size_t count, room;
};

/* Empty (s), and set its size to (width) columns and (height) rows. */
void screen_begin(struct screen *s, unsigned width, unsigned height);
void screen_fini(struct screen *s);

/* Begin the next row. Returns false if there is no room or no memory; text for
 * this row is then dropped. */
bool screen_row(struct screen *s);

/* Return the number of rows that still fit. */
unsigned screen_left(const struct screen *s);

/* Give the last row (style) as a whole. */
void screen_mark_row(struct screen *s, enum screen_style style);

/* Append to the last row as printf() would, up to the right edge. */
void screen_put(struct screen *s, enum screen_style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Append (text) in exactly (width) columns. A longer text ends in "..". */
void screen_cell(struct screen *s, enum screen_style style, unsigned width,
                 const char *text);

/* Append blanks up to (column). */
void screen_to(struct screen *s, unsigned column);

/* Returns the terminal columns that (text) takes. */
unsigned screen_width_of(const char *text);

#endif

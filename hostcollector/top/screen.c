/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays text out in columns, character by character. */
#include "top/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "util/text.h"
#include "util/vec.h"

#define PIECE_MAX 1024u /* limit of the bytes that one call appends */
#define ACCENTS   2u    /* limit for one character */

/* A character of a text: its bytes, and its columns. */
struct glyph {
    const char *bytes;
    size_t size;
    unsigned columns;
};

static wchar_t code_of(const char *s, size_t n)
{
    uint32_t code = n == 1 ? (unsigned char)*s : (unsigned char)*s & 0x7fu >> n;

    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)s[i] & 0x3fu);
    return (wchar_t)code;
}

/* The glyph at (*s); moves (*s) to the next one. "?" if the locale cannot show
 * the character. */
static struct glyph next_glyph(const char **s)
{
    size_t n = text_character(*s);
    const char *at = *s;
    int columns = n == 0 ? -1 : n == 1 ? 1 : wcwidth(code_of(at, n));

    *s += n != 0 ? n : 1;
    return columns < 0 ? (struct glyph){"?", 1, 1}
                       : (struct glyph){at, n, (unsigned)columns};
}

unsigned screen_width_of(const char *text)
{
    unsigned width = 0;

    while (*text != '\0')
        width += next_glyph(&text).columns;
    return width;
}

void screen_begin(struct screen *s, unsigned width, unsigned height)
{
    s->width = width < SCREEN_COLUMNS ? width : SCREEN_COLUMNS;
    s->height = height < SCREEN_ROWS ? height : SCREEN_ROWS;
    s->count = 0;
}

void screen_fini(struct screen *s)
{
    free(s->rows);
    *s = (struct screen){0};
}

unsigned screen_left(const struct screen *s)
{
    return s->count < s->height ? s->height - (unsigned)s->count : 0;
}

/* The row after the last one receives text that has no room. */
bool screen_row(struct screen *s)
{
    if (s->count > s->height ||
        vec_grow(&s->rows, &s->room, s->count, sizeof *s->rows) != 0)
        return false;
    struct screen_line *row = &s->rows[s->count++];

    row->size = row->columns = row->span_count = 0;
    row->text[0] = '\0';
    row->all = SCREEN_PLAIN;
    return s->count <= s->height;
}

void screen_mark_row(struct screen *s, enum screen_style style)
{
    if (s->count != 0)
        s->rows[s->count - 1].all = style;
}

/* Give (style) to the text that follows in (row). */
static void begin_span(struct screen_line *row, enum screen_style style)
{
    struct screen_span *last =
        row->span_count != 0 ? &row->spans[row->span_count - 1] : NULL;

    if (last != NULL && last->from == row->size)
        last->style = (uint8_t)style; /* the span was empty */
    else if (row->span_count < SCREEN_SPANS &&
             (last != NULL ? last->style != style : style != SCREEN_PLAIN))
        row->spans[row->span_count++] =
            (struct screen_span){(uint16_t)row->size, (uint8_t)style};
}

/* Append (g), unless (row) would then exceed (width) columns. */
static bool append_glyph(struct screen_line *row, unsigned width,
                         const struct glyph *g)
{
    if (row->columns + g->columns > width ||
        row->size + g->size >= SCREEN_BYTES)
        return false;
    memcpy(row->text + row->size, g->bytes, g->size);
    row->size += g->size;
    row->text[row->size] = '\0';
    row->columns += g->columns;
    return true;
}

/* Append the part of (text) that fits before column (width). */
static void append(struct screen_line *row, unsigned width, const char *text)
{
    unsigned accents = ACCENTS; /* no accents without a character */

    while (*text != '\0') {
        struct glyph g = next_glyph(&text);

        accents = g.columns != 0 ? 0 : accents + 1;
        if (accents <= ACCENTS && !append_glyph(row, width, &g))
            return;
    }
}

void screen_put(struct screen *s, enum screen_style style, const char *fmt, ...)
{
    char text[PIECE_MAX];
    va_list args;

    if (s->count == 0)
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    begin_span(&s->rows[s->count - 1], style);
    append(&s->rows[s->count - 1], s->width, text);
}

static void append_blanks(struct screen_line *row, size_t column)
{
    const struct glyph blank = {" ", 1, 1};

    while (row->columns < column && append_glyph(row, (unsigned)column, &blank))
        continue;
}

void screen_cell(struct screen *s, enum screen_style style, unsigned width,
                 const char *text)
{
    if (s->count == 0)
        return;
    struct screen_line *row = &s->rows[s->count - 1];
    size_t end = row->columns + width;
    bool cut = screen_width_of(text) > width && width >= 2;

    if (end > s->width)
        end = s->width;
    begin_span(row, style);
    append(row, (unsigned)(cut && end >= 2 ? end - 2 : end), text);
    if (cut)
        append(row, (unsigned)end, "..");
    append_blanks(row, end);
}

void screen_to(struct screen *s, unsigned column)
{
    if (s->count == 0)
        return;
    begin_span(&s->rows[s->count - 1], SCREEN_PLAIN);
    append_blanks(&s->rows[s->count - 1],
                  column < s->width ? column : s->width);
}

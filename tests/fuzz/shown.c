/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads reports as a user does, with no code of the collector's. */
#include "shown.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(bool good, const char *what, const char *text, size_t size)
{
    if (good)
        return;
    dprintf(STDERR_FILENO, "must be: %s; in:\n%.*s\n", what, (int)size, text);
    abort();
}

/* The code of the character at (s) of (left) bytes, by RFC 3629's table, and
 * its length in (*n); 0: it is none. */
static uint32_t decode(const unsigned char *s, size_t left, size_t *n)
{
    static const struct {
        unsigned char first, last, low, high; /* of the second byte */
        size_t length;
    } rows[] = {
        {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2},
        {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (s[0] < rows[i].first || s[0] > rows[i].last)
            continue;
        *n = rows[i].length;
        if (*n == 1)
            return s[0];
        if (left < *n || s[1] < rows[i].low || s[1] > rows[i].high)
            return 0;
        uint32_t code = s[0] & (0x7fu >> *n);

        for (size_t k = 1; k < *n; k++) {
            if ((s[k] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (s[k] & 0x3fu);
        }
        return code;
    }
    return 0;
}

static bool is_between(uint32_t code, uint32_t first, uint32_t last)
{
    return code >= first && code <= last;
}

static bool is_harmless(uint32_t code)
{
    return code == '\n' ||
           (code >= ' ' && !is_between(code, 0x7f, 0x9f) && code != 0xad &&
            code != 0x61c && !is_between(code, 0x200b, 0x200f) &&
            !is_between(code, 0x2028, 0x202e) &&
            !is_between(code, 0x2060, 0x206f) && code != 0xfeff &&
            !is_between(code, 0xe0000, 0xe0fff));
}

void shown_is_harmless(const char *text, size_t size, const char *also)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = also != NULL ? strlen(also) : 0;

    for (size_t at = 0, n = 0; at < size; at += n) {
        n = 1;
        if (s[at] >= ' ' && s[at] < 0x7f)
            continue;
        n = length;
        if (n != 0 && size - at >= n && memcmp(text + at, also, n) == 0)
            continue;
        n = 1;
        uint32_t code = s[at] < 0x80 ? s[at] : decode(s + at, size - at, &n);

        must(code != 0 && is_harmless(code), "harmless UTF-8", text + at,
             size - at);
    }
}

static bool is_word_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

/* (word) is of small letters. */
static bool has_word(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);

    for (size_t at = 0; at + length <= size; at++) {
        size_t n = 0;

        while (n < length && (text[at + n] | 0x20) == word[n])
            n++;
        if (n == length && (at == 0 || !is_word_part(text[at - 1])) &&
            (at + n == size || !isalnum((unsigned char)text[at + n])))
            return true;
    }
    return false;
}

/* The number that ends before (end) is a percentage. */
static void check_percent(const char *text, const char *end, size_t size)
{
    const char *from = end;

    while (from > text && (isdigit((unsigned char)from[-1]) || from[-1] == '.'))
        from--;
    if (from == end)
        return; /* "SELF %" */
    must(strtod(from, NULL) <= 100, "at most 100 %", from, size);
    must(from == text || from[-1] != '-' ||
             (from - 1 > text && isdigit((unsigned char)from[-2])),
         "not negative", from, size);
}

/* A line of a table of functions, of guests, or of a call tree. */
static void check_row(const char *line, size_t size)
{
    double n[6];
    int columns = sscanf(line, " %lf %lf-%lf %lf %lf-%lf", &n[0], &n[1], &n[2],
                         &n[3], &n[4], &n[5]);

    if (columns != 6)
        return;
    for (size_t i = 0; i < 6; i++)
        must(n[i] >= 0 && n[i] <= 100, "0 to 100 in a row", line, size);
    must(n[1] <= n[0] && n[0] <= n[2] && n[4] <= n[3] && n[3] <= n[5],
         "a share within its range", line, size);
}

/* A line of a call tree ends with its shares. */
static void check_tree_row(const char *line, size_t size)
{
    const char *end = memchr(line, '\n', size), *word;
    char *rest;

    for (; end != NULL; end = word - 1) {
        word = end;
        while (word > line && word[-1] != ' ')
            word--;
        double share = strtod(word, &rest);

        if (word == line || rest != end || rest == word)
            return;
        must(share >= 0 && share <= 100, "0 to 100 in a tree", line, size);
    }
}

void shown_has_sense(const char *text, size_t size)
{
    bool tree = false;

    must(!has_word(text, size, "inf") && !has_word(text, size, "nan"),
         "finite figures", text, size);
    for (const char *at = text; (at = strchr(at, '%')) != NULL; at++)
        check_percent(text, at > text && at[-1] == ' ' ? at - 1 : at, size);
    for (const char *line = text; line != NULL && *line != '\0';) {
        size_t left = size - (size_t)(line - text);

        if (strncmp(line, "TREE", 4) == 0)
            tree = true;
        else if (*line == '\n')
            tree = false;
        if (tree)
            check_tree_row(line, left);
        else
            check_row(line, left);
        line = strchr(line, '\n');
        line += line != NULL;
    }
}

void shown_is_folded(const char *text, size_t size)
{
    for (const char *line = text; line < text + size;) {
        size_t left = size - (size_t)(line - text);
        const char *end = memchr(line, '\n', left), *digit = end;

        must(end != NULL, "whole lines", line, left);
        while (digit > line && isdigit((unsigned char)digit[-1]))
            digit--;
        must(digit != end && *digit != '0' && end - digit <= 16 &&
                 digit > line && digit[-1] == ' ',
             "a count at the end of each line", line, left);
        must(strncmp(line, "core", 4) == 0 ||
                 memmem(line, (size_t)(digit - line), ";core", 5) != NULL,
             "a core in each line", line, left);
        must(memmem(line, (size_t)(digit - line), ";;", 2) == NULL,
             "no empty frame", line, left);
        line = end + 1;
    }
}

/* The field of a row that begins at text[at], and (*at) then behind it. */
static void check_field(const char *text, size_t size, size_t *at)
{
    char *rest;

    if (text[*at] != '"') { /* a figure, or one of our words */
        size_t n = strcspn(text + *at, ",\r");

        double figure = strtod(text + *at, &rest);

        must(n == 0 || text[*at] == '[' ||
                 (rest == text + *at + n ? isfinite(figure)
                                         : isalpha((unsigned char)text[*at])),
             "a word or a finite figure", text + *at, n);
        *at += n;
        return;
    }
    must(strcspn(text + *at + 1, "=+-@") > 0, "no formula", text + *at, 2);
    for (++*at; *at < size; ++*at) {
        if (text[*at] == '"' && text[++*at] != '"')
            return;
    }
    must(false, "the end of a field", text, size);
}

void shown_is_csv(const char *text, size_t size)
{
    size_t columns = 0;

    for (size_t at = 0; at < size; at += 2) {
        size_t n = 1;

        check_field(text, size, &at);
        for (; text[at] == ','; n++) {
            at++;
            check_field(text, size, &at);
        }
        columns = columns == 0 ? n : columns;
        must(n == columns && strncmp(text + at, "\r\n", 2) == 0,
             "rows of as many fields as the first one", text, size);
    }
}

/* Behind the string that begins at text[at]. */
static size_t json_string(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++) {
        must((unsigned char)text[at] >= ' ', "an escape", text + at, 1);
        if (text[at] == '\\')
            at++;
    }
    must(at < size, "the end of a string", text, size);
    return at + 1;
}

void shown_is_json(const char *text, size_t size)
{
    char open[64];
    size_t depth = 0, at = 0;

    while (at < size) {
        char c = text[at];

        if (c == '"') {
            at = json_string(text, size, at);
            continue;
        }
        if (c == '{' || c == '[') {
            must(depth < sizeof open, "fewer brackets", text, size);
            open[depth++] = c == '{' ? '}' : ']';
        }
        if (c == '}' || c == ']')
            must(depth > 0 && open[--depth] == c, "a pair", text, at + 1);
        must((c != 'n' || strncmp(text + at, "null", 4) == 0) && c != 'i',
             "a finite number", text, at + 1);
        at++;
    }
    must(depth == 0 && size > 0, "all brackets closed", text, size);
}

bool shown_is_figure(const char *words)
{
    return strchr(words, '%') != NULL || strcasestr(words, "inf") != NULL ||
           strcasestr(words, "nan") != NULL || strchr(words, ' ') != NULL;
}

/* Length of a tag's name at (s). */
static size_t check_name(const char *s)
{
    static const char *const names[] = {"svg", "rect", "text", "title"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i]);

        if (strncmp(s, names[i], n) == 0 && !isalpha((unsigned char)s[n]))
            return n;
    }
    must(false, "an element of a picture", s, strcspn(s, ">"));
    return 0;
}

/* The tag at (at), and in open[] the (*depth) elements around it. */
static const char *check_tag(const char *at, const char *open[16],
                             size_t *depth)
{
    bool ends = at[1] == '/';
    const char *name = at + 1 + ends;
    size_t n = check_name(name);

    if (ends) {
        must(*depth != 0 && strncmp(open[--*depth], name, n) == 0 &&
                 name[n] == '>',
             "the end of the innermost element", name, n + 1);
        return name + n + 1;
    }
    at = name + n;
    while (*at != '>' && *at != '/') { /* NAME="VALUE" */
        at += strcspn(at, "\"<>/");
        must(*at == '"', "a value in quotes", name, (size_t)(at - name));
        at += 1 + strcspn(at + 1, "\"<");
        must(*at == '"', "the end of a value", name, (size_t)(at - name));
        at++;
    }
    if (*at == '/')
        return at + 2;
    must(*depth < 16, "few elements in each other", name, n);
    open[(*depth)++] = name;
    return at + 1;
}

void shown_is_xml(const char *text, size_t size)
{
    const char *open[16], *at = text;
    size_t depth = 0;

    do {
        if (*at == '<') {
            at = check_tag(at, open, &depth);
            continue;
        }
        must(*at != '&' || strncmp(at, "&amp;", 5) == 0 ||
                 strncmp(at, "&lt;", 4) == 0 || strncmp(at, "&gt;", 4) == 0,
             "a name of a character", at, 8);
        must(strncmp(at, "\xef\xbf\xbe", 3) != 0 &&
                 strncmp(at, "\xef\xbf\xbf", 3) != 0,
             "characters of XML", at, 3);
        at++;
    } while (depth != 0 && at < text + size);
    must(depth == 0 && at + 1 == text + size, "one whole element", text, size);
}

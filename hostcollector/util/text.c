/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns, numbers and paragraphs; what is unsafe to print is escaped. */
#include "util/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t text_width(const char *s)
{
    size_t width = 0;

    for (; *s != '\0'; s++)
        width += !continues(*s);
    return width;
}

/* Bytes of the printable UTF-8 character at (s), 0 if there is none. */
static size_t character(const char *s)
{
    unsigned char c = (unsigned char)*s;
    size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    if (c < ' ' || c == 0x7f || c > 0xf4)
        return 0;
    /* C1 controls, U+0080 to U+009F, move cursors as well */
    if (c == 0xc2 && (unsigned char)s[1] < 0xa0)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (!continues(s[i]))
            return 0;
    }
    return n;
}

char *text_escape(char *buf, size_t size, const char *s)
{
    size_t used = 0;

    while (*s != '\0') {
        char hex[5];
        size_t n = character(s);
        const char *from = s;

        s += n != 0 ? n : 1;
        if (n == 0) {
            (void)snprintf(hex, sizeof hex, "\\x%02x", (unsigned char)*from);
            from = hex;
            n = 4;
        }
        if (used + n >= size)
            break;
        memcpy(buf + used, from, n);
        used += n;
    }
    buf[used] = '\0';
    return buf;
}

/* The byte offset of character number (i) of (s). */
static size_t offset_of(const char *s, size_t i)
{
    size_t at = 0;

    for (; s[at] != '\0'; at++) {
        if (!continues(s[at]) && i-- == 0)
            break;
    }
    return at;
}

static void write_blanks(FILE *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)putc(' ', out);
}

void text_left(FILE *out, const char *s, size_t width)
{
    size_t have = text_width(s);

    if (have > width && width >= 2) {
        (void)fwrite(s, 1, offset_of(s, width - 2), out);
        (void)fputs("..", out);
        return;
    }
    (void)fputs(s, out);
    write_blanks(out, width > have ? width - have : 0);
}

void text_tail(FILE *out, const char *s, size_t width)
{
    size_t have = text_width(s);

    if (have > width && width >= 2) {
        (void)fputs("..", out);
        (void)fputs(s + offset_of(s, have - (width - 2)), out);
        return;
    }
    (void)fputs(s, out);
}

char *text_count(char buf[TEXT_NUMBER], uint64_t n)
{
    char digits[TEXT_NUMBER];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *to = buf;

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buf;
}

char *text_percent(char buf[TEXT_PERCENT], uint64_t part, uint64_t whole)
{
    double p = whole != 0 ? 100 * (double)part / (double)whole : 0;

    if (part == 0 || whole == 0)
        (void)snprintf(buf, TEXT_PERCENT, "0 %%");
    else if (part >= whole)
        (void)snprintf(buf, TEXT_PERCENT, "100 %%");
    else if (p < .5)
        (void)snprintf(buf, TEXT_PERCENT, "<1 %%");
    else if (p >= 99.5)
        (void)snprintf(buf, TEXT_PERCENT, ">99 %%");
    else
        (void)snprintf(buf, TEXT_PERCENT, "%.0f %%", p);
    return buf;
}

const char *text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void text_wrap(FILE *out, const char *first, const char *paragraph)
{
    size_t indent = text_width(first), column = indent;
    const char *word = paragraph;

    (void)fputs(first, out);
    while (*word != '\0') {
        size_t len = strcspn(word, " ");

        if (column > indent && column + 1 + len > TEXT_COLUMNS) {
            (void)putc('\n', out);
            write_blanks(out, indent);
            column = indent;
        } else if (column > indent) {
            (void)putc(' ', out);
            column++;
        }
        (void)fwrite(word, 1, len, out);
        column += len;
        word += len + strspn(word + len, " ");
    }
    (void)putc('\n', out);
}

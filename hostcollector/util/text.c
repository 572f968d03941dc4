/* SPDX-License-Identifier: BSD-2-Clause */
/* Plain text in columns, safe on any terminal. */
#include "util/text.h"

#include <inttypes.h>
#include <limits.h>
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

/* Characters without a visible sign: they join, hide or turn around the
 * characters beside them. XML forbids U+FFFE and U+FFFF. Sorted. */
static const struct {
    uint32_t first, last;
} unseen[] = {
    {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xd800, 0xdfff},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
    {0x110000, ~0u},
};

static bool is_seen(uint32_t code)
{
    size_t i = 0;

    while (code > unseen[i].last)
        i++;
    return code >= ' ' && code < unseen[i].first;
}

size_t text_character(const char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char c = (unsigned char)*s;
    size_t n = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    uint32_t code = n < 2 ? c : c & 0x7fu >> n;

    if (n == 0 || c > 0xf7)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (!continues(s[i]))
            return 0;
        code = code << 6 | ((unsigned char)s[i] & 0x3fu);
    }
    return code >= least[n] && is_seen(code) ? n : 0;
}

/* Number of first bytes of (s), at most (most), that are plain ASCII. */
static size_t plain(const char *s, size_t most)
{
    size_t n = 0;

    while (n < most && s[n] >= ' ' && s[n] < 0x7f)
        n++;
    return n;
}

char *text_escape(char *buf, size_t size, const char *s)
{
    size_t used = 0;

    while (*s != '\0') {
        char hex[5];
        size_t n = plain(s, size - 1 - used);
        const char *from = s;

        if (n == 0)
            n = text_character(s);
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

/* Byte offset of character number (i) of (s). */
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

void text_cut(FILE *out, const char *s, size_t width)
{
    bool fits = text_width(s) <= width || width < 2;

    (void)fwrite(s, 1, fits ? strlen(s) : offset_of(s, width - 2), out);
    if (!fits)
        (void)fputs("..", out);
}

void text_left(FILE *out, const char *s, size_t width)
{
    size_t have = text_width(s);

    text_cut(out, s, width);
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

char *text_seconds(char buf[TEXT_NUMBER], double s)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    size_t i = 0;

    for (; s > 0 && s < 1 && i + 1 < sizeof units / sizeof units[0]; i++)
        s *= 1000;
    (void)snprintf(buf, TEXT_NUMBER, "%.3g %s", s, units[i]);
    return buf;
}

const char *text_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
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

void text_decimal(FILE *out, uint64_t n, unsigned point)
{
    char text[32];
    size_t at = sizeof text;

    for (unsigned i = 0; i <= point || n != 0; i++, n /= 10) {
        if (i == point && point != 0)
            text[--at] = '.';
        text[--at] = (char)('0' + n % 10);
    }
    (void)fwrite(text + at, 1, sizeof text - at, out);
}

void text_hex(FILE *out, uint64_t n)
{
    char text[16];
    size_t at = sizeof text;

    do
        text[--at] = "0123456789abcdef"[n % 16];
    while ((n /= 16) != 0);
    (void)fwrite(text + at, 1, sizeof text - at, out);
}

char *text_size(char buf[TEXT_SIZE], uint64_t bytes)
{
    static const char *const units[] = {"", "K", "M", "G"};
    size_t i = 0;

    for (; i < 3 && bytes != 0 && bytes % 1024 == 0; i++)
        bytes /= 1024;
    (void)snprintf(buf, TEXT_SIZE, "%" PRIu64 "%s", bytes, units[i]);
    return buf;
}

char *text_enough(char buf[TEXT_ENOUGH], uint64_t all, uint64_t share,
                  uint64_t needed)
{
    const uint64_t mib = 1u << 20;
    double bytes = (double)all * ((double)needed / (double)share);
    char size[TEXT_SIZE];
    int n = snprintf(buf, TEXT_ENOUGH,
                     ", but the guest's share is %" PRIu64 " KiB", share >> 10);

    if (all != 0)
        (void)snprintf(
            buf + n, TEXT_ENOUGH - (size_t)n,
            ": type --memory %s, or sample fewer guests at once",
            text_size(size, ((uint64_t)(bytes / (double)mib) + 1) * mib));
    return buf;
}

const char *text_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

unsigned text_edits(const char *a, size_t len, const char *b)
{
    unsigned row[TEXT_WORD];
    size_t width = strlen(b);

    if (width >= TEXT_WORD)
        return UINT_MAX;
    for (size_t j = 0; j <= width; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= len; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= width; j++) {
            unsigned replace = diagonal + (a[i - 1] != b[j - 1]);
            unsigned shift = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);

            diagonal = row[j];
            row[j] = replace < shift ? replace : shift;
        }
    }
    return row[width];
}

void text_wrap(FILE *out, const char *first, const char *paragraph,
               size_t columns)
{
    (void)fputs(first, out);
    text_wrap_at(out, text_width(first), paragraph, columns);
}

void text_wrap_at(FILE *out, size_t indent, const char *paragraph,
                  size_t columns)
{
    size_t column = indent;
    const char *word = paragraph;

    while (*word != '\0') {
        size_t len = strcspn(word, " ");

        if (column > indent && column + 1 + len > columns) {
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

#define BETWEEN " ,|"

unsigned text_near_edits(const char *typed, size_t length, const char *word)
{
    return length >= 2 && strncmp(word, typed, length) == 0
               ? 1
               : text_edits(typed, length, word);
}

/* The edits from (typed) to the (size) bytes at (word). */
static unsigned edits_to(const char *typed, size_t length, const char *word,
                         size_t size)
{
    char copy[TEXT_WORD] = "";

    if (size >= sizeof copy)
        return TEXT_FAR;
    memcpy(copy, word, size);
    return text_near_edits(typed, length, copy);
}

/* Find the word of (words) that is most like (typed): it differs by two letters
 * at most, or begins with (typed). Returns the word's length; 0 if there is no
 * such word. */
static size_t near_word(const char *typed, const char *words, const char **word)
{
    unsigned least = TEXT_FAR;
    size_t found = 0;

    for (words += strspn(words, BETWEEN); words[0] != '\0';) {
        size_t size = strcspn(words, BETWEEN);
        unsigned d = edits_to(typed, strlen(typed), words, size);

        /* in a word of two letters only one may differ */
        if (d < least && d < size) {
            least = d;
            *word = words;
            found = size;
        }
        words += size;
        words += strspn(words, BETWEEN);
    }
    return found;
}

const char *text_near_guess(char buf[TEXT_NEAR], const char *typed,
                            const char *words)
{
    const char *word;
    size_t size = near_word(typed, words, &word);

    buf[0] = '\0';
    if (size != 0)
        (void)snprintf(buf, TEXT_NEAR, " (did you mean %.*s?)", (int)size,
                       word);
    return buf;
}

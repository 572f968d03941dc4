/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of guests inside Markdown. */
#include "report/markdown_text.h"

#include <stddef.h>
#include <string.h>

static size_t longest_run(const char *s)
{
    size_t longest = 0, run = 0;

    for (; *s != '\0'; s++) {
        run = *s == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* A fence of backticks ends at the next run of as many backticks: write a
 * longer run than the text has. */
static void write_fence(FILE *out, size_t n)
{
    while (n-- > 0)
        (void)putc('`', out);
}

/*
 * A bar would end the cell, also inside code. A backslash before the bar keeps
 * the cell together, unless the text has a backslash there, which would take
 * the new backslash for itself. So such a bar becomes a broken bar.
 */
static void write_bar(FILE *out, char before)
{
    (void)fputs(before == '\\' ? "\u00a6" : "\\|", out);
}

void markdown_text_code(FILE *out, const char *s)
{
    size_t fence = longest_run(s) + 1;
    /* a backtick at an end would join the fence */
    const char *space = fence > 1 || *s == '\0' ? " " : "";

    write_fence(out, fence);
    (void)fputs(space, out);
    for (size_t i = 0; s[i] != '\0'; i++) {
        if (s[i] == '|')
            write_bar(out, i > 0 ? s[i - 1] : ' ');
        else
            (void)putc(s[i], out);
    }
    (void)fputs(space, out);
    write_fence(out, fence);
}

void markdown_text_block(FILE *out, const char *s)
{
    size_t fence = longest_run(s) + 1;

    fence = fence < 3 ? 3 : fence;
    (void)putc('\n', out);
    write_fence(out, fence);
    (void)fputs("text\n", out);
    (void)fputs(*s == '\n' ? s + 1 : s, out);
    if (*s != '\0' && s[strlen(s) - 1] != '\n')
        (void)putc('\n', out);
    write_fence(out, fence);
    (void)putc('\n', out);
}

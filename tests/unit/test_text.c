/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns and escapes: what a report prints is what a terminal can bear. */
#include "util/text.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static char *captured;
static size_t captured_size;

static FILE *capture(void)
{
    FILE *out = open_memstream(&captured, &captured_size);

    CHECK(out != NULL);
    return out;
}

static void check_captured(FILE *out, const char *want)
{
    CHECK(fclose(out) == 0);
    CHECK_STR(captured, want);
    free(captured);
}

static void check_escape(const char *s, const char *want)
{
    char buf[64];

    CHECK_STR(text_escape(buf, sizeof buf, s), want);
}

TEST(escapes_make_terminals_safe) /* catches: a name that clears the screen */
{
    check_escape("work", "work");
    check_escape("a\x1b[2Jb", "a\\x1b[2Jb");
    check_escape("a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f");
    check_escape("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
    check_escape("\xc2\x9b"
                 "2J",
                 "\\xc2\\x9b2J");  /* CSI as a C1 control */
    check_escape("\xc3", "\\xc3"); /* cut short */
    check_escape("\xc0\xaf\xff", "\\xc0\\xaf\\xff");
}

TEST(escapes_never_pass_the_buffer)
{
    char buf[8];

    memset(buf, '#', sizeof buf);
    CHECK_STR(text_escape(buf, 6, "abcdefgh"), "abcde");
    CHECK(buf[6] == '#');
    CHECK_STR(text_escape(buf, 6, "abc\n"), "abc"); /* no half escape */
    CHECK_STR(text_escape(buf, 3, "a\xc3\xbc"), "a");
    CHECK_STR(text_escape(buf, 1, "abc"), "");
}

TEST(counts_are_grouped)
{
    char buf[TEXT_NUMBER];

    CHECK_STR(text_count(buf, 0), "0");
    CHECK_STR(text_count(buf, 999), "999");
    CHECK_STR(text_count(buf, 1000), "1,000");
    CHECK_STR(text_count(buf, UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(cells_have_their_width)
{
    FILE *out = capture();

    text_left(out, "abc", 5);
    text_left(out, "abcdefgh", 5);
    text_left(out, "\xc3\xbc\xc3\xbc\xc3\xbc", 5);
    text_tail(out, "/usr/src/main.c:12", 10);
    text_tail(out, "a.c:1", 6);
    check_captured(out, "abc  abc..\xc3\xbc\xc3\xbc\xc3\xbc  ..ain.c:12a.c:1");
}

TEST(paragraphs_break_between_words)
{
    char paragraph[400] = "";
    FILE *out = capture();

    for (size_t i = 0; i < 200; i++)
        paragraph[i] = "word "[i % 5]; /* 19 words fill a line */
    text_wrap(out, "  * ", paragraph);
    CHECK(fclose(out) == 0);

    size_t lines = 0;
    for (char *line = strtok(captured, "\n"); line; line = strtok(NULL, "\n")) {
        CHECK(strlen(line) <= TEXT_COLUMNS);
        CHECK(strncmp(line, lines++ == 0 ? "  * word" : "    word", 8) == 0);
        CHECK(line[strlen(line) - 1] != ' ');
    }
    CHECK_EQ(lines, 3);
    free(captured);
}

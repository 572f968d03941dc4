/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns and escapes: what a report prints is what a terminal can bear. */
#include "util/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/err.h"

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

/* Catches: ESC in three bytes, which lenient terminals obey */
TEST(escapes_take_overlong_and_impossible_characters)
{
    check_escape("\xe0\x80\x9b[2J", "\\xe0\\x80\\x9b[2J");
    check_escape("\xf0\x80\x80\x9b", "\\xf0\\x80\\x80\\x9b");
    check_escape("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
    check_escape("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* a surrogate */
    check_escape("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    check_escape("\xf8\x88\x80\x80", "\\xf8\\x88\\x80\\x80");
    check_escape("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80",
                 "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80");
    check_escape("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
                 "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

/* Catches: a name that reads backwards, or has parts that nobody sees */
TEST(escapes_take_what_turns_or_hides_text)
{
    /* U+202E, U+2066, each with its end */
    check_escape("a\xe2\x80\xae\xe2\x80\xac",
                 "a\\xe2\\x80\\xae\\xe2\\x80\\xac");
    check_escape("\xe2\x81\xa6\xe2\x81\xa9", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
    check_escape("\xd8\x9c", "\\xd8\\x9c");                   /* U+061C */
    check_escape("\xe2\x80\x8b", "\\xe2\\x80\\x8b");          /* U+200B */
    check_escape("\xe2\x80\xa8", "\\xe2\\x80\\xa8");          /* U+2028 */
    check_escape("\xef\xbb\xbf", "\\xef\\xbb\\xbf");          /* U+FEFF */
    check_escape("\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"); /* a tag */
    check_escape("\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf",
                 "\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf");
}

/* Catches: a file's name that writes on the terminal by an error */
TEST(errors_are_harmless)
{
    struct err e;

    (void)err_set(&e, "%s: no such file",
                  "a\x1b\xe0\x80\x9b\xe2\x80\xae\xe2\x80\xac.elf");
    CHECK_STR(e.text, "a??????????.elf: no such file");
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
    text_wrap(out, "  * ", paragraph, TEXT_COLUMNS);
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

TEST(sizes_are_written_as_options_take_them)
{
    char buf[TEXT_SIZE];

    CHECK_STR(text_size(buf, 1ull << 30), "1G");
    CHECK_STR(text_size(buf, 3ull << 29), "1536M");
    CHECK_STR(text_size(buf, 20480000), "20000K");
    CHECK_STR(text_size(buf, 16777217), "16777217");
    CHECK_STR(text_size(buf, 1ull << 40), "1024G");
    CHECK_STR(text_size(buf, 0), "0");
}

static unsigned edits(const char *a, const char *b)
{
    return text_edits(a, strlen(a), b);
}

TEST(edits_are_counted_for_words_of_any_length) /* catches: a short table */
{
    char word[TEXT_WORD + 1] = "";

    CHECK_EQ(edits("vsok", "vsock"), 1);
    CHECK_EQ(edits("", "elf"), 3);
    CHECK_EQ(edits("elff", ""), 4);
    CHECK_EQ(edits("kitten", "sitting"), 3);
    for (size_t i = 0; i < TEXT_WORD; i++) {
        CHECK_EQ(edits(word, word), 0);
        CHECK_EQ(edits("", word), i);
        word[i] = 'w';
    }
    CHECK_EQ(edits(word, word), UINT_MAX); /* too long a word */
}

TEST(digits_are_as_printf_writes_them) /* catches: a lost or extra zero */
{
    FILE *out = capture();

    text_decimal(out, 0, 0);
    text_decimal(out, UINT64_MAX, 0);
    (void)putc(' ', out);
    text_decimal(out, 5, 3);
    (void)putc(' ', out);
    text_decimal(out, 1000, 3);
    (void)putc(' ', out);
    text_hex(out, 0);
    text_hex(out, 0xfedcba9876543210);
    check_captured(out, "018446744073709551615 0.005 1.000 0fedcba9876543210");
}

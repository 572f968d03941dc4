/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in columns: what has room, and what wide and hostile text does. */
#include "top/screen.h"

#include <locale.h>
#include <string.h>

#include "check.h"

static struct screen s;

static void begin(unsigned width, unsigned height)
{
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        SKIP("no locale C.UTF-8");
    screen_begin(&s, width, height);
}

static const char *last(void)
{
    return s.rows[s.count - 1].text;
}

TEST(row_ends_at_the_right_edge) /* catches: text that wraps around */
{
    begin(10, 2);
    CHECK(screen_row(&s));
    screen_put(&s, SCREEN_PLAIN, "%d and %d", 12345, 67890);
    CHECK_STR(last(), "12345 and ");
    screen_put(&s, SCREEN_PLAIN, "more");
    screen_cell(&s, SCREEN_PLAIN, 5, "more");
    screen_to(&s, 20);
    CHECK_STR(last(), "12345 and ");
    screen_fini(&s);
}

TEST(cell_has_its_width_whatever_is_in_it)
{
    begin(40, 4);
    CHECK(screen_row(&s));
    screen_cell(&s, SCREEN_PLAIN, 6, "abc");
    screen_put(&s, SCREEN_PLAIN, "|");
    CHECK_STR(last(), "abc   |");
    CHECK(screen_row(&s));
    screen_cell(&s, SCREEN_PLAIN, 6, "abcdefg");
    screen_put(&s, SCREEN_PLAIN, "|");
    CHECK_STR(last(), "abcd..|");
    CHECK(screen_row(&s));
    screen_cell(&s, SCREEN_PLAIN, 6, "abcdef");
    CHECK_STR(last(), "abcdef");
    screen_fini(&s);
}

TEST(wide_characters_take_two_columns) /* catches: columns that are pushed */
{
    begin(40, 4);
    CHECK(screen_row(&s));
    screen_cell(&s, SCREEN_PLAIN, 7, "\u6f22\u5b57\u6f22\u5b57");
    screen_put(&s, SCREEN_PLAIN, "|");
    /* two of them, "..", and a column in which no half has room */
    CHECK_STR(last(), "\u6f22\u5b57.. |");
    CHECK_EQ(s.rows[0].columns, 8);
    CHECK_EQ(screen_width_of("\u6f22x"), 3);
    screen_fini(&s);
}

TEST(accents_take_no_column) /* catches: as above, and towers of accents */
{
    begin(40, 4);
    CHECK(screen_row(&s));
    screen_cell(&s, SCREEN_PLAIN, 4, "\u0301e\u0301\u0301\u0301\u0301x");
    screen_put(&s, SCREEN_PLAIN, "|");
    CHECK_STR(last(), "e\u0301\u0301x  |");
    CHECK_EQ(s.rows[0].columns, 5);
    screen_fini(&s);
}

TEST(control_characters_do_not_pass) /* catches: a guest at the terminal */
{
    begin(40, 1);
    CHECK(screen_row(&s));
    screen_put(&s, SCREEN_PLAIN, "a\x1b[2Jb\n\xff\u202ec\t");
    CHECK_STR(last(), "a?[2Jb?????c?");
    screen_fini(&s);
}

TEST(locale_without_unicode_shows_question_marks)
{
    begin(40, 1);
    CHECK(setlocale(LC_CTYPE, "C") != NULL);
    CHECK(screen_row(&s));
    screen_cell(&s, SCREEN_PLAIN, 4, "\u00e9x");
    screen_put(&s, SCREEN_PLAIN, "|");
    CHECK_STR(last(), "?x  |");
    screen_fini(&s);
}

TEST(screen_has_no_more_rows_than_it_is_high)
{
    begin(10, 2);
    CHECK_EQ(screen_left(&s), 2);
    CHECK(screen_row(&s));
    CHECK(screen_row(&s));
    screen_put(&s, SCREEN_PLAIN, "kept");
    CHECK_EQ(screen_left(&s), 0);
    CHECK(!screen_row(&s));
    CHECK(!screen_row(&s));
    screen_put(&s, SCREEN_PLAIN, "dropped");
    CHECK_STR(s.rows[1].text, "kept");
    screen_begin(&s, 10, 1);
    CHECK_EQ(s.count, 0);
    screen_fini(&s);
}

TEST(styles_begin_where_their_text_does)
{
    begin(40, 1);
    CHECK(screen_row(&s));
    screen_put(&s, SCREEN_PLAIN, "ab");
    screen_put(&s, SCREEN_BUSY, "cd");
    screen_put(&s, SCREEN_BUSY, "e");
    screen_put(&s, SCREEN_IDLE, "%s", "");
    screen_to(&s, 8);
    CHECK_EQ(s.rows[0].span_count, 2);
    CHECK_EQ(s.rows[0].spans[0].from, 2);
    CHECK_EQ(s.rows[0].spans[0].style, SCREEN_BUSY);
    CHECK_EQ(s.rows[0].spans[1].from, 5);
    CHECK_EQ(s.rows[0].spans[1].style, SCREEN_PLAIN);
    CHECK_EQ(strlen(s.rows[0].text), 8);
    screen_fini(&s);
}

TEST(long_rows_stay_within_their_memory)
{
    begin(1000000, 1000000);
    CHECK_EQ(s.width, SCREEN_COLUMNS);
    for (unsigned i = 0; i < 300; i++) {
        (void)screen_row(&s);
        for (unsigned j = 0; j < SCREEN_COLUMNS; j++)
            screen_put(&s, j % 2 ? SCREEN_BOLD : SCREEN_DIM,
                       "\U0001d518\u0301\u0301");
    }
    CHECK_EQ(s.count, SCREEN_ROWS + 1);
    CHECK(s.rows[0].size < SCREEN_BYTES);
    screen_fini(&s);
}

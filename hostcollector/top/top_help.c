/* SPDX-License-Identifier: BSD-2-Clause */
/* The help of collector top. */
#include "top/draw.h"

struct line {
    const char *key, *what;
};

static const struct line always[] = {
    {"Up Down k j", "select a function; PgUp, PgDn, g, G: further"},
    {"Enter e", "show the callers of the selected line, or hide them"},
    {"l", "its source lines and basic blocks, as of now; q, Esc: leave"},
    {"Tab  0-9  a", "the next core; that core; all cores together"},
    {"s S", "sort by self, total, change, lateness, name"},
    {"/  Esc", "show functions with these letters in the name; all"},
    {"i", "functions in which cores wait; those in which they are busy"},
    {"t", "columns of each core, each thread, each image"},
    {"T R L", "tables of threads, requests, locks, as of now; q, Esc: leave"},
    {"w W", "samples of the last 1, 5, 60 s; since the start"},
    {"b", "shares of all time, or of the busy (or idle) time alone"},
    {"Space p", "keep this picture; go on"},
};

static const struct line live[] = {
    {"+ -", "sample more often, or less"},
    {"> <", "more callers of each sample, or fewer"},
    {"r", "write a recording, from now on; again: end it"},
};

static const struct line player[] = {
    {"Left Right", "go back, or forward, by 5 seconds"},
    {"Home End", "to the beginning, or to the end"},
    {"[ ]", "play at half, or at twice the speed"},
};

static const struct line columns[] = {
    {"busy idle", "parts of a core's time"},
    {"late", "samples came late: interrupts were off, or the host was busy"},
    {"lost", "ticks without a sample"},
    {"self total", "time in the function; with what it calls"},
    {"+-", "margin: 95 of 100 true shares are within +- of the shown share"},
    {"change", "since the last picture; bright if it is no chance"},
};

static void draw_lines(struct screen *s, const struct line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!screen_row(s))
            return;
        screen_cell(s, SCREEN_BOLD, 13, lines[i].key);
        screen_put(s, SCREEN_PLAIN, "%s", lines[i].what);
    }
}

#define DRAW(lines) draw_lines(s, lines, sizeof(lines) / sizeof(lines)[0])

void help_draw(const struct top *t, struct screen *s)
{
    (void)screen_row(s);
    screen_put(s, SCREEN_HEAD, "Keys (any key leaves this text)");
    screen_mark_row(s, SCREEN_HEAD);
    DRAW(always);
    if (t->player)
        DRAW(player);
    else
        DRAW(live);
    DRAW(columns);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the heading and the line of keys, and places all parts. */
#include "top/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "top/pages.h"
#include "util/text.h"

#define TEXT_MAX 256u

/* Write seconds as 1:02:03 to (buf). */
static const char *clock_text(char buf[32], double seconds)
{
    unsigned long s = seconds > 0 && seconds < 1e9 ? (unsigned long)seconds : 0;

    if (s >= 3600)
        (void)snprintf(buf, 32, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60,
                       s % 60);
    else
        (void)snprintf(buf, 32, "%lu:%02lu", s / 60, s % 60);
    return buf;
}

/* Write " 997 Hz", or the requested value if the guest uses another one. */
static void put_limited(struct screen *s, uint32_t given, uint32_t asked,
                        const char *unit)
{
    if (given == 0)
        return;
    screen_put(s, SCREEN_PLAIN, "  %" PRIu32 " %s", given, unit);
    if (asked != 0 && asked != given)
        screen_put(s, SCREEN_LOST, " (asked for %" PRIu32 ")", asked);
}

/* Draw the image, the time, the settings and the source. Text that does not fit
 * is cut at the end, since the user knows that part. */
static void draw_title(const struct top *t, const struct top_facts *f,
                       struct screen *s)
{
    char text[TEXT_MAX], time[32];

    (void)screen_row(s);
    screen_put(
        s, SCREEN_BOLD, "%s",
        text_escape(text, sizeof text,
                    f->image != NULL ? text_base_name(f->image) : "tprof top"));
    screen_put(s, SCREEN_BOLD, "  %s", clock_text(time, f->seconds));
    if (t->player)
        screen_put(s, SCREEN_PLAIN, " (%.0f %%)", 100 * f->part);
    put_limited(s, f->rate_hz, f->asked_rate_hz, "Hz");
    put_limited(s, f->depth, f->asked_depth, "callers");
    screen_put(s, SCREEN_DIM, "  %s",
               text_escape(text, sizeof text, f->source));
}

static void put_state(const struct top *t, const struct top_facts *f,
                      struct screen *s)
{
    char text[TEXT_MAX], size[TEXT_NUMBER];

    if (t->player && f->ended)
        screen_put(s, SCREEN_BOLD, "[end] ");
    else if (t->paused)
        screen_put(s, SCREEN_SELECTED, "[paused]");
    else if (t->player)
        screen_put(s, SCREEN_BOLD, "[playing %gx]", f->speed);
    if (f->recording != NULL)
        screen_put(s, SCREEN_LOST, "[recording %s, %s KiB]",
                   text_escape(text, sizeof text, f->recording),
                   text_count(size, f->recorded / 1024));
    if (s->rows[s->count - 1].columns != 0)
        screen_put(s, SCREEN_PLAIN, " ");
}

/* Draw sums of the window: samples, losses, and the cost of the profiler. */
static void draw_sums(const struct top *t, const struct top_facts *f,
                      struct screen *s)
{
    uint64_t samples = 0, ticks = 0;
    char text[TEXT_NUMBER];

    (void)screen_row(s);
    put_state(t, f, s);
    if (t->profile == NULL)
        return;
    for (size_t i = 0; i < t->profile->core_count; i++) {
        samples += t->profile->cores[i].account.samples;
        ticks += account_ticks(&t->profile->cores[i].account);
    }
    if (top_windows[t->window] > 0)
        screen_put(s, SCREEN_PLAIN,
                   "last %.*f s: ", t->profile->duration_s < 9.95 ? 1 : 0,
                   t->profile->duration_s);
    else
        screen_put(s, SCREEN_PLAIN, "since the start: ");
    screen_put(s, SCREEN_PLAIN, "%s samples, ", text_count(text, samples));
    if (samples == ticks)
        screen_put(s, SCREEN_PLAIN, "none lost");
    else
        screen_put(s, SCREEN_LOST, "%s lost (%.2f %%)",
                   text_count(text, ticks - samples),
                   100 * (double)(ticks - samples) / (double)ticks);
    if (t->view != NULL && t->view->idle_unknown)
        screen_put(s, SCREEN_LOST, ", busy or idle is not known");
}

static void draw_note(const struct top_facts *f, struct screen *s)
{
    char text[512];

    if (f->note == NULL)
        return;
    (void)screen_row(s);
    screen_put(s, SCREEN_LATE, "! %s", text_escape(text, sizeof text, f->note));
}

static const char *sort_name(enum top_sort sort)
{
    static const char *const names[TOP_SORTS] = {"self", "total", "change",
                                                 "late", "name"};

    return names[sort];
}

/* Write a key and its effect. */
static void put_key(struct screen *s, const char *key, const char *what)
{
    if (s->rows[s->count - 1].columns + screen_width_of(key) +
            screen_width_of(what) + 2 >
        s->width)
        return;
    screen_put(s, SCREEN_BOLD, "%s", key);
    screen_put(s, SCREEN_DIM, " %s  ", what);
}

static void draw_keys(const struct top *t, struct screen *s)
{
    char sort[32];

    (void)screen_row(s);
    if (t->typing) {
        screen_put(s, SCREEN_BOLD, "filter: %s_", t->typed);
        screen_put(s, SCREEN_DIM, "  (Enter keeps it, Esc leaves it)");
        return;
    }
    if (t->pages.text != NULL) {
        put_key(s, "q", "back to the list");
        put_key(s, "l T R L", "lines, threads, requests, locks as of now");
        put_key(s, "Up Down PgUp PgDn g G", "move");
        return;
    }
    (void)snprintf(sort, sizeof sort, "sort: %s", sort_name(t->sort));
    put_key(s, "?", "help");
    put_key(s, "q", "quit");
    put_key(s, "s", sort);
    put_key(s, "Tab", t->core == VIEW_ALL_CORES ? "core: all" : "core");
    put_key(s, "Enter", "callers");
    put_key(s, "l", "lines");
    put_key(s, "/", t->filter[0] != '\0' ? t->filter : "filter");
    put_key(s, "i", t->idle ? "busy" : "waits");
    put_key(s, "w", "window");
    put_key(s, "Space", "pause");
    if (t->player) {
        put_key(s, "[ ]", "speed");
        put_key(s, "Left Right", "seek");
    } else {
        put_key(s, "+ -", "rate");
        put_key(s, "r", "record");
    }
    put_key(s, "b", t->of_busy ? "% of busy" : "% of all");
}

/* The rows for cores, at most a third of the screen. */
static unsigned core_rows(unsigned height)
{
    return height / 3 > 4 ? height / 3 : 4;
}

void top_draw(struct top *t, const struct top_facts *facts, struct screen *s,
              unsigned width, unsigned height)
{
    screen_begin(s, width, height);
    t->width = width;
    draw_title(t, facts, s);
    draw_sums(t, facts, s);
    if (t->help) {
        help_draw(t, s);
        return;
    }
    draw_note(facts, s);
    if (t->pages.text != NULL) {
        pages_draw(t, s, 1);
    } else {
        cores_draw(t, s, core_rows(height));
        table_draw(t, s, 1);
    }
    while (screen_left(s) > 1)
        (void)screen_row(s);
    if (screen_left(s) == 1)
        draw_keys(t, s);
}

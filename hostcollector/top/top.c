/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of collector top's screen, and the effect of keys on the state. */
#include "top/top.h"

#include <stdlib.h>
#include <string.h>

#include "diagnose/lateness.h"
#include "top/pages.h"
#include "util/text.h"

const double top_windows[TOP_WINDOWS] = {1, 5, TOP_WINDOW_MAX, 0};
#define FIRST_WINDOW 1u

#define CONTROL(letter) ((letter)&0x1f)

void top_init(struct top *t, bool player)
{
    *t = (struct top){
        .player = player, .core = VIEW_ALL_CORES, .window = FIRST_WINDOW};
}

void top_fini(struct top *t)
{
    pages_close(t);
    map_fini(&t->opened);
    map_fini(&t->before);
    map_fini(&t->now);
    free(t->shares);
    free(t->shares_now);
    free(t->items);
    *t = (struct top){0};
}

const struct view_scope *top_scope(const struct top *t)
{
    const struct view *v = t->view;

    for (size_t i = 0; v != NULL && i < v->core_count; i++)
        if (v->cores[i].core == t->core)
            return &v->cores[i];
    return v != NULL ? &v->total : NULL;
}

bool top_has_core(const struct top *t, size_t i)
{
    return t->view->cores[i].all.samples != 0 ||
           (i < t->profile->core_count && t->profile->cores[i].has_stats &&
            !t->profile->cores[i].absent);
}

size_t top_cores(const struct top *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->view->core_count; i++)
        n += top_has_core(t, i);
    return n;
}

void top_news(struct top *t, const struct profile *profile,
              const struct view *view)
{
    t->profile = profile;
    t->view = view;
    t->item_count = 0;
    if (view == NULL)
        return; /* the selection stays the same for the next view */
    t->late_least = lateness_least(profile, view, false);
    list_remember(t);
    list_make(t);
}

uint32_t top_function(const struct top *t)
{
    return t->at < t->item_count ? t->items[t->at].function : 0;
}

/* Keys */

/* Select the next core, or with (back) the previous one. "All cores" is one
 * more step in the circle. */
static void step_core(struct top *t, bool back)
{
    size_t count = t->view != NULL ? t->view->core_count : 0;
    size_t i = 0;

    if (count == 0)
        return;
    while (i < count && t->view->cores[i].core != t->core)
        i++;
    do
        i = (i + (back ? count : 1)) % (count + 1);
    while (i < count && !top_has_core(t, i));
    t->core = i < count ? t->view->cores[i].core : VIEW_ALL_CORES;
    t->selected = 0;
}

static void choose_core(struct top *t, uint32_t core)
{
    for (size_t i = 0; t->view != NULL && i < t->view->core_count; i++)
        if (t->view->cores[i].core == core)
            t->core = core;
    t->selected = 0;
}

static void move_selection(struct top *t, uint32_t key)
{
    size_t page = t->page > 1 ? t->page - 1 : 1;

    switch (key) {
    case TOP_KEY_UP:
    case 'k':
        list_select(t, t->at > 0 ? t->at - 1 : 0);
        break;
    case TOP_KEY_DOWN:
    case 'j':
        list_select(t, t->at + 1);
        break;
    case TOP_KEY_PAGE_UP:
        list_select(t, t->at > page ? t->at - page : 0);
        break;
    case TOP_KEY_PAGE_DOWN:
        list_select(t, t->at + page);
        break;
    case 'g':
        list_select(t, 0);
        break;
    default: /* 'G' */
        list_select(t, SIZE_MAX);
        break;
    }
}

/* Remove the last character of (text). */
static void cut_last(char *text)
{
    size_t size = strlen(text);

    while (size > 0 && ((unsigned char)text[--size] & 0xc0) == 0x80)
        continue;
    text[size] = '\0';
}

/* Append the character (key) to (text), as UTF-8. */
static void append(char text[TOP_FILTER], uint32_t key)
{
    char bytes[5] = {(char)key};
    size_t size = strlen(text);
    size_t n = key < 0x80 ? 1 : key < 0x800 ? 2 : key < 0x10000 ? 3 : 4;

    for (size_t i = n - 1; i > 0 && n > 1; i--) {
        bytes[i] = (char)(0x80 | (key & 0x3f));
        key >>= 6;
    }
    if (n > 1)
        bytes[0] = (char)((0xf00u >> n & 0xffu) | key);
    if (text_character(bytes) == n && size + n < TOP_FILTER)
        memcpy(text + size, bytes, n + 1);
}

/* Handle a key while a filter is typed. */
static void type_key(struct top *t, uint32_t key)
{
    switch (key) {
    case TOP_KEY_ENTER:
        memcpy(t->filter, t->typed, sizeof t->filter);
        t->typing = false;
        break;
    case TOP_KEY_ESCAPE:
        t->typing = false;
        break;
    case TOP_KEY_BACKSPACE:
        cut_last(t->typed);
        break;
    case CONTROL('u'):
        t->typed[0] = '\0';
        break;
    default:
        if (key < TOP_KEY_UP)
            append(t->typed, key);
        break;
    }
    t->selected = 0;
    list_make(t);
}

static void begin_typing(struct top *t)
{
    t->typing = true;
    memcpy(t->typed, t->filter, sizeof t->typed);
}

/* Handle keys of a player. */
static enum top_wish play_key(uint32_t key)
{
    switch (key) {
    case TOP_KEY_LEFT:
        return TOP_BACK;
    case TOP_KEY_RIGHT:
        return TOP_FORTH;
    case TOP_KEY_HOME:
        return TOP_BEGIN;
    case TOP_KEY_END:
        return TOP_END;
    case '[':
        return TOP_SLOWER;
    case ']':
        return TOP_FASTER;
    default:
        return TOP_NOTHING;
    }
}

/* Handle keys that change a guest's settings. */
static enum top_wish guest_key(uint32_t key)
{
    switch (key) {
    case '+':
    case '=':
        return TOP_RATE_UP;
    case '-':
        return TOP_RATE_DOWN;
    case '>':
    case '}':
        return TOP_DEPTH_UP;
    case '<':
    case '{':
        return TOP_DEPTH_DOWN;
    case 'r':
        return TOP_RECORD;
    default:
        return TOP_NOTHING;
    }
}

/* Handle keys that change the display of the same view. Returns false for other
 * keys. */
static bool show_key(struct top *t, uint32_t key)
{
    switch (key) {
    case 's':
        t->sort = (t->sort + 1) % TOP_SORTS;
        break;
    case 'S':
        t->sort = (t->sort + TOP_SORTS - 1) % TOP_SORTS;
        break;
    case 'i':
        t->idle = !t->idle;
        t->selected = 0;
        break;
    case 'b':
        t->of_busy = !t->of_busy;
        break;
    case 't':
        t->by = (t->by + 1) % VIEW_BYS;
        break;
    case '\t':
    case TOP_KEY_BACK_TAB:
        step_core(t, key != '\t');
        break;
    case 'a':
        t->core = VIEW_ALL_CORES;
        t->selected = 0;
        break;
    case '/':
        begin_typing(t);
        break;
    case TOP_KEY_ESCAPE:
        t->filter[0] = '\0';
        break;
    default:
        if (key < '0' || key > '9')
            return false;
        choose_core(t, key - '0');
        break;
    }
    list_make(t);
    return true;
}

static enum top_wish step_window(struct top *t, bool back)
{
    t->window = (t->window + (back ? TOP_WINDOWS - 1 : 1)) % TOP_WINDOWS;
    return TOP_WINDOW;
}

/* Handle a key that is not part of a filter. */
static enum top_wish press(struct top *t, uint32_t key)
{
    switch (key) {
    case 'q':
    case CONTROL('c'):
        return TOP_QUIT;
    case '?':
    case 'h':
        t->help = true;
        return TOP_NOTHING;
    case ' ':
    case 'p':
        t->paused = !t->paused;
        return TOP_NOTHING;
    case 'w':
    case 'W':
        return step_window(t, key == 'W');
    case TOP_KEY_UP:
    case TOP_KEY_DOWN:
    case TOP_KEY_PAGE_UP:
    case TOP_KEY_PAGE_DOWN:
    case 'j':
    case 'k':
    case 'g':
    case 'G':
        move_selection(t, key);
        return TOP_NOTHING;
    case TOP_KEY_ENTER:
    case 'e':
        list_open(t);
        return TOP_NOTHING;
    case 'l':
        return TOP_LINES;
    case 'T':
        return TOP_THREADS;
    case 'R':
        return TOP_REQUESTS;
    case 'L':
        return TOP_LOCKS;
    default:
        if (show_key(t, key))
            return TOP_NOTHING;
        return t->player ? play_key(key) : guest_key(key);
    }
}

enum top_wish top_key(struct top *t, uint32_t key)
{
    if (t->typing) {
        type_key(t, key);
        return TOP_NOTHING;
    }
    if (t->help) {
        /* any key closes the help; q has no other effect then */
        t->help = false;
        return TOP_NOTHING;
    }
    if (t->pages.text != NULL && pages_key(t, key))
        return TOP_NOTHING;
    /* keys that show another text, or leave */
    if (t->pages.text != NULL && key != 'l' && key != 'T' && key != 'R' &&
        key != 'L' && key != CONTROL('c'))
        return TOP_NOTHING;
    return press(t, key);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of collector top's screen, and the effect of keys on the state. The
 * state needs no terminal, guest or clock: top_news() sets a view, top_key()
 * handles a key, and top_draw() (draw.h) makes rows of both.
 */
#ifndef TPROF_TOP_TOP_H
#define TPROF_TOP_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/view.h"
#include "util/pair_map.h"

#define TOP_FILTER 64u /* bytes of a filter */

/* Keys that are not characters. */
enum top_key {
    TOP_KEY_UP = 0x110000, /* larger than all characters */
    TOP_KEY_DOWN,
    TOP_KEY_LEFT,
    TOP_KEY_RIGHT,
    TOP_KEY_PAGE_UP,
    TOP_KEY_PAGE_DOWN,
    TOP_KEY_HOME,
    TOP_KEY_END,
    TOP_KEY_BACK_TAB,
    TOP_KEY_BACKSPACE,
    TOP_KEY_ENTER,
    TOP_KEY_ESCAPE,
};

/* Requests that a key makes to the caller of top_key(). */
enum top_wish {
    TOP_NOTHING,
    TOP_QUIT,
    TOP_WINDOW,  /* another window of time, so another view */
    TOP_LINES,   /* lines and blocks of the selected function */
    TOP_THREADS, /* times and waits of threads */
    TOP_REQUESTS,
    TOP_LOCKS,
    TOP_RECORD, /* begin a recording, or end it */
    TOP_RATE_UP,
    TOP_RATE_DOWN,
    TOP_DEPTH_UP,
    TOP_DEPTH_DOWN,
    /* for recordings only */
    TOP_BACK,
    TOP_FORTH,
    TOP_BEGIN,
    TOP_END,
    TOP_SLOWER,
    TOP_FASTER,
};

enum top_sort {
    TOP_BY_SELF,
    TOP_BY_TOTAL,
    TOP_BY_CHANGE,
    TOP_BY_LATE,
    TOP_BY_NAME,
    TOP_SORTS
};

/* A line of the list: a function, or a caller of the line above it. */
struct top_item {
    uint32_t function;
    uint32_t depth; /* 0: a function; otherwise the number of calls between the
                     * line and its function */
    uint64_t key; /* identifies the names of the line, also in the next view */
    struct amount self, total;
    double change;    /* change of the share of (self) since the last view */
    bool has_change;  /* the last view had the line, for the same window */
    double late;      /* part of (self) that came late */
    bool open, leads; /* (open): its callers are shown. (leads): it has
                       * callers. */
};

/* A text in place of the list, see pages.h. */
struct top_pages {
    char *text;   /* NULL: no text */
    size_t first; /* line on the screen */
};

struct top {
    bool player; /* plays a recording */
    struct top_pages pages;

    /* Set by keys. */
    uint32_t core; /* or VIEW_ALL_CORES */
    uint32_t by;   /* columns beside the functions, an enum view_by */
    enum top_sort sort;
    bool idle;       /* functions in which cores wait, not busy ones */
    bool of_busy;    /* shares are of busy time; otherwise of all time */
    unsigned window; /* of top_windows */
    bool paused, help;
    bool typing; /* (typed) holds a filter that is being typed */
    char filter[TOP_FILTER], typed[TOP_FILTER];
    struct pair_map opened; /* (key, 0): 1 if the item's callers are shown */
    uint64_t selected;      /* key of the selected item; 0: the first line */
    size_t at, first; /* the selected item, and the first one on the screen */
    unsigned page;    /* items on the screen */
    unsigned width;   /* columns of the screen; 0: nothing drawn yet */

    /* The current view. */
    const struct profile *profile;
    const struct view *view; /* NULL: nothing yet */
    double late_least;       /* result of lateness_least() */
    struct top_item *items;
    size_t item_count, item_room;
    bool no_memory; /* some items are missing */

    /* Shares of functions in the last view, by key and core. */
    struct pair_map before;
    double *shares;
    size_t share_count, share_room;
    struct pair_map now; /* as (before), for this view */
    double *shares_now;
    size_t now_count, now_room;
    unsigned shares_window; /* window for which the shares are */
    bool shares_of_busy;
};

/* Length of each window in seconds; 0: since the start. */
#define TOP_WINDOWS 4u
extern const double top_windows[TOP_WINDOWS];
#define TOP_WINDOW_MAX 60.0

/* Initialize (t) with the window (window) and all cores. */
void top_init(struct top *t, bool player);
void top_fini(struct top *t);

/* Show (view) of (profile) from now on. Both must remain valid until the next
 * call, or until the last use of (t). If (view) is NULL, nothing is shown. */
void top_news(struct top *t, const struct profile *profile,
              const struct view *view);

/* Handle (key), a character or one of enum top_key. */
enum top_wish top_key(struct top *t, uint32_t key);

/* Return the view's function in the selected line; 0 if there is none. */
uint32_t top_function(const struct top *t);

/* Return the scope that is shown; NULL if there is none. */
const struct view_scope *top_scope(const struct top *t);

/* Return the amount that is 100 % for shares of (scope). */
static inline const struct amount *top_whole(const struct top *t,
                                             const struct view_scope *scope)
{
    return !t->of_busy ? &scope->all : t->idle ? &scope->idle : &scope->busy;
}

/* Return the call tree of the listed functions. */
static inline const struct view_tree *top_tree(const struct top *t,
                                               const struct view_scope *scope)
{
    return t->idle ? &scope->idle_tree : &scope->tree;
}

/* Return true if anything was received from core (i) of the view. A guest may
 * have room for more cores than it starts. top_cores() returns the number of
 * cores for which this function returns true. */
bool top_has_core(const struct top *t, size_t i);
size_t top_cores(const struct top *t);

/* list.c: the list of functions of collector top: sorted, filtered, with
 * callers. */

/* Rebuild (t->items) after any change of the display. The selected item stays
 * selected. If it is gone, the item in its place is selected. */
void list_make(struct top *t);

/* Keep the shares of the last view for comparison, and remember the shares of
 * the new view. */
void list_remember(struct top *t);

/* Select item (at), or the last one. */
void list_select(struct top *t, size_t at);

/* Show the callers of the selected item, or hide them. */
void list_open(struct top *t);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that change the form of a report. */
#include "report/report_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/groups.h"
#include "util/text.h"

#define ROWS      9
#define NAME_SIZE 64 /* of functions, cut to this */

/* An option with its value. */
struct asked {
    bool given;
    const char *option, *value; /* (value) may be "" */
    const char *before, *after; /* words before and after the value */
};

const char *report_options_order(const struct report *r)
{
    static const char *const orders[] = {[SORT_SELF] = "self",
                                         [SORT_TOTAL] = "total",
                                         [SORT_LATE] = "late",
                                         [SORT_NAME] = "name"};

    return orders[r->sort];
}

static void add(char buf[REPORT_OPTIONS_TEXT], const struct asked *a,
                bool words)
{
    size_t used = strlen(buf);
    const char *first = words ? a->before : a->option;
    const char *last = words ? a->after : "";
    const char *space = !words && a->value[0] != '\0' ? " " : "";

    (void)snprintf(buf + used, REPORT_OPTIONS_TEXT - used, "%s%s%s%s%s",
                   used != 0 ? ", " : "", first, space, a->value, last);
}

static const char *list(char buf[REPORT_OPTIONS_TEXT], const struct report *r,
                        bool words)
{
    char top[16], callee[NAME_SIZE] = "", function[NAME_SIZE] = "";
    const struct asked rows[ROWS] = {
        {r->idle, "--idle", "", "idle time", ""},
        {r->of_all, "--of", words ? "" : "all", "shares of all time", ""},
        {r->sort != SORT_SELF, "--sort", report_options_order(r), "rows by ",
         ""},
        {r->latency, "--latency", "", "latency", ""},
        {r->by != VIEW_BY_CORE, "--by", groups_word(r->by), "columns by ", ""},
        {r->top != 0, "--top", top, "at most ", r->top == 1 ? " row" : " rows"},
        {r->inverted, "--inverted", "", "trees from the inside out", ""},
        {r->callers_of != NULL, "--callers-of", callee, "callers of ", ""},
        {r->function != NULL, "--function", function, "the function ", ""},
    };

    (void)snprintf(top, sizeof top, "%" PRIu32, r->top);
    if (r->callers_of != NULL)
        text_escape(callee, sizeof callee, r->callers_of);
    if (r->function != NULL)
        text_escape(function, sizeof function, r->function);
    buf[0] = '\0';
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].given)
            add(buf, &rows[i], words);
    return buf;
}

const char *report_options_words(char buf[REPORT_OPTIONS_TEXT],
                                 const struct report *r)
{
    return list(buf, r, true);
}

const char *report_options_options(char buf[REPORT_OPTIONS_TEXT],
                                   const struct report *r)
{
    return list(buf, r, false);
}

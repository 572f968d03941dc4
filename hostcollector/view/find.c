/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds functions by names that a user typed. */
#include "view/find.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/text.h"

#define NEAR_MOST 3 /* names to list */
/* Most bytes of a listed name. */
#define NAME_MOST 56

unsigned find_fit(const char *name, const char *asked)
{
    return strcmp(name, asked) == 0 ? 2 : strstr(name, asked) != NULL;
}

unsigned find_fit_of(const struct view_function *functions, size_t i,
                     const char *asked)
{
    unsigned fit = find_fit(functions[i].name, asked);

    return i < VIEW_MARKS && fit != 2 ? 0 : fit;
}

const struct view_row *find_row(const struct view *v, const char *asked)
{
    const struct view_row *best = NULL;
    unsigned best_fit = 0;

    for (size_t i = 0; i < v->total.row_count; i++) {
        const struct view_row *row = &v->total.rows[i];
        unsigned fit = find_fit(v->functions[row->function].name, asked);

        if (fit > best_fit || (fit != 0 && fit == best_fit &&
                               row->total.time > best->total.time)) {
            best = row;
            best_fit = fit;
        }
    }
    return best;
}

/* Number of edits from (asked) to the (len) bytes at (word). Words that differ
 * only in upper and lower case are one edit apart. */
static unsigned edits(const char *asked, const char *word, size_t len)
{
    char copy[TEXT_WORD];

    if (len == 0 || len >= sizeof copy)
        return UINT32_MAX;
    memcpy(copy, word, len);
    copy[len] = '\0';
    return strcasecmp(asked, copy) == 0
               ? 1
               : text_edits(asked, strlen(asked), copy);
}

/* The fewest edits from (asked) to a word of (name), or to all of (name). */
static unsigned distance(const char *asked, const char *name)
{
    static const char between[] = ":.$<>(), &*";
    unsigned best = edits(asked, name, strlen(name));

    while (*name != '\0') {
        size_t len = strcspn(name, between);
        unsigned d = edits(asked, name, len);

        best = d < best ? d : best;
        name += len;
        name += strspn(name, between);
    }
    return best;
}

const char *find_near(char buf[FIND_NEAR],
                      const struct view_function *functions, size_t count,
                      const char *asked)
{
    unsigned most = strlen(asked) < 6 ? 1 : 2;
    size_t told = 0, used = 0;

    buf[0] = '\0';
    for (unsigned d = 0; d <= most; d++)
        for (size_t i = VIEW_MARKS; i < count && told < NEAR_MOST; i++) {
            const char *name = functions[i].name;

            if (strlen(name) > NAME_MOST || distance(asked, name) != d)
                continue;
            used += (size_t)snprintf(buf + used, FIND_NEAR - used, "%s%s",
                                     told++ == 0 ? "; near: " : ", ", name);
        }
    return buf;
}

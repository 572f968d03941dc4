/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/window_options.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/amount.h"
#include "util/host_clock.h"

#define AT(m) offsetof(struct window_options, m)

const struct option_row window_rows[] = {
    {"spool", 0, "DIR", &option_text, AT(pick.folder), 0, 0,
     "read windows that collector serve keeps in DIR"},
    {"guest", 0, "NAME", &option_text, AT(pick.guest), 0, 0,
     "windows of this guest (default: the only one)"},
    {"since", 0, "WHEN", &option_text, AT(since), 0, 0,
     "windows from then on: -1h, today, or 2026-11-24T10:00"},
    {"until", 0, "WHEN", &option_text, AT(until), 0, 0,
     "windows that begin before that (default: all)"},
    {.name = NULL}};

static int read_times(struct window_options *w, struct err *e)
{
    uint64_t now_ms = clock_wall_ns() / 1000000;

    if ((w->since != NULL &&
         when_parse("since", w->since, now_ms, &w->pick.since_ms, e) != 0) ||
        (w->until != NULL &&
         when_parse("until", w->until, now_ms, &w->pick.until_ms, e) != 0))
        return -1;
    if (w->until != NULL && w->pick.until_ms <= w->pick.since_ms)
        return err_set(e, "--until %s is not behind --since %s", w->until,
                       w->since != NULL ? w->since : "@0");
    return 0;
}

int window_options_plan(struct window_options *w, const char *build,
                        const char *input, struct err *e)
{
    if (w->pick.folder == NULL && (w->pick.guest != NULL || w->since != NULL ||
                                   w->until != NULL || build != NULL))
        return err_set(e, "--guest, --since, --until and --build go with "
                          "--spool DIR");
    if (w->pick.folder == NULL)
        return 0;
    if (input != NULL)
        return err_set(e, "one at a time: '%s' or --spool %s?", input,
                       w->pick.folder);
    if (read_times(w, e) != 0)
        return -1;
    if (build != NULL &&
        (build[0] == '\0' ||
         build[strspn(build, "0123456789abcdefABCDEF")] != '\0'))
        return err_set(e,
                       "--build: '%s' is not the beginning of a build-id, in "
                       "hexadecimal digits",
                       build);
    return 0;
}

/* Is (word) safe in a shell without quotes? */
static bool is_plain(const char *word)
{
    for (const char *c = word; *c != '\0'; c++)
        if (isalnum((unsigned char)*c) == 0 && strchr("_./:+-", *c) == NULL)
            return false;
    return true;
}

/* Write " --since @1764000000.5"; nothing for the time 0. */
static void put_time(FILE *out, const char *option, uint64_t ms)
{
    if (ms != 0)
        (void)fprintf(out, " --%s @%.15g", option, (double)ms / 1000);
}

const char *window_options_text(const struct spool_list *list,
                                const char *build,
                                char text[WINDOW_OPTIONS_TEXT])
{
    FILE *out = fmemopen(text, WINDOW_OPTIONS_TEXT, "w");

    if (out == NULL)
        return NULL;
    (void)fprintf(out, "--spool %s --guest %s", list->folder, list->guest);
    put_time(out, "since", list->since_ms);
    put_time(out, "until", list->until_ms);
    if (build != NULL)
        (void)fprintf(out, " --build %.12s", build);
    bool whole = fflush(out) == 0;

    return fclose(out) == 0 && whole && is_plain(list->folder) &&
                   is_plain(list->guest)
               ? text
               : NULL;
}

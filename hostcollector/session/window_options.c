/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/window_options.h"

#include <stddef.h>
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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/window_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/amount.h"
#include "util/host_clock.h"

int window_sides_plan(struct window_sides *w, struct err *e)
{
    if (w->options.pick.folder == NULL && w->at != NULL)
        return err_set(e, "--at goes with --spool DIR");
    if (w->at == NULL)
        return 0;
    if (when_parse("at", w->at, clock_wall_ns() / 1000000, &w->at_ms, e) != 0)
        return -1;
    if (w->at_ms <= w->options.pick.since_ms ||
        (w->options.until != NULL && w->at_ms >= w->options.pick.until_ms))
        return err_set(e, "--at %s is not between --since and --until", w->at);
    return 0;
}

int window_sides_open(struct window_sides *w, struct err *e)
{
    for (int side = 0; side < 2; side++) {
        struct spool_pick pick = w->options.pick;
        struct err why;

        if (w->at != NULL)
            *(side == 0 ? &pick.until_ms : &pick.since_ms) = w->at_ms;
        if (spool_list_open(&w->lists[side], &pick, &why) == 0)
            continue;
        if (w->at == NULL)
            return err_set(e, "%s", why.text);
        return err_set(e, "%s --at %s: %s", side == 0 ? "before" : "after",
                       w->at, why.text);
    }
    return 0;
}

/* "web before -1h, build 1234567890ab" */
static void write_label(struct window_sides *w, unsigned side)
{
    static const char *const words[2] = {" before ", " from "};
    char label[sizeof w->labels[0]];

    (void)snprintf(
        label, sizeof label, "%s%s%.40s%s%.12s", w->lists[side].guest,
        w->at != NULL ? words[side] : "", w->at != NULL ? w->at : "",
        w->builds[side][0] != '\0' ? ", build " : "", w->builds[side]);
    memcpy(w->labels[side], label, sizeof label);
}

int window_sides_find_builds(struct window_sides *w, struct err *e)
{
    bool found = source_spool_newest(&w->lists[1], "", w->builds[1]);

    if (w->at != NULL)
        (void)source_spool_newest(&w->lists[0], "", w->builds[0]);
    else if (!found)
        return err_set(e,
                       "%s: the windows have no build-id: compare two times "
                       "by --at WHEN",
                       w->options.pick.folder);
    else if (!source_spool_newest(&w->lists[0], w->builds[1], w->builds[0]))
        return err_set(e,
                       "%s: all windows of %s are of one build (%.12s): "
                       "compare two times by --at WHEN",
                       w->options.pick.folder, w->lists[0].guest, w->builds[1]);
    write_label(w, 0);
    write_label(w, 1);
    return 0;
}

void window_sides_fini(struct window_sides *w)
{
    spool_list_fini(&w->lists[0]);
    spool_list_fini(&w->lists[1]);
}

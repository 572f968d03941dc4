/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects functions by names that a user typed. */
#include "session/guest_run_parts.h"

#include <stdio.h>
#include <string.h>

#include "view/exclude.h"
#include "view/find.h"

static void leave_out(void *pipeline, bool *const *out)
{
    pipeline_leave_out(pipeline, out);
}

int guest_selection_exclude(struct guest_run *r, uint64_t memory)
{
    const struct option_words *names = &r->config.options->selection.exclude;
    struct excluded found[EXCLUDE_NAMES];
    const struct exclude x = {.names = names->list,
                              .count = names->count,
                              .memory = memory,
                              .context = r->pipeline,
                              .leave_out = leave_out};

    if (x.count == 0)
        return 0;
    if (view_exclude(&x, r->profile, r->images.image_map, found) != 0)
        return -1;
    for (size_t i = 0; i < x.count; i++) {
        size_t used = strlen(r->without);

        if (found[i].functions == 0)
            remarks_warn(&r->remarks,
                         "--exclude left nothing out: no function here has "
                         "'%.80s' in its name%s.",
                         x.names[i], found[i].text);
        else
            (void)snprintf(r->without + used, sizeof r->without - used, "%s%s",
                           used != 0 ? "; " : "", found[i].text);
    }
    return 0;
}

/* Search for (asked), the argument of (option). NULL: the option was not
 * given. */
static void look_for(struct guest_run *r, const struct view *v,
                     const char *option, const char *asked)
{
    char near[FIND_NEAR];

    for (size_t i = 0; asked != NULL && i < v->function_count; i++)
        if (find_fit(v->functions[i].name, asked) != 0)
            return;
    if (asked == NULL || v->total.all.samples == 0)
        return;
    r->unfound = true;
    remarks_warn(&r->remarks, "%s: no function here has '%.80s' in its name%s.",
                 option, asked,
                 find_near(near, v->functions, v->function_count, asked));
}

void guest_selection_find(struct guest_run *r, const struct view *v)
{
    look_for(r, v, "--function", r->config.options->shown.function);
    look_for(r, v, "--callers-of", r->config.options->shown.callers_of);
}

bool guest_selection_has_code(const struct guest_run *r)
{
    return r->images.kernel != NULL &&
           (r->given != 0 || r->names.files == NULL);
}

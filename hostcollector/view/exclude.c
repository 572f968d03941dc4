/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the samples whose stacks contain functions that --exclude names. */
#include "view/exclude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/names/displaced.h"
#include "util/text.h"
#include "view/code_frames.h"
#include "view/collect_addresses.h"
#include "view/find.h"
#include "view/view_build.h"
#include "view/walk.h"

/* Limit of the functions that are listed for one typed name. */
#define TOLD 3

struct exclude_search {
    const struct exclude *x;
    const struct profile *profile;
    const struct image_map *image_map;
    struct code_frames *frames;
    struct displaced *displaced;
    const struct view_function *functions;
    size_t function_count;
    bool *meant; /* by function */
    bool **out;  /* by core and entry */
    struct walk walk;
};

/* Append (name) to (text) if there is room. */
static void append(char *text, const char *name)
{
    size_t used = strlen(text);

    if (used + strlen(name) + sizeof " and 4294967295 more)" < EXCLUDE_TEXT)
        memcpy(text + used, name, strlen(name) + 1);
}

/* Mark the functions that (asked) stands for, and describe them in (found). */
static void find_meant(struct exclude_search *s, const char *asked,
                       struct excluded *found)
{
    char text[64], near[FIND_NEAR], more[32];
    unsigned best = 0;

    *found = (struct excluded){0};
    for (size_t i = 0; i < s->function_count; i++) {
        unsigned fit = find_fit_of(s->functions, i, asked);

        best = fit > best ? fit : best;
    }
    if (best == 0) {
        append(found->text,
               find_near(near, s->functions, s->function_count, asked));
        return;
    }
    if (best == 1)
        (void)snprintf(found->text, sizeof found->text,
                       "all with '%s' in the name (",
                       text_escape(text, sizeof text, asked));
    for (size_t i = 0; i < s->function_count; i++) {
        if (find_fit_of(s->functions, i, asked) != best)
            continue;
        s->meant[i] = true;
        if (found->functions++ >= TOLD)
            continue;
        if (found->functions > 1)
            append(found->text, ", ");
        append(found->text, s->functions[i].name);
    }
    (void)snprintf(more, sizeof more, " and %zu more",
                   found->functions - (size_t)TOLD);
    if (found->functions > TOLD)
        append(found->text, more);
    if (best == 1)
        append(found->text, ")");
}

static bool goes_through(const struct exclude_search *s)
{
    const struct path *path = &s->walk.path;

    for (size_t i = 0; i < path->count; i++)
        if (s->meant[path->steps[i].function])
            return true;
    return false;
}

/* Mark the entries of core (i) to leave out. */
static int search_core(struct exclude_search *s, size_t i)
{
    const struct profile_core *core = &s->profile->cores[i];
    const struct profile_entry others = profile_others(core);

    s->out[i] = calloc(core->entry_count + 1, sizeof **s->out);
    if (s->out[i] == NULL)
        return -1;
    for (size_t j = 0; j <= core->entry_count; j++) {
        const struct profile_entry *entry =
            j < core->entry_count ? &core->entries[j] : &others;

        if (j == core->entry_count && others.tally.samples == 0)
            continue;
        if (walk_entry(&s->walk, entry) != 0)
            return -1;
        s->out[i][j] = goes_through(s);
    }
    return 0;
}

static int search(struct exclude_search *s, struct excluded *found)
{
    size_t meant = 0;

    if (collect_addresses(s->frames, s->profile, s->image_map) != 0)
        return -1;
    s->functions = code_frames_functions(s->frames, &s->function_count);
    s->meant = calloc(s->function_count + 1, sizeof *s->meant);
    s->displaced = displaced_new(s->profile, s->image_map);
    if (s->functions == NULL || s->meant == NULL ||
        walk_init(&s->walk, s->profile, s->frames, s->image_map,
                  s->displaced) != 0)
        return -1;
    for (size_t i = 0; i < s->x->count; i++) {
        find_meant(s, s->x->names[i], &found[i]);
        meant += found[i].functions;
    }
    for (size_t i = 0; meant != 0 && i < s->profile->core_count; i++)
        if (search_core(s, i) != 0)
            return -1;
    s->x->leave_out(s->x->context, s->out);
    return 0;
}

int view_exclude(const struct exclude *x, const struct profile *p,
                 const struct image_map *image_map, struct excluded *found)
{
    uint64_t bytes = x->memory > VIEW_MEMORY_MIN ? x->memory : VIEW_MEMORY_MIN;
    struct exclude_search s = {
        .x = x,
        .profile = p,
        .image_map = image_map,
        .frames = collect_addresses_new(image_map, bytes),
        .out = calloc(p->core_count + 1, sizeof *s.out),
    };
    int result = s.frames != NULL && s.out != NULL ? search(&s, found) : -1;

    for (size_t i = 0; s.out != NULL && i < p->core_count; i++)
        free(s.out[i]);
    free(s.out);
    free(s.meant);
    walk_fini(&s.walk);
    code_frames_free(s.frames);
    displaced_free(s.displaced);
    return result;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The paths of a core as two tables. */
#include "export/export_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "util/vec.h"
#include "view/view_build.h"

/* The number of (frame) in its table. */
static uint32_t frame_of(struct export_stacks *s,
                         const struct export_frame *frame)
{
    uint32_t *number =
        map_put(&s->by_frame, (uint64_t)frame->function << 32 | frame->line,
                frame->address);

    if (number == NULL || vec_grow(&s->frames, &s->frame_room, s->frame_count,
                                   sizeof *s->frames) != 0)
        return EXPORT_NO_STACK;
    if (*number == MAP_NOTHING) {
        *number = (uint32_t)s->frame_count;
        s->frames[s->frame_count++] = *frame;
    }
    return *number;
}

/* The stack of (frame) below (prefix). EXPORT_NO_STACK if there is no
 * memory. */
static uint32_t stack_of(struct export_stacks *s, uint32_t prefix,
                         uint32_t frame)
{
    uint32_t *number = map_put(&s->by_stack, prefix, frame);

    if (number == NULL || vec_grow(&s->stacks, &s->stack_room, s->stack_count,
                                   sizeof *s->stacks) != 0)
        return EXPORT_NO_STACK;
    if (*number == MAP_NOTHING) {
        *number = (uint32_t)s->stack_count;
        s->stacks[s->stack_count++] = (struct export_stack){prefix, frame};
    }
    return *number;
}

static uint32_t add_path(struct export_stacks *s, const struct view_path *path)
{
    uint32_t stack = EXPORT_NO_STACK, depth = 0;

    for (size_t i = 0; i < path->count; i++) {
        const struct view_step *step = &path->steps[i];

        depth = step->inlined && i > 0 ? depth + 1 : 0;
        uint32_t frame =
            frame_of(s, &(struct export_frame){step->function, step->line,
                                               step->address, depth});

        stack = frame == EXPORT_NO_STACK ? EXPORT_NO_STACK
                                         : stack_of(s, stack, frame);
        if (stack == EXPORT_NO_STACK)
            break;
    }
    return stack;
}

void export_stacks_init(struct export_stacks *s, struct render *to,
                        const struct report *r, size_t core)
{
    struct export_cursor c = {.core = core};

    *s = (struct export_stacks){
        .entries =
            calloc(r->profile->cores[core].entry_count + 1, sizeof(uint32_t))};
    to->no_memory |= s->entries == NULL;
    while (!to->no_memory && export_next(to, r, &c)) {
        s->entries[c.entry] = add_path(s, &c.path);
        to->no_memory |= s->entries[c.entry] == EXPORT_NO_STACK;
    }
}

/* Number the entries of all cores of (p). Returns 0; -1 if there is no
 * memory. */
static int number_entries(struct export_stacks *s, const struct profile *p)
{
    size_t count = 0;

    s->first = calloc(p->core_count + 1, sizeof *s->first);
    for (size_t i = 0; s->first != NULL && i < p->core_count; i++) {
        s->first[i] = count;
        count += p->cores[i].entry_count + 1;
    }
    s->entries = malloc((count + 1) * sizeof *s->entries);
    if (s->entries != NULL)
        memset(s->entries, 0xff, (count + 1) * sizeof *s->entries);
    return s->first != NULL && s->entries != NULL ? 0 : -1;
}

void export_stacks_track(struct export_stacks *s, struct render *to,
                         const struct export_tracks *t, size_t track)
{
    struct export_rows rows;
    struct view_path path;

    if (t->ends == NULL) {
        export_stacks_init(s, to, t->report, track);
        return;
    }
    *s = (struct export_stacks){0};
    to->no_memory |= number_entries(s, t->report->profile) != 0;
    export_tracks_rows(&rows, to, t, track);
    while (!to->no_memory && export_rows_next(&rows)) {
        uint32_t *stack = &s->entries[s->first[rows.at] + rows.entry];

        if (*stack != EXPORT_NO_STACK)
            continue;
        if (view_path_of(t->report->view, rows.at, rows.entry, &path))
            *stack = add_path(s, &path);
        to->no_memory |= *stack == EXPORT_NO_STACK;
    }
    export_rows_fini(&rows);
}

void export_stacks_fini(struct export_stacks *s)
{
    free(s->first);
    map_fini(&s->by_frame);
    map_fini(&s->by_stack);
    free(s->frames);
    free(s->stacks);
    free(s->entries);
}

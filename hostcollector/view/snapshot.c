/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's newest entry, laid out and turned over: innermost first. */
#include "view/snapshot.h"

#include <math.h>

#include "aggregate/aggregate.h"
#include "symbolize/image_map.h"
#include "symbolize/symbolize.h"
#include "view/paths.h"

/* Marks that the state of the core, or the end of its stack, tells. */
static bool told_elsewhere(uint32_t function)
{
    return function == VIEW_IDLE || function == VIEW_LOST ||
           function == VIEW_DEEPER;
}

/* Where (step)'s function begins, in its image's file. */
static bool find_start(const struct image_map *image_map,
                       const struct view_step *step, uint64_t *start)
{
    const struct mapped_image *image = image_map_image(image_map, step->image);
    const struct symbol *symbol;

    if (image->symbolizer == NULL)
        return false;
    symbol = symbolize(image->symbolizer, step->address);
    *start = symbol->start;
    return symbol->kind != SYMBOL_ADDRESS && symbol->start <= step->address;
}

/* (step), which goes on (behind) bytes after its address. */
static struct snapshot_frame frame_of(const struct view *v,
                                      const struct image_map *image_map,
                                      const struct view_step *step,
                                      uint64_t behind)
{
    const struct view_function *f = &v->functions[step->function];
    struct snapshot_frame frame = {.function = f->name,
                                   .mark = step->function < VIEW_MARKS};
    uint64_t start;

    if (frame.mark)
        return frame;
    frame.file = step->file;
    frame.line = step->line;
    frame.image = v->images[step->image].name;
    frame.address = step->address + behind;
    frame.inlined = step->inlined;
    frame.nameless = f->nameless;
    if (!step->inlined && !f->nameless && find_start(image_map, step, &start)) {
        frame.has_offset = true;
        frame.offset = frame.address - start;
    }
    return frame;
}

/* Why the walk went no further; NULL: the stack is complete. */
static const char *end_of(uint8_t end)
{
    switch (end) {
    case WIRE_END_DEPTH:
        return "there are more callers: ask for them by --depth";
    case WIRE_END_MEMORY:
        return "the next frame lies in no memory that may be read";
    case WIRE_END_NOT_RISING:
        return "the next frame is not above this one";
    case WIRE_END_TEXT:
        return "the next return address is not in code";
    case WIRE_END_REST:
        return "what the kernel did before the timer came to rest";
    case WIRE_END_REASONS:
        return "the callers were lost on their way here";
    default:
        return NULL;
    }
}

/* Lay out the (path) of the newest sample in (core). Returns 0; -1 if there is
 * no memory. */
static int lay_frames(struct snapshot_core *core, const struct view *v,
                      const struct image_map *image_map,
                      const struct view_path *path, struct arena *arena)
{
    struct snapshot_frame *frames =
        arena_alloc(arena, (path->count + 1) * sizeof *frames);
    uint64_t behind = 0; /* a caller's address is in its call */

    if (frames == NULL)
        return -1;
    for (size_t i = path->count; i-- > 0;) {
        const struct view_step *step = &path->steps[i];

        if (told_elsewhere(step->function))
            continue;
        frames[core->count] = frame_of(v, image_map, step, behind);
        if (!frames[core->count].mark && !step->inlined)
            behind = 1;
        core->count++;
    }
    core->frames = frames;
    return 0;
}

/* When the newest of all samples was made. */
static uint64_t newest_tsc(const struct profile *p)
{
    uint64_t newest = 0;

    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *c = &p->cores[i];

        if (c->total.samples != 0 && c->latest_tsc > newest)
            newest = c->latest_tsc;
    }
    return newest;
}

/* How old the newest sample of (core) is; -1: not known. */
static double age_of(const struct profile *p, const struct profile_core *core,
                     uint64_t newest, double quiet_s)
{
    if (p->tsc_hz == 0)
        return -1;
    return (double)(newest - core->latest_tsc) / (double)p->tsc_hz +
           fmax(quiet_s, 0);
}

bool snapshot_is_off(const struct profile *p, const struct profile_core *core)
{
    if (core->has_stats)
        return (core->stats.flags & WIRE_STATS_STARTED) == 0;
    /* it has not joined, if others have counters */
    for (size_t i = 0; i < p->core_count; i++)
        if (p->cores[i].has_stats)
            return core->total.samples == 0;
    return false;
}

/* Look at cores[i] of (p). Returns 0; -1 if there is no memory. */
static int look_at(struct snapshot_core *core, const struct profile *p,
                   size_t i, const struct view *v,
                   const struct image_map *image_map, struct arena *arena)
{
    const struct profile_core *c = &p->cores[i];
    size_t entry =
        c->latest < c->entry_count ? (size_t)c->latest : c->entry_count;
    uint32_t stack =
        c->latest < c->entry_count ? c->entries[c->latest].stack : STACK_OTHERS;
    struct view_path path;

    core->core = c->core;
    core->off = snapshot_is_off(p, c);
    core->state = SNAPSHOT_NONE;
    core->age_s = -1;
    if (c->total.samples == 0)
        return 0;
    if (!view_path_of(v, i, entry, &path))
        return -1;
    core->state = path.idle ? SNAPSHOT_IDLE : SNAPSHOT_BUSY;
    core->end = end_of(profile_stack(p, stack).end);
    return lay_frames(core, v, image_map, &path, arena);
}

struct snapshot *snapshot_new(const struct profile *p, const struct view *v,
                              const struct image_map *image_map, double quiet_s,
                              double wait_s, struct arena *arena)
{
    struct snapshot *s = arena_alloc(arena, sizeof *s);
    uint64_t newest = newest_tsc(p);

    if (s == NULL)
        return NULL;
    s->wait_s = wait_s;
    s->cores = arena_alloc(arena, (p->core_count + 1) * sizeof *s->cores);
    if (s->cores == NULL)
        return NULL;
    for (size_t i = 0; i < p->core_count; i++) {
        struct snapshot_core *core = &s->cores[s->count];

        if (!p->cores[i].selected)
            continue;
        if (look_at(core, p, i, v, image_map, arena) != 0)
            return NULL;
        if (core->state != SNAPSHOT_NONE)
            core->age_s = age_of(p, &p->cores[i], newest, quiet_s);
        core->late = wait_s > 0 && core->age_s > wait_s;
        s->count++;
    }
    return s;
}

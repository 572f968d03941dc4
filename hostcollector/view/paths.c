/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries and waits of a profile as paths. */
#include "view/view_build.h"

#include <stdlib.h>

#include "image/names/image_map.h"
#include "image/names/symbolize.h"
#include "profile/aggregate/aggregate.h"
#include "util/vec.h"
#include "view/code_frames.h"
#include "view/view_memory.h"
#include "view/walk.h"

/* State beside the view, because readers see a const view. */
struct view_paths {
    const struct profile *profile;
    struct walk walk;
    struct view_step *steps;
    size_t step_room;
};

int paths_init(struct view_memory *memory, const struct profile *p)
{
    struct view_paths *paths = calloc(1, sizeof *paths);

    memory->view.paths = paths;
    if (paths == NULL)
        return -1;
    paths->profile = p;
    return walk_init(&paths->walk, p, memory->frames, memory->image_map,
                     memory->displaced);
}

void paths_free(struct view_paths *paths)
{
    if (paths == NULL)
        return;
    walk_fini(&paths->walk);
    free(paths->steps);
    free(paths);
}

/* (step) with its place in the code. */
static struct view_step look_up(const struct view_paths *paths,
                                const struct path_step *step)
{
    struct view_step found = {.function = step->function,
                              .inlined = step->inlined};

    if (step->function < VIEW_MARKS)
        return found;
    struct image_address where =
        image_map_find(paths->walk.image_map, step->pc);

    found.image = where.number;
    found.address = where.address;
    code_frames_line(paths->walk.frames, step->line, &found.file, &found.line);
    return found;
}

static bool lay_steps(struct view_paths *paths)
{
    const struct path *path = &paths->walk.path;

    for (size_t i = 0; i < path->branch; i++) {
        if (vec_grow(&paths->steps, &paths->step_room, i,
                     sizeof *paths->steps) != 0)
            return false;
        paths->steps[i] = look_up(paths, &path->steps[i]);
    }
    return true;
}

bool view_path_of(const struct view *v, size_t core, size_t entry,
                  struct view_path *out)
{
    struct view_paths *paths = v->paths;
    const struct profile_core *c = &paths->profile->cores[core];
    const struct profile_entry others = profile_others(c);
    const struct profile_entry *e =
        entry < c->entry_count ? &c->entries[entry] : &others;
    const struct path *path = &paths->walk.path;

    if (entry > c->entry_count || e->tally.samples == 0 ||
        walk_entry(&paths->walk, e) != 0 || !lay_steps(paths))
        return false;
    *out = (struct view_path){.steps = paths->steps,
                              .count = path->branch,
                              .idle = path->idle,
                              .unseen = path->unseen,
                              .uncertain = path->uncertain,
                              .moved = path->moved,
                              .amount = path->amount,
                              .late = path->late};
    return true;
}

bool view_leaf_of(const struct view *v, size_t core, size_t entry,
                  struct view_path *out)
{
    bool found;

    v->paths->walk.leaf_only = true;
    found = view_path_of(v, core, entry, out);
    v->paths->walk.leaf_only = false;
    return found;
}

uint32_t view_thread_of(const struct view *v, size_t core, size_t entry)
{
    const struct profile *p = v->paths->profile;
    const struct profile_core *c = &p->cores[core];

    return entry < c->entry_count
               ? profile_stack(p, c->entries[entry].stack).thread
               : 0;
}

uint32_t view_request_of(const struct view *v, size_t core, size_t entry)
{
    const struct profile *p = v->paths->profile;
    const struct profile_core *c = &p->cores[core];

    return entry < c->entry_count
               ? profile_stack(p, c->entries[entry].stack).request
               : 0;
}

/* Limit of the functions of a stack, inlined ones included. */
#define WAIT_MOST 64u

/* Append the functions of the path of (w), without the outermost ones if there
 * are too many. Returns their number; SIZE_MAX if there is no memory. */
static size_t append(struct view_memory *m, size_t *room, size_t used,
                     const struct walk *w)
{
    const struct path *path = &w->path;
    size_t first = path->branch > WAIT_MOST ? path->branch - WAIT_MOST : 0;

    for (size_t i = first; i < path->branch; i++, used++) {
        if (vec_grow(&m->wait_functions, room, used,
                     sizeof *m->wait_functions) != 0)
            return SIZE_MAX;
        m->wait_functions[used] = path->steps[i].function;
    }
    return path->branch - first;
}

/* Returns the stack of wait (i). Waits of threads have the first numbers, waits
 * for locks the numbers after them. */
static uint32_t stack_of_wait(const struct profile *p, size_t i)
{
    return i < p->wait_count ? p->waits[i].stack
                             : p->lock_waits[i - p->wait_count].stack;
}

/* Find the variable of each lock. Returns 0; -1 if there is no memory. */
static int find_locks(struct view_memory *m, const struct walk *w)
{
    const struct profile *p = w->profile;

    m->locks = calloc(p->lock_count + 1, sizeof *m->locks);
    m->view.locks = m->locks;
    for (size_t i = 0; m->locks != NULL && i < p->lock_count; i++) {
        struct image_address at =
            image_map_find(w->image_map, p->locks[i].address);

        if (p->locks[i].address == 0 || at.image->symbolizer == NULL)
            continue;
        const struct symbol *s = symbolize(at.image->symbolizer, at.address);

        if (s->kind == SYMBOL_ADDRESS)
            continue;
        m->locks[i] = (struct view_lock){s->function, at.address - s->start};
    }
    return m->locks != NULL ? 0 : -1;
}

int paths_of_waits(struct view_memory *m, struct walk *w)
{
    const struct profile *p = w->profile;
    size_t count = p->wait_count + p->lock_wait_count;
    size_t room = 0, used = 0;

    m->waits = calloc(count + 1, sizeof *m->waits);
    if (m->waits == NULL || find_locks(m, w) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t stack = stack_of_wait(p, i);

        if (stack == STACK_UNKNOWN)
            continue;
        size_t n =
            walk_calls(w, stack) == 0 ? append(m, &room, used, w) : SIZE_MAX;

        if (n == SIZE_MAX)
            return -1;
        m->waits[i].count = n;
        used += n;
    }
    used = 0; /* the array does not move any more */
    for (size_t i = 0; i < count; used += m->waits[i++].count)
        m->waits[i].functions = m->wait_functions + used;
    m->view.waits = m->waits;
    m->view.lock_waits = m->waits + p->wait_count;
    return 0;
}

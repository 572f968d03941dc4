/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks an entry of a profile. The path begins with the outermost caller. */
#include "view/walk.h"

#include <stdlib.h>

#include "image/code/frame_place.h"
#include "image/names/displaced.h"
#include "image/names/hidden_callers.h"
#include "profile/aggregate/aggregate.h"
#include "util/vec.h"
#include "view/code_frames.h"

int walk_init(struct walk *w, const struct profile *p,
              const struct code_frames *frames,
              const struct image_map *image_map,
              const struct displaced *displaced)
{
    size_t functions = code_frames_function_count(frames);

    *w = (struct walk){.profile = p, .frames = frames, .image_map = image_map};
    w->displaced = displaced;
    w->last_seen = calloc(functions, sizeof *w->last_seen);
    return w->last_seen != NULL ? 0 : -1;
}

void walk_fini(struct walk *w)
{
    free(w->path.steps);
    free(w->last_seen);
}

bool walk_is_others(const struct profile_entry *entry)
{
    return entry->stack == STACK_OTHERS && entry->leaf == LEAF_UNKNOWN;
}

static int push_step(struct walk *w, struct path_step step)
{
    struct path *path = &w->path;

    if (step.function == VIEW_OTHERS && path->count != 0 &&
        path->steps[path->count - 1].function == VIEW_OTHERS)
        return 0; /* both are the same others */
    if (vec_grow(&path->steps, &w->step_room, path->count,
                 sizeof *path->steps) != 0)
        return -1;
    step.first = w->last_seen[step.function] != w->entry;
    w->last_seen[step.function] = w->entry;
    path->steps[path->count++] = step;
    return 0;
}

static int push_mark(struct walk *w, enum view_mark mark)
{
    return push_step(w, (struct path_step){.function = mark});
}

/* Push the frames (at) of the code at (pc). */
static int push_frames_at(struct walk *w, struct frames_at at, uint64_t pc)
{
    while (at.count-- > 0) {
        const struct code_frame *frame = &at.frames[at.count];

        if (push_step(w, (struct path_step){.function = frame->function,
                                            .line = frame->line,
                                            .pc = pc,
                                            .inlined = frame->inlined}) != 0)
            return -1;
    }
    return 0;
}

static int push_frames(struct walk *w, uint64_t pc)
{
    return push_frames_at(w, code_frames_get(w->frames, pc), pc);
}

/* Push callers that the frame walk has missed, and a mark if there may be
 * more. */
static int push_missed(struct walk *w, const struct hidden_callers *missed)
{
    if (missed->missing && push_mark(w, VIEW_UNCERTAIN) != 0)
        return -1;
    for (uint32_t i = missed->count; i-- > 0;) {
        if (push_frames(w, missed->address[i] - 1) != 0)
            return -1;
    }
    return 0;
}

enum code_place walk_place_of_call(const struct walk *w, uint64_t back)
{
    struct image_address call = image_map_find(w->image_map, back - 1);

    return call.image->frame_places != NULL
               ? frame_place_of_call(call.image->frame_places, call.address + 1)
               : CODE_UNKNOWN;
}

/* Were the callers found by unwind tables? Then no caller is missing except
 * after the last one. */
static bool is_exact(const struct walk *w)
{
    return (w->profile->guest.features & WIRE_FEATURE_EXACT) != 0;
}

/* Does (stack), which is exact, end before the outermost caller? */
static bool is_cut(const struct stack *stack)
{
    return stack->end != WIRE_END_ZERO && stack->end != WIRE_END_DEPTH;
}

/* Does the outermost function of (stack) hide a caller? It may have none. */
static bool outermost_hides(const struct walk *w, const struct stack *stack)
{
    uint64_t back = stack->frames[stack->depth - 1];
    struct image_address call = image_map_find(w->image_map, back - 1);

    return stack->end != WIRE_END_DEPTH &&
           walk_place_of_call(w, back) == CODE_NO_FRAME &&
           frame_place_is_called(call.image->frame_places, call.address);
}

/* Push the callers of an exact stack. */
static int push_exact(struct walk *w)
{
    const struct stack *stack = &w->stack;

    if (is_cut(stack) && push_mark(w, VIEW_UNCERTAIN) != 0)
        return -1;
    for (uint32_t i = stack->depth; i-- > 0;)
        if (push_frames(w, stack->frames[i] - 1) != 0)
            return -1;
    return 0;
}

/* Push frame (i) of the stack, after the callers that are hidden above it. */
static int push_frame(struct walk *w, uint32_t i)
{
    const struct stack *stack = &w->stack;
    uint64_t call = stack->frames[i] - 1;
    struct frames_at at = code_frames_get(w->frames, call);
    bool outermost = i + 1 == stack->depth;
    struct hidden_callers above;

    if (!outermost && at.missed == NULL) {
        above = hidden_callers_of_frame(w->image_map, stack->frames[i]);
        at.missed = &above;
    }
    if (outermost ? outermost_hides(w, stack) : at.missed->missing)
        w->hiding_call = call;
    if (!outermost && push_missed(w, at.missed) != 0)
        return -1;
    return push_frames_at(w, at, call);
}

/* Push the callers of the leaf, with the callers that the frame walk has
 * missed. */
static int push_callers(struct walk *w, const struct profile_entry *entry)
{
    const struct stack *stack = &w->stack;

    if (stack->end == WIRE_END_REASONS)
        return push_mark(w, entry->stack == STACK_OTHERS ? VIEW_OTHERS
                                                         : VIEW_LOST);
    if (w->leaf_only)
        return 0;
    if (stack->end == WIRE_END_DEPTH && push_mark(w, VIEW_DEEPER) != 0)
        return -1;
    if (is_exact(w))
        return push_exact(w);
    for (uint32_t i = stack->depth; i-- > 0;)
        if (push_frame(w, i) != 0)
            return -1;
    return push_missed(w, &w->missed);
}

/* Place in the code at the interrupted instruction. */
static enum code_place place_of(const struct image_address *leaf)
{
    return leaf->image->frame_places != NULL
               ? frame_place_at(leaf->image->frame_places, leaf->address)
               : CODE_UNKNOWN;
}

/* Number of steps of the path that are in trees: all steps of an idle path,
 * else the steps up to the first VIEW_OTHERS. */
static size_t branch_of(const struct path *path,
                        const struct profile_entry *entry)
{
    size_t i = entry->stack == STACK_OTHERS;

    while (!path->idle && i < path->count &&
           path->steps[i].function != VIEW_OTHERS)
        i++;
    return path->idle || i == path->count ? path->count : i + 1;
}

/* Returns the kind of instruction that explains the place of the leaf.
 * HOLDUP_NONE for an idle path, because a sleep is no delay. */
static enum code_holdup holdup_of(const struct walk *w)
{
    return w->path.idle || w->path.unseen || w->leaf.image->frame_places == NULL
               ? HOLDUP_NONE
               : frame_place_holdup(w->leaf.image->frame_places,
                                    w->leaf.address);
}

/* Do the samples stand behind a call that is known? */
static bool is_moved(const struct walk *w)
{
    return !w->path.unseen && !w->path.idle && w->missed.count != 0 &&
           w->stack.end != WIRE_END_REASONS &&
           displaced_has(w->displaced, &w->leaf);
}

/* Make the call the leaf, in place of the function's first instruction (pc). */
static void move(struct walk *w, uint64_t pc)
{
    struct frames_at at = code_frames_get(w->frames, pc);

    /* the other frames are inlined into the last one */
    w->path.moved_from = at.frames[at.count - 1].function;
    w->leaf = image_map_find(w->image_map, w->missed.address[0] - 1);
}

/* Look up all facts about (entry) that need no step. */
static void look(struct walk *w, const struct profile_entry *entry)
{
    const struct tally *tally = &entry->tally;
    struct path *path = &w->path;

    w->entry++;
    w->stack = profile_stack(w->profile, entry->stack);
    w->leaf = image_map_find(w->image_map, entry->leaf);
    w->place = place_of(&w->leaf);
    w->missed = (struct hidden_callers){.count = 0};
    if (is_exact(w))
        w->missed.missing = w->stack.depth == 0 && is_cut(&w->stack);
    else if (!w->leaf_only || w->displaced != NULL)
        w->missed =
            hidden_callers_of_leaf(w->image_map, entry->leaf, &w->stack);
    w->hiding_call = 0;
    path->count = path->leaf = 0;
    path->branch = 1;
    path->amount = (struct amount){tally->samples, tally->weight, tally->time,
                                   tally->time_sq};
    path->late = tally->late_time;
    path->unseen =
        w->stack.end == WIRE_END_LENT || w->stack.end == WIRE_END_REST;
    path->idle = !path->unseen && frame_place_idle(w->place);
    path->moved = is_moved(w);
    path->holdup = path->moved ? HOLDUP_NONE : holdup_of(w);
    if (path->moved)
        move(w, entry->leaf);
    /* the mark of a lost stack already says that all callers are missing */
    path->uncertain = !path->unseen && w->stack.end != WIRE_END_REASONS &&
                      w->missed.missing && w->missed.count <= path->moved;
}

int walk_entry(struct walk *w, const struct profile_entry *entry)
{
    struct path *path = &w->path;

    look(w, entry);
    if (w->stack.end == WIRE_END_REST)
        /* the stack appeared after the time that is shown */
        return push_mark(w, VIEW_REST);
    if (w->stack.end == WIRE_END_LENT && push_mark(w, VIEW_LENT) != 0)
        return -1;
    if (push_callers(w, entry) != 0)
        return -1;
    if (path->moved) { /* the innermost caller is the leaf */
        if (w->leaf_only && push_frames(w, w->missed.address[0] - 1) != 0)
            return -1;
    } else if (!walk_is_others(entry) && push_frames(w, entry->leaf) != 0) {
        return -1;
    }
    if (!path->unseen)
        path->leaf = path->count - 1;
    if (path->idle && push_mark(w, VIEW_IDLE) != 0)
        return -1;
    path->branch = branch_of(path, entry);
    return 0;
}

int walk_calls(struct walk *w, uint32_t number)
{
    const struct profile_entry calls = {.stack = number};

    w->entry++;
    w->stack = profile_stack(w->profile, number);
    w->missed = (struct hidden_callers){.count = 0};
    w->path = (struct path){.steps = w->path.steps};
    if (push_callers(w, &calls) != 0)
        return -1;
    w->path.branch = w->path.count;
    return 0;
}

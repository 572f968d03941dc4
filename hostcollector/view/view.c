/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks a profile twice. The first walk collects the addresses, whose functions
 * are then numbered by name. The second adds the entries to tables and trees.
 */
#include "view/view.h"

#include <stdlib.h>

#include "aggregate/aggregate.h"
#include "code/frame_place.h"
#include "symbolize/callers.h"
#include "symbolize/image_map.h"
#include "util/map.h"
#include "util/vec.h"
#include "view/code_frames.h"
#include "view/scope.h"

/* What view_free() releases; the view is its first member. */
struct view_memory {
    struct view view;
    struct code_frames *frames;
    struct scope total;
    struct scope *cores; /* as many as the profile has */
    size_t core_count;
    size_t edge_room;
};

struct builder {
    const struct profile *profile;
    struct view_memory *memory;
    struct code_frames *frames;
    const struct image_map *image_map;
    struct path path;
    uint64_t hiding_call; /* innermost, in a function that hides its caller */
    size_t step_room;
    uint32_t entry;      /* counts them, from 1 on */
    uint32_t *last_seen; /* by function: the last entry that has it */
    struct map edges;    /* (caller, callee) -> edge */
    uint32_t *edge_seen; /* by edge: likewise */
    size_t edge_seen_room;
};

/* Learn the calls, which are before the return addresses. */
static int learn_calls(struct builder *b, const uint64_t *back, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (code_frames_add(b->frames, back[i] - 1) != 0)
            return -1;
    }
    return 0;
}

static int learn_entry(struct builder *b, const struct profile_entry *entry)
{
    struct stack stack = profile_stack(b->profile, entry->stack);
    struct callers missed = callers_of_leaf(b->image_map, entry->leaf, &stack);

    if (code_frames_add(b->frames, entry->leaf) != 0 ||
        learn_calls(b, missed.address, missed.count) != 0 ||
        learn_calls(b, stack.frames, stack.depth) != 0)
        return -1;
    for (uint32_t i = 0; i + 1 < stack.depth; i++) {
        missed = callers_of_frame(b->image_map, stack.frames[i]);
        if (learn_calls(b, missed.address, missed.count) != 0)
            return -1;
    }
    return 0;
}

static int push_step(struct builder *b, struct path_step step)
{
    struct path *path = &b->path;

    if (vec_grow(&path->steps, &b->step_room, path->count,
                 sizeof *path->steps) != 0)
        return -1;
    step.first = b->last_seen[step.function] != b->entry;
    b->last_seen[step.function] = b->entry;
    path->steps[path->count++] = step;
    return 0;
}

static int push_mark(struct builder *b, enum view_mark mark)
{
    return push_step(b, (struct path_step){.function = mark});
}

static int push_frames(struct builder *b, uint64_t pc)
{
    struct frames_at at = code_frames_get(b->frames, pc);

    while (at.count-- > 0) {
        const struct code_frame *frame = &at.frames[at.count];

        if (push_step(b, (struct path_step){frame->function, frame->line,
                                            frame->inlined, false}) != 0)
            return -1;
    }
    return 0;
}

/* Push the callers that the walk has missed, and a mark if there may be more.
 */
static int push_missed(struct builder *b, const struct callers *missed)
{
    if (missed->missing && push_mark(b, VIEW_UNCERTAIN) != 0)
        return -1;
    for (uint32_t i = missed->count; i-- > 0;) {
        if (push_frames(b, missed->address[i] - 1) != 0)
            return -1;
    }
    return 0;
}

/* What is known of the frame of the call that returns to (back). */
static enum code_place place_of_call(const struct builder *b, uint64_t back)
{
    struct image_address call = image_map_find(b->image_map, back - 1);

    return call.image->frame_places != NULL
               ? frame_place_of_call(call.image->frame_places, call.address + 1)
               : CODE_UNKNOWN;
}

/* Does the outermost function of (stack) hide a caller? Maybe nobody calls it.
 */
static bool outermost_hides(const struct builder *b, const struct stack *stack)
{
    uint64_t back = stack->frames[stack->depth - 1];
    struct image_address call = image_map_find(b->image_map, back - 1);

    return stack->end != WIRE_END_DEPTH &&
           place_of_call(b, back) == CODE_NO_FRAME &&
           frame_place_is_called(call.image->frame_places, call.address);
}

/* Callers of the leaf: those of the walk, with what it has missed among them.
 */
static int push_callers(struct builder *b, const struct stack *stack,
                        const struct callers *missed)
{
    if (stack->end == WIRE_END_REASONS)
        return push_mark(b, VIEW_LOST);
    if (stack->end == WIRE_END_DEPTH && push_mark(b, VIEW_DEEPER) != 0)
        return -1;
    for (uint32_t i = stack->depth; i-- > 0;) {
        struct callers above = {.count = 0};
        bool hides;

        if (i + 1 < stack->depth) {
            above = callers_of_frame(b->image_map, stack->frames[i]);
            hides = above.missing;
        } else {
            hides = outermost_hides(b, stack);
        }
        if (hides)
            b->hiding_call = stack->frames[i] - 1;
        if (push_missed(b, &above) != 0 ||
            push_frames(b, stack->frames[i] - 1) != 0)
            return -1;
    }
    return push_missed(b, missed);
}

/* What is known of the code around the interrupted instruction. */
static enum code_place place_of(const struct image_address *leaf)
{
    return leaf->image->frame_places != NULL
               ? frame_place_at(leaf->image->frame_places, leaf->address)
               : CODE_UNKNOWN;
}

/* Make (entry) into b->path, outermost function first. */
static int lay_path(struct builder *b, const struct profile_entry *entry,
                    const struct stack *stack, enum code_place place)
{
    const struct tally *tally = &entry->tally;
    struct callers missed = callers_of_leaf(b->image_map, entry->leaf, stack);

    b->entry++;
    b->path.count = 0;
    b->hiding_call = 0;
    b->path.amount = (struct amount){tally->samples, tally->weight, tally->time,
                                     tally->time_sq};
    b->path.idle = frame_place_idle(place);
    b->path.uncertain = missed.missing && missed.count == 0;
    if (push_callers(b, stack, &missed) != 0 ||
        push_frames(b, entry->leaf) != 0)
        return -1;
    b->path.leaf = b->path.count - 1;
    return b->path.idle ? push_mark(b, VIEW_IDLE) : 0;
}

/* The edge caller -> callee; UINT32_MAX if there is no memory. */
static uint32_t edge_of(struct builder *b, uint32_t caller, uint32_t callee)
{
    struct view *v = &b->memory->view;
    uint32_t *number = map_put(&b->edges, caller, callee);

    if (number == NULL ||
        vec_grow(&v->edges, &b->memory->edge_room, v->edge_count,
                 sizeof *v->edges) != 0 ||
        vec_grow(&b->edge_seen, &b->edge_seen_room, v->edge_count,
                 sizeof *b->edge_seen) != 0)
        return UINT32_MAX;
    if (*number == MAP_NOTHING) {
        *number = (uint32_t)v->edge_count++;
        v->edges[*number] =
            (struct view_edge){.caller = caller, .callee = callee};
        b->edge_seen[*number] = 0;
    }
    return *number;
}

static int add_edges(struct builder *b)
{
    const struct path *path = &b->path;

    for (size_t i = 1; i < path->count; i++) {
        uint32_t edge =
            edge_of(b, path->steps[i - 1].function, path->steps[i].function);

        if (edge == UINT32_MAX)
            return -1;
        if (b->edge_seen[edge] != b->entry)
            amount_add(&b->memory->view.edges[edge].amount, &path->amount);
        b->edge_seen[edge] = b->entry;
    }
    return 0;
}

/* Time per source line, and lateness per function. */
static void charge(struct builder *b, const struct profile_entry *entry)
{
    const struct path *path = &b->path;

    for (size_t i = 0; i <= path->leaf; i++) {
        if (path->steps[i].function >= VIEW_MARKS)
            code_frames_charge(b->frames, path->steps[i].line,
                               entry->tally.time, i == path->leaf);
    }
    code_frames_late(b->frames, path->steps[path->leaf].function,
                     entry->tally.late);
}

/* The outermost function of (stack), as far as the walk came: had it a frame?
 * Then RBP held that frame, and why the walk ended is true of the stack. */
static enum code_place outermost_place(const struct builder *b,
                                       const struct profile_entry *entry,
                                       const struct stack *stack,
                                       enum code_place place)
{
    if (stack->depth != 0)
        return place_of_call(b, stack->frames[stack->depth - 1]);
    struct callers missed = callers_of_leaf(b->image_map, entry->leaf, stack);

    return missed.count != 0 && !missed.missing ? CODE_BODY : place;
}

/* Count why a stack of a frame or less goes no further. */
static void note_shallow(struct builder *b, const struct profile_entry *entry,
                         const struct stack *stack, enum code_place place)
{
    struct view *v = &b->memory->view;
    enum code_place outermost = outermost_place(b, entry, stack, place);
    bool frame = outermost == CODE_BODY;
    bool unreadable = stack->rsp != 0 || frame || outermost == CODE_UNKNOWN;

    if (stack->rsp != 0)
        v->unreadable_rsp = stack->rsp;
    if (stack->end == WIRE_END_MEMORY && unreadable)
        v->unreadable += entry->tally.samples;
    else if (stack->end == WIRE_END_MEMORY ||
             ((stack->end == WIRE_END_TEXT ||
               stack->end == WIRE_END_NOT_RISING) &&
              !frame))
        v->astray += entry->tally.samples;
}

/* Blame the innermost function that hides its caller. */
static void note_hidden(struct builder *b, uint64_t samples)
{
    if (b->hiding_call == 0)
        return;
    struct frames_at at = code_frames_get(b->frames, b->hiding_call);

    /* the others are inlined into the last one */
    code_frames_hide(b->frames, at.frames[at.count - 1].function, samples);
}

/* Count why stacks are short or lack callers. */
static void note_stack(struct builder *b, const struct profile_entry *entry,
                       const struct stack *stack, enum code_place place)
{
    struct view *v = &b->memory->view;
    uint64_t samples = entry->tally.samples;
    unsigned end =
        stack->end < WIRE_END_REASONS ? stack->end : (unsigned)WIRE_END_REASONS;

    v->ends[end] += samples;
    if (stack->depth <= 1)
        note_shallow(b, entry, stack, place);
    note_hidden(b, samples);
    if (v->functions[b->path.steps[b->path.leaf].function].nameless)
        v->without_symbol += samples;
}

static int add_entry(struct builder *b, struct scope *core,
                     const struct profile_entry *entry)
{
    struct stack stack = profile_stack(b->profile, entry->stack);
    struct image_address leaf = image_map_find(b->image_map, entry->leaf);
    enum code_place place = place_of(&leaf);

    if (lay_path(b, entry, &stack, place) != 0 ||
        scope_add(core, &b->path) != 0 ||
        scope_add(&b->memory->total, &b->path) != 0)
        return -1;
    charge(b, entry);
    if (b->path.idle)
        return 0;
    if (entry->leaf != LEAF_UNKNOWN)
        amount_add(&b->memory->view.images[leaf.number].busy, &b->path.amount);
    note_stack(b, entry, &stack, place);
    return add_edges(b);
}

typedef int (*entry_function)(struct builder *b, struct scope *core,
                              const struct profile_entry *entry);

static int learn_one(struct builder *b, struct scope *core,
                     const struct profile_entry *entry)
{
    (void)core;
    return learn_entry(b, entry);
}

static int for_each_entry(struct builder *b, entry_function call)
{
    for (size_t i = 0; i < b->profile->core_count; i++) {
        const struct profile_core *core = &b->profile->cores[i];

        for (size_t j = 0; j < core->entry_count; j++) {
            if (call(b, &b->memory->cores[i], &core->entries[j]) != 0)
                return -1;
        }
    }
    return 0;
}

static int compare_edges(const void *a, const void *b)
{
    const struct view_edge *left = a, *right = b;

    if (left->amount.time != right->amount.time)
        return left->amount.time < right->amount.time ? 1 : -1;
    if (left->caller != right->caller)
        return left->caller < right->caller ? -1 : 1;
    return (left->callee > right->callee) - (left->callee < right->callee);
}

/* Sort the edges, and chain those of each function. */
static int finish_edges(struct view *v)
{
    v->calls = malloc(v->function_count * sizeof *v->calls);
    v->callers = malloc(v->function_count * sizeof *v->callers);
    if (v->calls == NULL || v->callers == NULL)
        return -1;
    for (size_t i = 0; i < v->function_count; i++)
        v->calls[i] = v->callers[i] = VIEW_NO_EDGE;
    if (v->edge_count != 0)
        qsort(v->edges, v->edge_count, sizeof *v->edges, compare_edges);
    for (uint32_t i = (uint32_t)v->edge_count; i-- > 0;) {
        struct view_edge *edge = &v->edges[i];

        edge->next_of_caller = v->calls[edge->caller];
        edge->next_of_callee = v->callers[edge->callee];
        v->calls[edge->caller] = i;
        v->callers[edge->callee] = i;
    }
    return 0;
}

/* Sort everything and put it where the view's reader looks for it. */
static int finish(struct builder *b)
{
    struct view_memory *memory = b->memory;
    struct view *v = &memory->view;

    for (size_t i = 0; i < memory->core_count; i++) {
        if (scope_finish(&memory->cores[i]) != 0)
            return -1;
        v->cores[i] = memory->cores[i].scope;
    }
    if (scope_finish(&memory->total) != 0)
        return -1;
    v->total = memory->total.scope;
    v->core_count = memory->core_count;
    v->functions = code_frames_functions(b->frames, &v->function_count);
    return v->functions != NULL ? finish_edges(v) : -1;
}

static int build(struct builder *b)
{
    size_t functions;

    if (for_each_entry(b, learn_one) != 0 || code_frames_finish(b->frames) != 0)
        return -1;
    b->memory->view.functions = code_frames_functions(b->frames, &functions);
    if (b->memory->view.functions == NULL)
        return -1;
    b->last_seen = calloc(functions, sizeof *b->last_seen);
    if (b->last_seen == NULL)
        return -1;
    return for_each_entry(b, add_entry) != 0 ? -1 : finish(b);
}

static int name_images(struct view *v, const struct image_map *image_map)
{
    v->image_count = image_map_count(image_map);
    v->images = calloc(v->image_count, sizeof *v->images);
    for (uint32_t i = 0; v->images != NULL && i < v->image_count; i++)
        v->images[i].name = image_map_image(image_map, i)->name;
    return v->images != NULL ? 0 : -1;
}

static struct view_memory *memory_new(const struct profile *p,
                                      const struct image_map *image_map)
{
    struct view_memory *memory = calloc(1, sizeof *memory);

    if (memory == NULL)
        return NULL;
    memory->frames = code_frames_new(image_map);
    memory->core_count = p->core_count;
    memory->total.scope.core = VIEW_ALL_CORES;
    memory->cores = calloc(p->core_count + 1, sizeof *memory->cores);
    memory->view.cores = calloc(p->core_count + 1, sizeof *memory->view.cores);
    if (memory->frames == NULL || memory->cores == NULL ||
        memory->view.cores == NULL ||
        name_images(&memory->view, image_map) != 0) {
        view_free(&memory->view);
        return NULL;
    }
    for (size_t i = 0; i < p->core_count; i++)
        memory->cores[i].scope.core = p->cores[i].core;
    return memory;
}

struct view *view_new(const struct profile *p,
                      const struct image_map *image_map)
{
    struct view_memory *memory = memory_new(p, image_map);

    if (memory == NULL)
        return NULL;

    struct builder b = {.profile = p,
                        .memory = memory,
                        .frames = memory->frames,
                        .image_map = image_map};
    int result = build(&b);

    free(b.path.steps);
    free(b.last_seen);
    free(b.edge_seen);
    map_fini(&b.edges);
    if (result != 0) {
        view_free(&memory->view);
        return NULL;
    }
    return &memory->view;
}

void view_free(struct view *v)
{
    struct view_memory *memory = (struct view_memory *)v;

    if (v == NULL)
        return;
    for (size_t i = 0; memory->cores != NULL && i < memory->core_count; i++)
        scope_fini(&memory->cores[i]);
    scope_fini(&memory->total);
    code_frames_free(memory->frames);
    free(memory->cores);
    free(v->cores);
    free(v->images);
    free(v->edges);
    free(v->calls);
    free(v->callers);
    free(memory);
}

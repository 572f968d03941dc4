/* SPDX-License-Identifier: BSD-2-Clause */
/* Profile + symbols -> view. */
#include "view/view_build.h"

#include <stdlib.h>
#include <string.h>

#include "image/file/image.h"
#include "image/names/displaced.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "util/vec.h"
#include "view/code_frames.h"
#include "view/collect_addresses.h"
#include "view/view_memory.h"
#include "view/walk.h"

/*
 * Two walks over a profile. The first walk collects all addresses, so that
 * functions can be numbered by name. The second walk adds the entries to tables
 * and trees.
 */

/* The guest's description of an image. The address is an address in the
 * file. */
struct told {
    uint64_t start, size, address; /* of its code */
    const uint8_t *build_id;
    size_t build_id_len;
};

static struct told told_of_kernel(const struct guest *g)
{
    return (struct told){.start = g->text_start,
                         .size = g->text_size,
                         .build_id = g->build_id,
                         .build_id_len = g->build_id_len};
}

static struct told told_of_map(const struct guest_map *map)
{
    return (struct told){.start = map->start,
                         .size = map->size,
                         .build_id = map->build_id,
                         .build_id_len = map->build_id_len};
}

/* Description of image (number) in (p). If the image is at several places, the
 * first one. */
static struct told told_of(const struct profile *p,
                           const struct image_map *image_map, uint32_t number)
{
    struct told told = {0};

    if (number == IMAGE_MAP_KERNEL)
        told = told_of_kernel(&p->guest);
    for (size_t i = p->map_count; i-- > 0 && number != IMAGE_MAP_KERNEL;)
        if (image_map_find(image_map, p->maps[i].start).number == number)
            told = told_of_map(&p->maps[i]);
    told.address = image_map_find(image_map, told.start).address;
    return told;
}

static int add_segment(struct view_image *image, size_t *room,
                       const struct view_segment *segment)
{
    if (vec_grow(&image->segments, room, image->segment_count,
                 sizeof *image->segments) != 0)
        return -1;
    image->segments[image->segment_count++] = *segment;
    return 0;
}

/* Add the code segments of (file). Without a file, add the code that the guest
 * described. */
static int add_segments(struct view_image *image, const struct image *file,
                        const struct told *told)
{
    const struct view_segment whole = {told->address, told->size, 0};
    const struct image_text *text;
    size_t room = 0;

    if (file == NULL)
        return told->size != 0 ? add_segment(image, &room, &whole) : 0;
    for (size_t i = 0; (text = image_text_at(file, i)) != NULL; i++) {
        const struct view_segment segment = {text->address, text->size,
                                             text->file_offset};

        if (add_segment(image, &room, &segment) != 0)
            return -1;
    }
    return 0;
}

static int fill(struct view_image *image, const struct mapped_image *mapped,
                const struct told *told)
{
    *image = (struct view_image){.name = mapped->name,
                                 .path = mapped->path,
                                 .build_id = told->build_id,
                                 .build_id_len = told->build_id_len,
                                 .slide = told->start - told->address};

    if (mapped->file != NULL) {
        struct image_hash hash = {0};

        image->build_id = image_build_id(mapped->file, &image->build_id_len);
        image->has_hash = image_get_hash(mapped->file, &hash);
        memcpy(image->hash, hash.bytes, sizeof image->hash);
    }
    return add_segments(image, mapped->file, told);
}

/* Fill the images of (v) from (image_map) and from the images that (p) lists.
 * The images of (v) are zero before; (image_map) and (p) must outlive (v).
 * Returns 0; -1 if there is no memory. Call view_images_fini() in either case.
 */
static int view_images_init(struct view *v, const struct profile *p,
                            const struct image_map *image_map)
{
    v->image_count = image_map_count(image_map);
    v->images = calloc(v->image_count, sizeof *v->images);
    for (uint32_t i = 0; v->images != NULL && i < v->image_count; i++) {
        const struct told told = told_of(p, image_map, i);

        if (fill(&v->images[i], image_map_image(image_map, i), &told) != 0)
            return -1;
    }
    return v->images != NULL ? 0 : -1;
}

static void view_images_fini(struct view *v)
{
    for (size_t i = 0; v->images != NULL && i < v->image_count; i++)
        free(v->images[i].segments);
    free(v->images);
}

struct builder {
    const struct profile *profile;
    struct view_memory *memory;
    struct code_frames *frames;
    const struct image_map *image_map;
    struct walk walk;
};

/* Charge the entry's time to source lines. */
static void charge(struct builder *b, const struct profile_entry *entry)
{
    const struct path *path = &b->walk.path;

    for (size_t i = 0; i <= path->leaf; i++) {
        if (path->steps[i].function >= VIEW_MARKS)
            code_frames_charge(b->frames, path->steps[i].line,
                               entry->tally.time, i == path->leaf);
    }
    if (!path->idle && path->steps[path->leaf].function >= VIEW_MARKS)
        code_frames_busy(b->frames, path->steps[path->leaf].line,
                         entry->tally.time, entry->tally.time_sq);
}

/*
 * Returns the place in the outermost function that the frame walk reached. The
 * place shows whether the function had a frame. If it had one, FP pointed to
 * the frame, and the walk ended for a reason of the stack's.
 */
static enum code_place outermost_place(const struct walk *w)
{
    if (w->stack.depth != 0)
        return walk_place_of_call(w, w->stack.frames[w->stack.depth - 1]);
    return w->missed.count != 0 && !w->missed.missing ? CODE_BODY : w->place;
}

/* Count the reasons why stacks of at most one frame end early. */
static void note_shallow(struct builder *b, uint64_t samples)
{
    struct view *v = &b->memory->view;
    const struct stack *stack = &b->walk.stack;
    enum code_place outermost = outermost_place(&b->walk);
    bool frame = outermost == CODE_BODY;
    bool unreadable = stack->sp != 0 || frame || outermost == CODE_UNKNOWN;

    if (stack->sp != 0)
        v->unreadable_sp = stack->sp;
    if (stack->end == WIRE_END_MEMORY && unreadable)
        v->unreadable += samples;
    else if (stack->end == WIRE_END_MEMORY ||
             ((stack->end == WIRE_END_TEXT ||
               stack->end == WIRE_END_NOT_RISING) &&
              !frame))
        v->astray += samples;
}

/* Count (samples) for the innermost function that hides its caller. */
static void note_hidden(struct builder *b, uint64_t samples)
{
    if (b->walk.hiding_call == 0)
        return;
    struct frames_at at = code_frames_get(b->frames, b->walk.hiding_call);

    if (at.frames[0].function == VIEW_OTHERS)
        return;
    /* the other frames are inlined into the last one */
    code_frames_function(b->frames, at.frames[at.count - 1].function)->hides +=
        samples;
}

/* Count the reasons why stacks are short or lack callers. */
static void note_stack(struct builder *b, const struct profile_entry *entry)
{
    struct view *v = &b->memory->view;
    const struct walk *w = &b->walk;
    uint64_t samples = entry->tally.samples;
    unsigned end = w->stack.end < WIRE_END_REASONS ? w->stack.end
                                                   : (unsigned)WIRE_END_REASONS;

    if (entry->stack != STACK_OTHERS)
        v->ends[end] += samples;
    if (entry->stack != STACK_OTHERS && w->stack.depth <= 1)
        note_shallow(b, samples);
    note_hidden(b, samples);
    if (v->functions[w->path.steps[w->path.leaf].function].nameless)
        v->without_symbol += samples;
}

/* Count (samples) for the function at whose beginning they stood. */
static void note_moved(struct builder *b, uint64_t samples)
{
    if (!b->walk.path.moved)
        return;
    b->memory->view.moved += samples;
    if (b->walk.path.moved_from >= VIEW_MARKS)
        code_frames_function(b->frames, b->walk.path.moved_from)->gave +=
            samples;
}

/* Room that a step of a path may take in all tables and trees. */
#define STEP_BYTES 2048u

/* Make room for the path of (core). */
static int fit(struct builder *b, size_t core)
{
    struct view_memory *m = b->memory;
    const struct path *path = &b->walk.path;

    return scopes_make_room(&m->scopes, core, b->walk.stack.thread, path,
                            &m->budget) == 0
               ? edges_make_room(&m->edges, path, &m->budget)
               : -1;
}

/* Bytes of nodes, rows and edges. */
struct taken {
    uint64_t nodes, rows, edges, all;
};

static struct taken take_stock(const struct view_memory *m)
{
    struct taken t = {.nodes = m->scopes.nodes * sizeof(struct view_node),
                      .rows = m->scopes.rows * sizeof(struct view_row),
                      .edges = m->edges.count * sizeof(struct view_edge)};

    t.all = t.nodes + t.rows + t.edges;
    return t;
}

/* Arrays are trimmed if more than this part of them is free. */
#define SPARE_PART 16u

/* Give back room that arrays have beyond their elements, if there is enough of
 * it. Then make room for the path of (core). */
static int trim(struct builder *b, size_t core)
{
    struct view_memory *m = b->memory;
    uint64_t spare = scopes_spare(&m->scopes) +
                     (m->edges.room - m->edges.count) * sizeof *m->edges.list;

    if (spare < take_stock(m).all / SPARE_PART)
        return -1;
    scopes_trim(&m->scopes, &m->budget);
    edges_trim(&m->edges, &m->budget);
    m->budget.tight = true;
    return fit(b, core);
}

/* Fold the smaller half of the nodes, the rows or the edges, whichever take the
 * most memory. */
static void fold(struct builder *b)
{
    struct view_memory *m = b->memory;
    struct taken t = take_stock(m);

    if (t.nodes >= t.rows && t.nodes >= t.edges) {
        scopes_fold_nodes(&m->scopes, &m->budget);
    } else if (t.rows >= t.edges) {
        scopes_fold_rows(&m->scopes, &m->budget);
    } else {
        edges_fold(&m->edges, &m->scopes.fold, &m->budget);
        m->view.folded++;
    }
}

/* Limit of foldings for one path. */
#define FOLDS 3

/* Make room for the path of (core). If the memory is used up, fold. Roots and
 * marks remain, and so the path may need more memory than there is. */
static int make_room(struct builder *b, size_t core)
{
    if (fit(b, core) == 0 || trim(b, core) == 0)
        return 0;
    for (int i = 0; i < FOLDS; i++) {
        fold(b);
        if (fit(b, core) == 0)
            return 0;
    }
    budget_borrow(&b->memory->budget, take_stock(b->memory).all / 2 +
                                          b->walk.path.count * STEP_BYTES);
    return fit(b, core);
}

static int add_entry(struct builder *b, size_t core,
                     const struct profile_entry *entry)
{
    struct view_memory *m = b->memory;
    const struct path *path = &b->walk.path;

    if (walk_entry(&b->walk, entry) != 0 || make_room(b, core) != 0)
        return -1;
    scopes_add(&m->scopes, core, b->walk.stack.thread, path);
    if (!path->unseen)
        charge(b, entry);
    if (path->unseen || path->idle)
        return 0;
    if (entry->leaf != LEAF_UNKNOWN)
        amount_add(&m->view.images[b->walk.leaf.number].busy, &path->amount);
    note_stack(b, entry);
    note_moved(b, entry->tally.samples);
    edges_add(&m->edges, path, b->walk.entry);
    return 0;
}

static int add_entries(struct builder *b)
{
    for (size_t i = 0; i < b->profile->core_count; i++) {
        const struct profile_core *core = &b->profile->cores[i];

        for (size_t j = 0; j < core->entry_count; j++) {
            const struct profile_entry *entry = &core->entries[j];

            if (!profile_is_left_out(core, &entry->tally) &&
                add_entry(b, i, entry) != 0)
                return -1;
        }
        const struct profile_entry others = profile_others(core);

        if (others.tally.samples != 0 && add_entry(b, i, &others) != 0)
            return -1;
    }
    return 0;
}

/* Add up the busy samples in VIEW_OTHERS. */
static void sum_others(struct view *v)
{
    const struct view_tree *tree = &v->total.tree;

    for (size_t i = 1; i < tree->node_count; i++)
        if (tree->nodes[i].function == VIEW_OTHERS)
            amount_add(&v->others, &tree->nodes[i].total);
}

/* Sort everything, and give it to the view. */
static int finish(struct builder *b)
{
    struct view_memory *memory = b->memory;
    struct view *v = &memory->view;

    if (scopes_finish(&memory->scopes) != 0)
        return -1;
    for (size_t i = 0; i < memory->scopes.core_count; i++)
        v->cores[i] = memory->scopes.cores[i].scope;
    v->total = memory->scopes.total.scope;
    v->core_count = memory->scopes.first_thread;
    v->threads = v->cores + v->core_count;
    v->thread_count = memory->scopes.core_count - v->core_count;
    v->functions = code_frames_functions(b->frames, &v->function_count);
    v->lines = code_frames_lines(b->frames, &v->line_count);
    v->folded += memory->scopes.folded + code_frames_folded(b->frames);
    sum_others(v);
    if (v->functions == NULL || edges_finish(&memory->edges, v) != 0)
        return -1;
    return paths_init(memory, b->profile);
}

static int build(struct builder *b)
{
    size_t functions;

    if (collect_addresses(b->frames, b->profile, b->image_map) != 0)
        return -1;
    b->memory->view.functions = code_frames_functions(b->frames, &functions);
    if (b->memory->view.functions == NULL)
        return -1;
    (void)budget_keep(&b->memory->budget, code_frames_bytes(b->frames));
    b->memory->displaced = displaced_new(b->profile, b->image_map);
    if (walk_init(&b->walk, b->profile, b->frames, b->image_map,
                  b->memory->displaced) != 0)
        return -1;
    return add_entries(b) != 0 || paths_of_waits(b->memory, &b->walk) != 0
               ? -1
               : finish(b);
}

/* Set (wanted) of the view, which had (bytes). */
static void note_wanted(struct builder *b, uint64_t bytes)
{
    struct view *v = &b->memory->view;
    uint64_t more = bytes + bytes / 8;

    v->memory = bytes;
    v->wanted = bytes - b->memory->budget.left;
    if (v->folded != 0)
        v->wanted = wanted_bytes(b->memory, &b->walk);
    if (v->folded != 0 && v->wanted < more)
        v->wanted = more;
}

static struct view_memory *memory_new(const struct profile *p,
                                      const struct image_map *image_map,
                                      uint64_t bytes)
{
    struct view_memory *memory = calloc(1, sizeof *memory);

    if (memory == NULL)
        return NULL;
    memory->budget.left = bytes;
    memory->image_map = image_map;
    memory->frames = collect_addresses_new(image_map, bytes);
    memory->view.idle_unknown = !frame_places_known(
        image_map_image(image_map, IMAGE_MAP_KERNEL)->frame_places);
    memory->view.cores =
        calloc(p->core_count + SCOPES_OF_THREADS, sizeof *memory->view.cores);
    if (memory->frames == NULL || memory->view.cores == NULL ||
        scopes_init(&memory->scopes, p) != 0 ||
        view_images_init(&memory->view, p, image_map) != 0) {
        view_free(&memory->view);
        return NULL;
    }
    return memory;
}

struct view *view_new(const struct profile *p,
                      const struct image_map *image_map, uint64_t memory_max)
{
    uint64_t bytes = memory_max != 0 ? memory_max : VIEW_MEMORY;

    if (bytes < VIEW_MEMORY_MIN)
        bytes = VIEW_MEMORY_MIN;
    struct view_memory *memory = memory_new(p, image_map, bytes);

    if (memory == NULL)
        return NULL;

    struct builder b = {.profile = p,
                        .memory = memory,
                        .frames = memory->frames,
                        .image_map = image_map};
    int result = build(&b);

    if (result == 0)
        note_wanted(&b, bytes);
    walk_fini(&b.walk);
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
    paths_free(v->paths);
    scopes_fini(&memory->scopes);
    code_frames_free(memory->frames);
    displaced_free(memory->displaced);
    free(v->cores);
    free(memory->waits);
    free(memory->locks);
    free(memory->wait_functions);
    view_images_fini(v);
    edges_fini(&memory->edges);
    free(v->calls);
    free(v->callers);
    free(memory);
}

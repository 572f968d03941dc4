/* SPDX-License-Identifier: BSD-2-Clause */
/* The paths of all entries as a tree of frames, for an HTML page. */
#include "report/html/html_data.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "view/view_build.h"

static uint64_t text_hash(const char *text)
{
    uint64_t hash = 0;

    for (; *text != '\0'; text++)
        hash = hash_mix(hash, (unsigned char)*text);
    return hash;
}

static uint64_t frame_hash(const struct html_frame *f)
{
    uint64_t hash = hash_mix(f->inlined, f->function);

    return hash_mix(hash_mix(hash, (uint64_t)f->image << 32 | f->file),
                    f->line);
}

static uint64_t node_hash(const struct html_node *n)
{
    return hash_mix(0, (uint64_t)n->parent << 32 | n->frame);
}

static uint64_t hash_of_string(const void *tree, uint32_t number)
{
    return text_hash(((const struct html_tree *)tree)->strings[number]);
}

static uint64_t hash_of_frame(const void *tree, uint32_t number)
{
    return frame_hash(&((const struct html_tree *)tree)->frames[number]);
}

static uint64_t hash_of_node(const void *tree, uint32_t number)
{
    return node_hash(&((const struct html_tree *)tree)->nodes[number]);
}

/* Make room for one more element in (*array), which has (count) elements of
 * (size) bytes. Unless (t->full), make room for a spare element as well. Number
 * 0 stands for no element. Returns 0; not 0 if there is no memory. */
static int make_room(struct html_tree *t, void *array, size_t *room,
                     size_t count, size_t size, struct budget_table *table,
                     budget_hash *hash)
{
    size_t more = t->full ? 1 : 2;

    if (budget_table_grow(&t->budget, table, (uint32_t)count, more, hash, t) !=
        0)
        return -1;
    return budget_make_room(&t->budget, array, room, count + 1 + more, size);
}

/* Returns the slot of (text), or the free slot for (text). NULL if the table
 * has no slots. */
static uint32_t *slot_of_string(const struct html_tree *t, const char *text)
{
    size_t mask = t->string_table.size - 1, i = text_hash(text) & mask;
    uint32_t *slots = t->string_table.slots;

    if (slots == NULL)
        return NULL;
    while (slots[i] != 0 && strcmp(t->strings[slots[i]], text) != 0)
        i = (i + 1) & mask;
    return &slots[i];
}

/* The number of (text), which must outlive (t). 0 for NULL, and if there is no
 * memory. */
static uint32_t string_of(struct html_tree *t, const char *text)
{
    uint32_t *slot = text != NULL ? slot_of_string(t, text) : NULL;

    if (slot != NULL && *slot != 0)
        return *slot;
    if (text == NULL ||
        make_room(t, &t->strings, &t->string_room, t->string_count,
                  sizeof *t->strings, &t->string_table, hash_of_string) != 0)
        return 0;
    t->strings[++t->string_count] = text;
    return *slot_of_string(t, text) = (uint32_t)t->string_count;
}

static bool same_frame(const struct html_frame *a, const struct html_frame *b)
{
    return a->function == b->function && a->line == b->line &&
           a->file == b->file && a->image == b->image &&
           a->inlined == b->inlined;
}

static uint32_t *slot_of_frame(const struct html_tree *t,
                               const struct html_frame *frame)
{
    size_t mask = t->frame_table.size - 1, i = frame_hash(frame) & mask;
    uint32_t *slots = t->frame_table.slots;

    if (slots == NULL)
        return NULL;
    while (slots[i] != 0 && !same_frame(&t->frames[slots[i]], frame))
        i = (i + 1) & mask;
    return &slots[i];
}

/* The number of (frame). 0 if there is no memory. */
static uint32_t frame_of(struct html_tree *t, struct html_frame frame)
{
    uint32_t *slot = slot_of_frame(t, &frame);

    if (slot != NULL && *slot != 0)
        return *slot;
    if (make_room(t, &t->frames, &t->frame_room, t->frame_count,
                  sizeof *t->frames, &t->frame_table, hash_of_frame) != 0)
        return 0;
    t->frames[++t->frame_count] = frame;
    return *slot_of_frame(t, &frame) = (uint32_t)t->frame_count;
}

static uint32_t *slot_of_node(const struct html_tree *t,
                              const struct html_node *node)
{
    size_t mask = t->node_table.size - 1, i = node_hash(node) & mask;
    uint32_t *slots = t->node_table.slots;

    if (slots == NULL)
        return NULL;
    while (slots[i] != 0 && (t->nodes[slots[i]].parent != node->parent ||
                             t->nodes[slots[i]].frame != node->frame))
        i = (i + 1) & mask;
    return &slots[i];
}

/* The number of (node). 0 if there is no memory. */
static uint32_t node_of(struct html_tree *t, struct html_node node)
{
    uint32_t *slot = slot_of_node(t, &node);

    if (slot != NULL && *slot != 0)
        return *slot;
    if (make_room(t, &t->nodes, &t->node_room, t->node_count, sizeof *t->nodes,
                  &t->node_table, hash_of_node) != 0)
        return 0;
    t->nodes[++t->node_count] = node;
    return *slot_of_node(t, &node) = (uint32_t)t->node_count;
}

/* Returns the node for all paths that find no room, and sets (t->full). 0 if
 * there is no memory. */
static uint32_t others_of(struct html_tree *t)
{
    t->full = true;
    uint32_t frame = frame_of(t, (struct html_frame){.function = VIEW_OTHERS});

    return frame != 0 ? node_of(t, (struct html_node){0, frame}) : 0;
}

/* Write the node of the last step of (path) to (*at). Returns 0; -1 if there is
 * no memory. */
static int add_path(struct html_tree *t, const struct view_path *path,
                    uint32_t *at)
{
    *at = 0;
    for (size_t i = 0; i < path->count; i++) {
        const struct view_step *step = &path->steps[i];
        uint32_t file = string_of(t, step->file);
        uint32_t frame =
            frame_of(t, (struct html_frame){.function = step->function,
                                            .image = step->image,
                                            .file = file,
                                            .line = step->line,
                                            .inlined = step->inlined});

        if (frame == 0 || (file == 0 && step->file != NULL))
            return -1;
        *at = node_of(t, (struct html_node){*at, frame});
        if (*at == 0)
            return -1;
    }
    return 0;
}

/* An array of (count) elements of (size) bytes, which a page cannot be without.
 */
static void *grow(struct html_tree *t, size_t *room, size_t count, size_t size)
{
    if (t->budget.left < 2 * count * size)
        budget_borrow(&t->budget, 2 * count * size);
    return budget_grow(&t->budget, NULL, room, count, size);
}

/* Add the entries of (from), core number (index) of (v). Entries without
 * samples stay zeroed, so that entries keep their numbers. Returns 0; -1 if
 * there is no memory. */
static int add_core(struct html_tree *t, size_t index,
                    const struct profile_core *from, const struct view *v)
{
    struct html_core *core = &t->cores[index];
    struct view_path path;

    core->entries =
        grow(t, &core->room, from->entry_count + 1, sizeof *core->entries);
    if (core->entries == NULL)
        return -1;
    core->count = from->entry_count + 1;
    for (size_t i = 0; i < core->count; i++) {
        struct html_entry *e = &core->entries[i];

        if (!view_path_of(v, index, i, &path))
            continue;
        if (add_path(t, &path, &e->node) != 0)
            e->node = others_of(t);
        e->thread = t->has_threads ? view_thread_of(v, index, i) : 0;
        e->samples = path.amount.samples;
        e->weight = path.amount.weight;
        e->time = path.amount.time;
        e->time_sq = path.amount.time_sq;
        e->late = path.late;
    }
    return 0;
}

/* Most bytes of a string in its array and table. */
#define NAME_BYTES 64u

static int add_functions(struct html_tree *t, const struct view *v)
{
    t->functions =
        grow(t, &t->function_room, v->function_count, sizeof *t->functions);
    if (t->functions == NULL)
        return -1;
    t->function_count = v->function_count;
    if (t->budget.left < v->function_count * NAME_BYTES)
        budget_borrow(&t->budget, v->function_count * NAME_BYTES);
    for (size_t i = 0; i < v->function_count; i++) {
        t->functions[i] = string_of(t, v->functions[i].name);
        if (t->functions[i] == 0)
            return -1;
    }
    return 0;
}

int html_tree_fill(struct html_tree *t, const struct profile *p,
                   const struct view *v)
{
    if (add_functions(t, v) != 0)
        return -1;
    t->cores = calloc(p->core_count + 1, sizeof *t->cores);
    if (t->cores == NULL)
        return -1;
    t->core_count = p->core_count;
    t->has_threads = p->thread_count != 0;
    for (size_t i = 0; i < p->core_count; i++) {
        if (add_core(t, i, &p->cores[i], v) != 0)
            return -1;
    }
    return 0;
}

void html_tree_fini(struct html_tree *t)
{
    for (size_t i = 0; i < t->core_count; i++)
        free(t->cores[i].entries);
    free(t->cores);
    free(t->functions);
    free(t->strings);
    free(t->frames);
    free(t->nodes);
    free(t->string_table.slots);
    free(t->frame_table.slots);
    free(t->node_table.slots);
}

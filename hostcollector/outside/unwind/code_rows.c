/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack at one place of a function, by the function's instructions. */
#include "outside/unwind/code_rows.h"

#include <stdlib.h>

#include "image/code/function_flow.h"
#include "image/file/image.h"
#include "util/cpu/cpu.h"
#include "util/pair_map.h"
#include "util/vec.h"

/* Limit of all changes: hostile code could have any number. */
#define CHANGES_MAX ((size_t)1 << 22)
/* The state from offset (from) of the function on. */
struct change {
    uint32_t from;
    bool is_known;
    struct frame_state state;
};

struct function {
    size_t first, count; /* its changes; none: it is not understood */
    bool is_outermost, is_interrupt, begins_stack;
    bool is_called, calls_read; /* (is_called) is known */
};

struct code_rows {
    const struct image *img;
    struct pair_map known; /* start of a function -> index */
    struct function *functions;
    size_t count, room;
    struct change *changes; /* by rising (from) for each function */
    size_t change_count, change_room;
};

struct code_rows *code_rows_new(const struct image *img)
{
    struct code_rows *c = calloc(1, sizeof *c);

    if (c != NULL)
        c->img = img;
    return c;
}

void code_rows_free(struct code_rows *c)
{
    if (c == NULL)
        return;
    map_fini(&c->known);
    free(c->functions);
    free(c->changes);
    free(c);
}

static bool same(const struct change *a, const struct change *b)
{
    if (!a->is_known || !b->is_known)
        return a->is_known == b->is_known;
    return a->state.depth == b->state.depth &&
           a->state.saved == b->state.saved && a->state.back == b->state.back &&
           a->state.frame == b->state.frame && a->state.fp == b->state.fp;
}

/* Keep (change) of the function (f), unless it equals the state before. */
static int add_change(struct code_rows *c, struct function *f,
                      const struct change *change)
{
    if (f->count != 0 && same(&c->changes[c->change_count - 1], change))
        return 0;
    if (c->change_count == CHANGES_MAX ||
        vec_grow(&c->changes, &c->change_room, c->change_count,
                 sizeof *c->changes) != 0)
        return -1;
    c->changes[c->change_count++] = *change;
    f->count++;
    return 0;
}

/* Keep the states of (f), instruction by instruction. */
static int add_changes(struct code_rows *c, struct function *f,
                       const struct function_flow *of)
{
    const struct frame_part *own = &of->flow.own;
    struct insn in;

    for (size_t at = 0, len; at < own->size; at += len) {
        struct change change = {.from = (uint32_t)at,
                                .is_known =
                                    (own->flags[at] & FRAME_REACHED) != 0,
                                .state = own->states[at]};

        if (!of->depth_known)
            change.state.depth = FRAME_DEPTH_UNKNOWN;
        len = of->flow.cpu->decode(of->flow.code + at, own->size - at, &in);
        if (!change.is_known || len == 0)
            /* the next instruction that is reached may start anywhere */
            len = 1;
        if (add_change(c, f, &change) != 0)
            return -1;
    }
    return 0;
}

static void learn(struct code_rows *c, struct function *f,
                  const struct image_function *of)
{
    struct function_flow flow;

    f->first = c->change_count;
    if (function_flow_init(&flow, c->img, of) == 0) {
        f->is_outermost = flow.flow.outermost;
        f->is_interrupt = flow.flow.interrupt;
        f->begins_stack =
            flow.flow.new_stack && !flow.flow.ends && !flow.flow.lost;
        if (add_changes(c, f, &flow) != 0) {
            c->change_count = f->first;
            f->count = 0;
        }
    }
    function_flow_fini(&flow);
}

/* The function at (of), interpreted if necessary; NULL if there is no memory.
 */
static struct function *function_of(struct code_rows *c,
                                    const struct image_function *of)
{
    uint32_t index = map_get(&c->known, of->start, 0);
    uint32_t *place;

    if (index != MAP_NOTHING)
        return &c->functions[index];
    if (vec_grow(&c->functions, &c->room, c->count, sizeof *c->functions) != 0)
        return NULL;
    place = map_put(&c->known, of->start, 0);
    if (place == NULL)
        return NULL;
    *place = (uint32_t)c->count;
    c->functions[c->count] = (struct function){.count = 0};
    learn(c, &c->functions[c->count], of);
    return &c->functions[c->count++];
}

/* The last of (n) changes up to (offset); the first is at 0. */
static const struct change *change_at(const struct change *list, size_t n,
                                      uint64_t offset)
{
    size_t low = 0;

    while (n - low > 1) {
        size_t middle = low + (n - low) / 2;

        if (list[middle].from <= offset)
            low = middle;
        else
            n = middle;
    }
    return &list[low];
}

bool code_rows_find(struct code_rows *c, uint64_t address, struct code_row *out)
{
    const struct image_function *of = image_find_function(c->img, address);
    const struct function *f = of != NULL ? function_of(c, of) : NULL;
    const struct change *change;

    if (f == NULL || f->count == 0)
        return false;
    change = change_at(&c->changes[f->first], f->count, address - of->start);
    *out = (struct code_row){.function = of->start,
                             .is_outermost = f->is_outermost,
                             .is_interrupt = f->is_interrupt,
                             .begins_stack = f->begins_stack,
                             .at = change->state};
    return change->is_known;
}

static bool has_any_call(const struct image *img, uint64_t function)
{
    const struct image_text *text;

    for (size_t i = 0; (text = image_text_at(img, i)) != NULL; i++) {
        if (image_cpu(img)->has_call(text->bytes, text->bytes_len,
                                     text->address, function))
            return true;
    }
    return false;
}

bool code_rows_is_called(struct code_rows *c, uint64_t function)
{
    const struct image_function *of = image_find_function(c->img, function);
    struct function *f =
        of != NULL && of->start == function ? function_of(c, of) : NULL;

    if (f == NULL)
        return true;
    if (!f->calls_read)
        f->is_called = has_any_call(c->img, function);
    f->calls_read = true;
    return f->is_called;
}

/* Bytes of code right before (address), as many as the longest call has. */
static size_t bytes_before(const struct image *img, uint64_t address,
                           const uint8_t **code)
{
    const struct cpu *cpu = image_cpu(img);

    for (size_t n = cpu->call_max; n >= cpu->call_min; n--) {
        size_t have;

        *code = image_code(img, address - n, &have);
        if (*code != NULL && have >= n)
            return n;
    }
    return 0;
}

bool code_rows_call_before(const struct image *img, uint64_t address,
                           uint64_t *target)
{
    const uint8_t *code = NULL;
    size_t n = bytes_before(img, address, &code);
    int64_t distance;

    if (!cpu_ends_in_call(image_cpu(img), code, n, &distance))
        return false;
    *target = distance != 0 ? address + (uint64_t)distance : 0;
    return true;
}

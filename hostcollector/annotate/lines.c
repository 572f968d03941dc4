/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds source lines, with the function of each and the samples that hit it. */
#include <stdlib.h>
#include <string.h>

#include "annotate/builder.h"
#include "image/names/symbolize.h"
#include "util/vec.h"

/* Names are unique: equal names have equal pointers. */
static uint64_t key_of(const char *name)
{
    return (uint64_t)(uintptr_t)name;
}

/* Find or add the body of (symbol). Stores its number in (*body). */
static int find_body(struct builder *b, const struct symbol *symbol,
                     bool inlined, uint32_t *body)
{
    uint64_t file = key_of(symbol->file) | (uint64_t)inlined << 63;
    uint32_t *at = map_put(&b->by_name, key_of(symbol->function), file);
    size_t count = b->out->body_count;

    if (at == NULL ||
        vec_grow(&b->bodies, &b->body_room, count, sizeof *b->bodies) != 0)
        return -1;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)count;
        b->bodies[count] = (struct annotated_body){.function = symbol->function,
                                                   .file = symbol->file,
                                                   .inlined = inlined};
        b->out->body_count++;
    }
    *body = *at;
    return 0;
}

int builder_add_line(struct builder *b, const struct symbol *symbol,
                     bool inlined, const struct annotated_sum *sum,
                     uint32_t *body)
{
    uint32_t *at;

    *body = ANNOTATED_NONE;
    if (symbol->file == NULL)
        return 0;
    if (find_body(b, symbol, inlined, body) != 0)
        return -1;
    at = map_put(&b->by_number, *body, symbol->line);
    if (at == NULL || vec_grow(&b->lines, &b->line_room, b->line_count,
                               sizeof *b->lines) != 0)
        return -1;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)b->line_count;
        b->lines[b->line_count++] =
            (struct built_line){*body, {.number = symbol->line}};
    }
    if (sum != NULL) {
        annotated_add(&b->lines[*at].line.sum, sum);
        annotated_add(&b->bodies[*body].sum, sum);
    }
    return 0;
}

int builder_add_places(struct builder *b)
{
    for (size_t i = 0; i < b->places.count; i++) {
        const struct place *place = &b->places.list[i];
        const struct symbol *symbol = symbolize(b->symbolizer, place->address);
        uint32_t body;

        if (builder_add_line(b, symbol, place->depth != 0, &place->sum,
                             &body) != 0)
            return -1;
    }
    return 0;
}

static int by_body(const void *a, const void *b)
{
    const struct built_line *left = a, *right = b;

    if (left->body != right->body)
        return left->body < right->body ? -1 : 1;
    return (left->line.number > right->line.number) -
           (left->line.number < right->line.number);
}

int builder_end_lines(struct builder *b)
{
    struct annotation *out = b->out;
    struct annotated_line *lines =
        arena_alloc(b->arena, (b->line_count + 1) * sizeof *lines);

    out->bodies =
        arena_alloc(b->arena, (out->body_count + 1) * sizeof *out->bodies);
    if (lines == NULL || out->bodies == NULL)
        return -1;
    out->without_lines = b->line_count == 0;
    if (b->line_count == 0)
        return 0;
    memcpy(out->bodies, b->bodies, out->body_count * sizeof *out->bodies);
    qsort(b->lines, b->line_count, sizeof *b->lines, by_body);
    for (size_t i = 0; i < b->line_count; i++) {
        struct annotated_body *body = &out->bodies[b->lines[i].body];

        lines[i] = b->lines[i].line;
        if (body->line_count++ == 0)
            body->lines = &lines[i];
    }
    return 0;
}

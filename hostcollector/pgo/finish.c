/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts bodies and lines in the order of writing. */
#include <stdlib.h>
#include <string.h>

#include "pgo/bodies.h"

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_place(struct sampled_place a, struct sampled_place b)
{
    int order = compare(a.offset, b.offset);

    return order != 0 ? order : compare(a.discriminator, b.discriminator);
}

static int by_body(const void *a, const void *b)
{
    const struct growing_line *left = a, *right = b;
    int order = compare(left->body, right->body);

    return order != 0 ? order : by_place(left->line.place, right->line.place);
}

/* Compares bodies in the same body. */
static int by_call(const void *a, const void *b)
{
    const struct sampled_body *left = &(*(struct growing_body *const *)a)->body;
    const struct sampled_body *right =
        &(*(struct growing_body *const *)b)->body;
    int order = by_place(left->call, right->call);

    if (order == 0 && left->depth == 0)
        order = compare(right->total, left->total);
    return order != 0 ? order : strcmp(left->name, right->name);
}

static int by_count(const void *a, const void *b)
{
    const struct sampled_call *left = a, *right = b;
    int order = compare(right->count, left->count);

    return order != 0 ? order : strcmp(left->name, right->name);
}

/* Copy the calls of (from), sorted. The first line of a function tells how
 * often the function is called. If no sample hit that line, the function is
 * hardly ever called. */
static int finish_calls(const struct bodies *b, const struct growing_line *from,
                        struct arena *arena, struct sampled_line *to)
{
    struct sampled_call *calls;
    size_t room = 0;

    for (uint32_t at = from->call; at != NO_CALL; at = b->calls[at].next)
        room++;
    if (room == 0)
        return 0;
    calls = arena_alloc(arena, room * sizeof *calls);
    if (calls == NULL)
        return -1;
    for (uint32_t at = from->call; at != NO_CALL; at = b->calls[at].next) {
        const struct sampled_body *callee = &b->list[b->calls[at].callee].body;
        double count = (double)callee->head * b->calls[at].share;

        if (count >= 1)
            calls[to->call_count++] =
                (struct sampled_call){callee->name, (uint64_t)count};
    }
    qsort(calls, to->call_count, sizeof *calls, by_count);
    to->calls = calls;
    return 0;
}

/* Copy the lines, sorted by body and place, and add them up. */
static int finish_lines(struct bodies *b, struct arena *arena)
{
    struct sampled_line *lines =
        arena_alloc(arena, (b->line_count + 1) * sizeof *lines);

    if (lines == NULL)
        return -1;
    if (b->line_count != 0)
        qsort(b->lines, b->line_count, sizeof *b->lines, by_body);
    for (size_t i = 0; i < b->line_count; i++) {
        struct growing_body *body = &b->list[b->lines[i].body];

        lines[i] = b->lines[i].line;
        if (finish_calls(b, &b->lines[i], arena, &lines[i]) != 0)
            return -1;
        if (body->body.line_count++ == 0)
            body->body.lines = &lines[i];
        body->body.total += lines[i].count;
    }
    /* a body comes after the body around it */
    for (size_t i = b->count; i-- > 0;)
        if (b->list[i].parent != NO_BODY)
            b->list[b->list[i].parent].body.total += b->list[i].body.total;
    return 0;
}

/* Set child and next of all bodies. Returns the first function. */
static uint32_t link(struct bodies *b, struct growing_body **sorted)
{
    uint32_t first = NO_BODY;

    for (size_t i = 0; i < b->count; i++)
        sorted[i] = &b->list[i];
    /* of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    qsort(sorted, b->count, sizeof *sorted, by_call);
    for (size_t i = b->count; i-- > 0;) { /* each becomes the first child */
        struct growing_body *body = sorted[i];
        uint32_t *place =
            body->parent != NO_BODY ? &b->list[body->parent].child : &first;

        body->next = *place;
        *place = (uint32_t)(body - b->list);
    }
    return first;
}

/* The body to write after (at): its first child, else its next sibling, else
 * the next sibling of a body around it. */
static uint32_t following(const struct bodies *b, uint32_t at)
{
    if (b->list[at].child != NO_BODY)
        return b->list[at].child;
    while (at != NO_BODY && b->list[at].next == NO_BODY)
        at = b->list[at].parent;
    return at != NO_BODY ? b->list[at].next : NO_BODY;
}

/* Set the heads of functions. A function without a known head gets the count of
 * its first line with samples. With a head of 0, the compiler would treat the
 * function as hardly ever called. */
static void finish_heads(struct sampled_body *bodies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t first = i;

        while (bodies[first].line_count == 0)
            first++; /* then a body is inside */
        if (bodies[i].depth == 0 && bodies[i].head == 0)
            bodies[i].head = bodies[first].lines[0].count;
    }
}

int bodies_finish(struct bodies *b, struct arena *arena,
                  struct sample_profile *out)
{
    struct sampled_body *bodies =
        arena_alloc(arena, (b->count + 1) * sizeof *bodies);
    struct growing_body **sorted =
        calloc(b->count + 1, sizeof(struct growing_body *));

    if (bodies == NULL || sorted == NULL || finish_lines(b, arena) != 0) {
        free(sorted);
        return -1;
    }
    if (b->count != 0)
        for (uint32_t at = link(b, sorted); at != NO_BODY;
             at = following(b, at))
            bodies[out->body_count++] = b->list[at].body;
    free(sorted);
    finish_heads(bodies, out->body_count);
    out->bodies = bodies;
    out->placed = b->placed;
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps each address to a line of a body. */
#include "pgo/bodies.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

#include "image/dwarf/dwarf.h"
#include "util/vec.h"

/* Functions that are inlined more deeply are left out. */
#define MAX_DEPTH 128u

/* The place with the low half of the difference of lines: the body of an
 * included file may be above the function's first line. */
static struct sampled_place place_of(uint32_t line, uint32_t first,
                                     uint32_t discriminator)
{
    return (struct sampled_place){(line - first) & 0xffff,
                                  discriminator_base(discriminator)};
}

static uint64_t key_of(uint32_t number, struct sampled_place place)
{
    return (uint64_t)number << 32 | place.offset << 16 | place.discriminator;
}

/* Do the compiler, and its reader of profiles, accept (name)? */
static bool is_linkage_name(const char *name)
{
    if (name == NULL ||
        (!isalpha((unsigned char)*name) && *name != '_' && *name != '.'))
        return false;
    for (; *name != '\0'; name++)
        if (!isgraph((unsigned char)*name))
            return false;
    return true;
}

/* Find or add the body (name) at (call) in (parent), and write its number to
 * (*body). Returns 0; -1 if there is no memory. */
static int put_body(struct bodies *b, uint32_t parent, const char *name,
                    struct sampled_place call, uint32_t *body)
{
    const char *once = names_keep(&b->names, name);
    uint32_t *at;

    if (once == NULL ||
        vec_grow(&b->list, &b->room, b->count, sizeof *b->list) != 0)
        return -1;
    at = map_put(&b->by_place, (uint64_t)(uintptr_t)once, key_of(parent, call));
    if (at == NULL)
        return -1;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)b->count;
        b->list[b->count++] = (struct growing_body){
            .body = {.name = once,
                     .call = call,
                     .depth = parent != NO_BODY ? b->list[parent].body.depth + 1
                                                : 0},
            .parent = parent,
            .child = NO_BODY,
            .next = NO_BODY};
    }
    *body = *at;
    return 0;
}

/* Write the frames of (t), outermost first, to (chain). Returns their number; 0
 * if a frame has no place. */
static unsigned chain_of(const struct dwarf_target *t,
                         const struct dwarf_frame *chain[MAX_DEPTH])
{
    unsigned count = 0;

    if (t->line == 0)
        return 0;
    for (const struct dwarf_frame *f = t->frames; f != NULL; f = f->outer) {
        if (count == MAX_DEPTH || !is_linkage_name(f->name) ||
            f->home_line == 0 || (f->outer != NULL && f->line == 0))
            return 0;
        chain[count++] = f;
    }
    for (unsigned i = 0; i < count / 2; i++) {
        const struct dwarf_frame *f = chain[i];

        chain[i] = chain[count - 1 - i];
        chain[count - 1 - i] = f;
    }
    return count;
}

static int put_line(struct bodies *b, uint32_t body, struct sampled_place place,
                    uint64_t count)
{
    uint32_t *at;

    if (vec_grow(&b->lines, &b->line_room, b->line_count, sizeof *b->lines) !=
        0)
        return -1;
    at = map_put(&b->by_line, key_of(body, place), 0);
    if (at == NULL)
        return -1;
    if (*at == MAP_NOTHING) {
        *at = (uint32_t)b->line_count;
        b->lines[b->line_count++] =
            (struct growing_line){{.place = place}, body, NO_CALL};
    }
    if (b->lines[*at].line.count < count)
        b->lines[*at].line.count = count;
    return 0;
}

int bodies_add(struct bodies *b, const struct dwarf_target *t, uint64_t samples)
{
    const struct dwarf_frame *chain[MAX_DEPTH];
    unsigned count = chain_of(t, chain);
    struct sampled_place place = {0};
    uint32_t body = NO_BODY;

    for (unsigned i = 0; i < count; i++) {
        if (i != 0)
            place = place_of(chain[i]->line, chain[i - 1]->home_line,
                             chain[i]->discriminator);
        if (put_body(b, body, chain[i]->name, place, &body) != 0)
            return -1;
        b->list[body].samples += samples;
    }
    if (count == 0)
        return 0;
    b->placed += samples;
    place = place_of(t->line, t->frames->home_line, t->discriminator);
    return put_line(b, body, place,
                    samples * discriminator_copies(t->discriminator));
}

/* The function that begins at (t); MAP_NOTHING if there is none, or if it has
 * no samples. */
static uint32_t function_at(struct bodies *b, const struct dwarf_target *t)
{
    const struct dwarf_frame *f = t->frames;
    const char *once;

    if (f == NULL || f->outer != NULL || f->low != t->address ||
        !is_linkage_name(f->name))
        return MAP_NOTHING;
    once = names_keep(&b->names, f->name);
    return map_get(&b->by_place, (uint64_t)(uintptr_t)once,
                   key_of(NO_BODY, (struct sampled_place){0}));
}

void bodies_begin(struct bodies *b, const struct dwarf_target *t)
{
    uint32_t body = function_at(b, t), line;

    if (body == MAP_NOTHING)
        return;
    line = map_get(
        &b->by_line,
        key_of(body, place_of(t->line, t->frames->home_line, t->discriminator)),
        0);
    if (line != MAP_NOTHING)
        b->list[body].body.head = b->lines[line].line.count;
}

/* The line that contains (t); MAP_NOTHING if it has no samples. */
static uint32_t line_at(struct bodies *b, const struct dwarf_target *t)
{
    const struct dwarf_frame *chain[MAX_DEPTH];
    unsigned count = chain_of(t, chain);
    struct sampled_place place = {0};
    uint32_t body = NO_BODY;

    for (unsigned i = 0; i < count; i++) {
        const char *once = names_keep(&b->names, chain[i]->name);

        if (i != 0)
            place = place_of(chain[i]->line, chain[i - 1]->home_line,
                             chain[i]->discriminator);
        body = map_get(&b->by_place, (uint64_t)(uintptr_t)once,
                       key_of(body, place));
        if (body == MAP_NOTHING)
            return MAP_NOTHING;
    }
    if (count == 0)
        return MAP_NOTHING;
    place = place_of(t->line, t->frames->home_line, t->discriminator);
    return map_get(&b->by_line, key_of(body, place), 0);
}

int bodies_call(struct bodies *b, const struct dwarf_target *site,
                const struct dwarf_target *callee, double share)
{
    uint32_t line = line_at(b, site), body = function_at(b, callee);
    uint32_t at;

    if (line == MAP_NOTHING || body == MAP_NOTHING)
        return 0;
    at = b->lines[line].call;
    while (at != NO_CALL && b->calls[at].callee != body)
        at = b->calls[at].next;
    if (at != NO_CALL) { /* several instructions of the line make this call */
        b->calls[at].share += share;
        return 0;
    }
    if (vec_grow(&b->calls, &b->call_room, b->call_count, sizeof *b->calls) !=
        0)
        return -1;
    b->calls[b->call_count] =
        (struct growing_call){body, b->lines[line].call, share};
    b->lines[line].call = (uint32_t)b->call_count++;
    return 0;
}

size_t bodies_bytes(const struct bodies *b)
{
    return b->room * sizeof *b->list + b->line_room * sizeof *b->lines +
           b->call_room * sizeof *b->calls + map_bytes(&b->by_place) +
           map_bytes(&b->by_line) + names_bytes(&b->names);
}

void bodies_fini(struct bodies *b)
{
    names_fini(&b->names);
    map_fini(&b->by_place);
    map_fini(&b->by_line);
    free(b->list);
    free(b->lines);
    free(b->calls);
}

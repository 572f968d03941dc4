/* SPDX-License-Identifier: BSD-2-Clause */
/* Code addresses -> functions. */
#include "view/code_frames_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/names/image_map.h"
#include "image/names/symbolize.h"
#include "model/sample_batch.h"
#include "util/vec.h"

/* This many addresses have frames in any case. */
#define FRAMES_LEAST 16u

static const char *const mark_names[VIEW_MARKS] = {
    [VIEW_UNCERTAIN] = "[caller?]",  [VIEW_IDLE] = "[idle]",
    [VIEW_LOST] = "[stack-lost]",    [VIEW_DEEPER] = "[deeper]",
    [VIEW_OTHERS] = "[others]",      [VIEW_LENT] = "[timer lent]",
    [VIEW_REST] = "[timer at rest]",
};

/* FNV-1a. A collision would only merge two functions or lines in reports. */
static uint64_t hash(const char *s)
{
    uint64_t h = 14695981039346656037u;

    for (; s != NULL && *s != '\0'; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h;
}

static int add_function(struct code_frames *p, const struct view_function *f)
{
    if (vec_grow(&p->functions, &p->function_room, p->function_count,
                 sizeof *p->functions) != 0)
        return -1;
    p->functions[p->function_count++] = *f;
    return 0;
}

struct code_frames *code_frames_new(const struct image_map *image_map,
                                    size_t most, size_t bytes)
{
    struct code_frames *p = calloc(1, sizeof *p);

    if (p == NULL)
        return NULL;
    p->image_map = image_map;
    p->most = most;
    p->bytes = bytes;
    for (size_t i = 0; i < VIEW_MARKS; i++) {
        struct view_function mark = {.name = mark_names[i]};

        if (add_function(p, &mark) != 0) {
            code_frames_free(p);
            return NULL;
        }
    }
    return p;
}

void code_frames_free(struct code_frames *p)
{
    if (p == NULL)
        return;
    map_fini(&p->by_pc);
    map_fini(&p->by_identity);
    map_fini(&p->by_line);
    free(p->functions);
    free(p->lines);
    free(p->frames);
    free(p->spans);
    free(p->pcs);
    free(p->missed);
    free(p->seen);
    arena_fini(&p->arena);
    free(p);
}

/* printf into the arena. NULL if there is no memory. */
static const char *print_name(struct code_frames *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static const char *print_name(struct code_frames *p, const char *fmt, ...)
{
    va_list args, again;

    va_start(args, fmt);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    char *text = length < 0 ? NULL : arena_alloc(&p->arena, (size_t)length + 1);

    if (text != NULL)
        (void)vsnprintf(text, (size_t)length + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

/* The name of function (name) of (image). Functions of other images than the
 * kernel's have the image's name added. */
static const char *name_in(struct code_frames *p,
                           const struct mapped_image *image, const char *name)
{
    return image->name == NULL ? name
                               : print_name(p, "%s [%s]", name, image->name);
}

/*
 * Returns the function of symbol (s) at (where). If (named) is false, the
 * symbol's name is already complete. If the file is unknown, equal names at
 * different addresses are different functions.
 */
static int function_of(struct code_frames *p, const struct image_address *where,
                       bool named, const struct symbol *s, uint32_t *out)
{
    uint64_t home = s->home != NULL ? hash(s->home) : s->start;
    uint32_t *number = map_put(&p->by_identity, (uintptr_t)s->function, home);

    if (number == NULL)
        return -1;
    if (*number == MAP_NOTHING) {
        struct view_function f = {
            .nameless = !named, .image = where->number, .home = s->home};

        f.name = named ? name_in(p, where->image, s->function) : s->function;
        if (f.name == NULL || add_function(p, &f) != 0)
            return -1;
        *number = (uint32_t)p->function_count - 1;
    }
    *out = *number;
    return 0;
}

static int line_of(struct code_frames *p, const struct symbol *s,
                   uint32_t function, uint32_t *out)
{
    uint64_t key = (uint64_t)function << 32 | s->line;
    uint32_t *number = map_put(&p->by_line, key, hash(s->file));

    if (number == NULL || vec_grow(&p->lines, &p->line_room, p->line_count,
                                   sizeof *p->lines) != 0)
        return -1;
    if (*number == MAP_NOTHING) {
        *number = (uint32_t)p->line_count++;
        p->lines[*number] = (struct view_line){
            .function = function, .number = s->line, .file = s->file};
    }
    *out = *number;
    return 0;
}

static int add_frame(struct code_frames *p, const struct image_address *where,
                     bool named, const struct symbol *s)
{
    struct code_frame frame = {.inlined = s->kind == SYMBOL_INLINED};

    if (vec_grow(&p->frames, &p->frame_room, p->frame_count,
                 sizeof *p->frames) != 0 ||
        function_of(p, where, named, s, &frame.function) != 0 ||
        line_of(p, s, frame.function, &frame.line) != 0)
        return -1;
    p->frames[p->frame_count++] = frame;
    return 0;
}

/* Add a function of its own for address (pc). The address is the name; in
 * another image than the kernel's, the address in its file. */
static int add_nameless(struct code_frames *p, uint64_t pc,
                        const struct image_address *where)
{
    const char *image = where->image->name;
    struct symbol s = {.start = pc, .size = 1};

    if (pc == LEAF_UNKNOWN)
        s.function = "[unknown]";
    else
        s.function = image == NULL ? print_name(p, "0x%" PRIx64, pc)
                                   : print_name(p, "%s+0x%" PRIx64, image,
                                                where->address);
    return s.function != NULL ? add_frame(p, where, false, &s) : -1;
}

static int add_frames(struct code_frames *p, const struct code_address *at)
{
    struct image_address where = image_map_find(p->image_map, at->pc);
    struct symbolizer *symbolizer = where.image->symbolizer;
    const struct symbol *s = NULL;

    if (symbolizer != NULL)
        s = at->call ? symbolize_call(symbolizer, where.address + 1)
                     : symbolize(symbolizer, where.address);
    if (s == NULL || s->kind == SYMBOL_ADDRESS)
        return add_nameless(p, at->pc, &where);
    for (size_t n = 1; s != NULL; s = s->inlined_into, n++) {
        /* keep the innermost frames, and the outermost, which is not inlined */
        if (n >= CODE_FRAMES_MAX && s->inlined_into != NULL)
            continue;
        if (add_frame(p, &where, true, s) != 0)
            return -1;
    }
    return 0;
}

size_t code_frames_function_count(const struct code_frames *p)
{
    return p->function_count;
}

/* Look up all addresses of (image) together, so that debug information is read
 * once. (room) has room for all addresses. */
static void prepare(struct code_frames *p, uint32_t image, uint64_t *room)
{
    struct symbolizer *s = image_map_image(p->image_map, image)->symbolizer;
    size_t n = 0;

    if (s == NULL)
        return;
    symbolizer_limit(s, p->bytes / image_map_count(p->image_map));
    for (size_t i = 0; i < p->span_count; i++) {
        struct image_address where = image_map_find(p->image_map, p->pcs[i].pc);

        if (where.number == image)
            room[n++] = where.address;
    }
    symbolizer_prepare(s, room, n);
}

/* Bytes that (p) takes. */
static size_t bytes_taken(const struct code_frames *p)
{
    return p->function_room * sizeof *p->functions +
           p->line_room * sizeof *p->lines + p->frame_room * sizeof *p->frames +
           p->span_room * sizeof *p->spans + p->pc_room * sizeof *p->pcs +
           p->missed_room * sizeof *p->missed + map_bytes(&p->by_pc) +
           map_bytes(&p->by_identity) + map_bytes(&p->by_line) +
           arena_bytes(&p->arena);
}

uint64_t code_frames_bytes(const struct code_frames *p)
{
    uint64_t bytes = bytes_taken(p);

    for (uint32_t i = 0; i < image_map_count(p->image_map); i++) {
        const struct mapped_image *image = image_map_image(p->image_map, i);

        if (image->symbolizer != NULL)
            bytes += symbolizer_bytes(image->symbolizer);
    }
    return bytes;
}

/* Forget the frames of all addresses. */
static void forget_frames(struct code_frames *p)
{
    map_fini(&p->by_identity);
    map_fini(&p->by_line);
    arena_fini(&p->arena);
    p->function_count = VIEW_MARKS;
    p->line_count = p->frame_count = 0;
}

/* Find the frames of all addresses. Returns 0; 1 if they take too many bytes;
 * -1 if there is no memory. */
static int find_frames(struct code_frames *p)
{
    uint64_t *room = calloc(p->span_count + 1, sizeof *room);

    if (room == NULL)
        return -1;
    for (uint32_t i = 0; i < image_map_count(p->image_map); i++)
        prepare(p, i, room);
    free(room);
    for (size_t i = 0; i < p->span_count; i++) {
        size_t first = p->frame_count;

        if (bytes_taken(p) > p->bytes && p->span_count > FRAMES_LEAST)
            return 1;
        if (add_frames(p, &p->pcs[i]) != 0)
            return -1;
        p->spans[i] = (struct frame_span){first, p->frame_count - first};
    }
    return 0;
}

/* A function and its old number. */
struct ranked_function {
    struct view_function function;
    uint32_t number;
};

static int by_name(const void *a, const void *b)
{
    const struct ranked_function *left = a, *right = b;
    int order = strcmp(left->function.name, right->function.name);

    /* equal names: in the order of the profile */
    return order != 0 ? order
                      : (left->number > right->number) -
                            (left->number < right->number);
}

/* Put the functions in the order of (ranks), and renumber references to
 * them. */
static void renumber(struct code_frames *p, const struct ranked_function *ranks,
                     uint32_t *now)
{
    for (uint32_t i = 0; i < p->function_count; i++) {
        p->functions[i] = ranks[i].function;
        now[ranks[i].number] = i;
    }
    for (size_t i = 0; i < p->frame_count; i++)
        p->frames[i].function = now[p->frames[i].function];
    for (size_t i = 0; i < p->line_count; i++)
        p->lines[i].function = now[p->lines[i].function];
}

/* Number the functions by name. */
static int rank_functions(struct code_frames *p)
{
    size_t n = p->function_count;
    struct ranked_function *ranks = calloc(n, sizeof *ranks);
    uint32_t *now = calloc(n, sizeof *now);
    int result = -1;

    if (ranks != NULL && now != NULL) {
        for (uint32_t i = 0; i < n; i++)
            ranks[i] = (struct ranked_function){p->functions[i], i};
        qsort(ranks + VIEW_MARKS, n - VIEW_MARKS, sizeof *ranks, by_name);
        renumber(p, ranks, now);
        result = 0;
    }
    free(ranks);
    free(now);
    return result;
}

int code_frames_finish(struct code_frames *p)
{
    int found;

    code_frames_note(p);
    while ((found = find_frames(p)) > 0) {
        forget_frames(p);
        if (code_frames_fold(p, p->span_count / 2) != 0)
            return -1;
    }
    return found == 0 ? rank_functions(p) : -1;
}

struct frames_at code_frames_get(const struct code_frames *p, uint64_t pc)
{
    static const struct code_frame others = {.function = VIEW_OTHERS};
    uint32_t number = map_get(&p->by_pc, pc, 0);

    if (number == MAP_NOTHING)
        return (struct frames_at){&others, 1, NULL};
    const struct frame_span *span = &p->spans[number];
    const struct hidden_callers *missed =
        code_frames_missed_of(p, &p->pcs[number]);

    if (span->count == 0)
        return (struct frames_at){&others, 1, missed};
    return (struct frames_at){p->frames + span->first, span->count, missed};
}

void code_frames_line(const struct code_frames *p, uint32_t line,
                      const char **file, uint32_t *number)
{
    *file = p->lines[line].file;
    *number = p->lines[line].number;
}

void code_frames_charge(struct code_frames *p, uint32_t line, double time,
                        bool self)
{
    *(self ? &p->lines[line].self : &p->lines[line].calls) += time;
}

void code_frames_busy(struct code_frames *p, uint32_t line, double time,
                      double time_sq)
{
    p->lines[line].busy += time;
    p->lines[line].busy_sq += time_sq;
}

const struct view_line *code_frames_lines(const struct code_frames *p,
                                          size_t *count)
{
    *count = p->line_count;
    return p->lines;
}

struct view_function *code_frames_function(struct code_frames *p,
                                           uint32_t function)
{
    return &p->functions[function];
}

/* Does line (a) have more time than (b)? */
static bool hotter(const struct view_line *a, const struct view_line *b)
{
    if (a->self != b->self)
        return a->self > b->self;
    if (a->calls != b->calls)
        return a->calls > b->calls;
    return a->number < b->number;
}

const struct view_function *code_frames_functions(struct code_frames *p,
                                                  size_t *count)
{
    const struct view_line **best = calloc(p->function_count, sizeof(void *));

    if (best == NULL)
        return NULL;
    for (size_t i = 0; i < p->line_count; i++) {
        const struct view_line *line = &p->lines[i];
        const struct view_line **old = &best[line->function];

        if (line->number != 0 && (*old == NULL || hotter(line, *old)))
            *old = line;
    }
    for (size_t i = 0; i < p->function_count; i++) {
        if (best[i] != NULL) {
            p->functions[i].file = best[i]->file;
            p->functions[i].line = best[i]->number;
        }
    }
    free(best);
    *count = p->function_count;
    return p->functions;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Combines symbol table and DWARF into one answer, and keeps the answer. */
#include "image/names/symbolize.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "image/code/uncalled.h"
#include "image/dwarf/dwarf.h"
#include "image/file/image.h"
#include "image/names/names.h"
#include "image/names/pascal.h"
#include "util/arena.h"
#include "util/pair_map.h"
#include "util/vec.h"

#define BYTES_MAX ((size_t)1 << 30)

struct symbolizer {
    struct image *img;   /* NULL: answers come from symbolizer_learn() */
    struct dwarf *dwarf; /* NULL until needed, and if there is none */
    bool dwarf_tried;
    uint64_t slide;
    struct pair_map by_pc; /* (pc, 0) -> index in answers */
    const struct symbol **answers;
    size_t count, room;
    struct names names;
    struct arena arena; /* the symbols */
    size_t bytes_max;
};

struct symbolizer *symbolizer_new(struct image *img, uint64_t slide)
{
    struct symbolizer *s = calloc(1, sizeof *s);

    if (s != NULL) {
        s->img = img;
        s->slide = slide;
        s->bytes_max = BYTES_MAX;
    }
    return s;
}

size_t symbolizer_bytes(const struct symbolizer *s)
{
    /* of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    return s->room * sizeof *s->answers + map_bytes(&s->by_pc) +
           names_bytes(&s->names) + arena_bytes(&s->arena);
}

void symbolizer_limit(struct symbolizer *s, size_t bytes)
{
    s->bytes_max = bytes;
}

void symbolizer_forget(struct symbolizer *s)
{
    names_fini(&s->names);
    arena_fini(&s->arena);
    map_fini(&s->by_pc);
    free(s->answers);
    s->answers = NULL;
    s->count = s->room = 0;
}

void symbolizer_free(struct symbolizer *s)
{
    if (s == NULL)
        return;
    dwarf_close(s->dwarf);
    symbolizer_forget(s);
    free(s);
}

static const struct symbol *recall(const struct symbolizer *s, uint64_t pc)
{
    uint32_t answer = map_get(&s->by_pc, pc, 0);

    return answer != MAP_NOTHING ? s->answers[answer] : NULL;
}

/* Keep the answer. Returns 0; -1 if there is no memory. */
static int remember(struct symbolizer *s, uint64_t pc,
                    const struct symbol *symbol)
{
    uint32_t *answer;

    /* of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    if (vec_grow(&s->answers, &s->room, s->count, sizeof *s->answers) != 0)
        return -1;
    answer = map_put(&s->by_pc, pc, 0);
    if (answer == NULL)
        return -1;
    *answer = (uint32_t)s->count;
    s->answers[s->count++] = symbol;
    return 0;
}

/* The displayed form of (text); NULL if (text) is NULL, or if there is no
 * memory. */
static const char *shown_name(struct symbolizer *s, const char *text)
{
    return text != NULL ? names_get(&s->names, text) : NULL;
}

/* Does (whole) contain (part), regardless of case? Symbols of Pascal are in
 * capitals. */
static bool contains(const char *whole, const char *part)
{
    size_t len = strlen(part);

    for (; *whole != '\0'; whole++) {
        if (strncasecmp(whole, part, len) == 0)
            return true;
    }
    return false;
}

/* Is (whole) equal to (part) with a suffix of the compiler, such as
 * ".isra.0"? */
static bool is_clone(const char *whole, const char *part)
{
    size_t len = strlen(part);

    return strncmp(whole, part, len) == 0 &&
           (whole[len] == '\0' || whole[len] == '.');
}

/*
 * Choose between the names of DWARF and of the symbol table. DWARF gives clones
 * and cold parts the name of their function. Only the symbol table has the
 * scope of Pascal's functions and of static C++ functions, whose symbols
 * contain DWARF's name. If a symbol does not contain DWARF's name, it is an
 * alias.
 */
static const char *outermost_name(struct symbolizer *s,
                                  const struct dwarf_frame *f)
{
    const struct image_function *elf = image_find_function(s->img, f->low);

    if (f->name == NULL)
        return elf != NULL ? elf->name : NULL;
    if (f->linkage || elf == NULL || elf->start != f->low ||
        is_clone(elf->name, f->name) || !contains(elf->name, f->name))
        return f->name;
    return elf->name;
}

static bool fill_address(struct symbolizer *s, struct symbol *out, uint64_t pc)
{
    char text[2 + 16 + 1];

    (void)snprintf(text, sizeof text, "0x%" PRIx64, pc);
    out->function = names_get(&s->names, text);
    out->kind = SYMBOL_ADDRESS;
    out->start = pc;
    out->size = 1;
    return out->function != NULL;
}

static void set_extent(struct symbolizer *s, struct symbol *out,
                       const struct dwarf_target *t)
{
    const struct image_function *elf = image_find_function(s->img, t->address);
    const struct dwarf_frame *f = t->frames;

    if (elf != NULL) {
        out->start = elf->start + s->slide;
        out->size = elf->size;
        return;
    }
    while (f->outer != NULL)
        f = f->outer;
    out->start = f->low + s->slide;
    out->size = f->size;
}

/* Fill in the symbols of (t)'s chain from scope (f) outward. */
static bool fill_frames(struct symbolizer *s, struct symbol *out,
                        const struct dwarf_target *t)
{
    const char *file = t->file;
    uint32_t line = t->line;

    for (const struct dwarf_frame *f = t->frames; f != NULL; f = f->outer) {
        struct symbol *outer = NULL;
        const char *name = f->outer != NULL ? f->name : outermost_name(s, f);
        const struct pascal_hint hint = {f->name, file};

        if (f->outer != NULL) {
            outer = arena_alloc(&s->arena, sizeof *outer);
            if (outer == NULL)
                return false;
        }
        out->function = name == f->name
                            ? shown_name(s, name != NULL ? name : "(nameless)")
                            : names_get_with(&s->names, name, &hint);
        out->file = shown_name(s, file);
        out->home = f->home != NULL ? shown_name(s, f->home) : out->file;
        out->line = line;
        out->kind = f->outer != NULL ? SYMBOL_INLINED : SYMBOL_DWARF;
        out->inlined_into = outer;
        set_extent(s, out, t);
        if (out->function == NULL)
            return false;
        file = f->file;
        line = f->line;
        out = outer;
    }
    return true;
}

static bool fill_elf(struct symbolizer *s, struct symbol *out,
                     const struct dwarf_target *t)
{
    const struct image_function *f = image_find_function(s->img, t->address);

    if (f == NULL)
        f = image_find_variable(s->img, t->address);
    if (f == NULL)
        return fill_address(s, out, t->address + s->slide);
    out->function = shown_name(s, f->name);
    out->file = shown_name(s, t->file);
    out->home = out->file;
    out->line = t->line;
    out->kind = SYMBOL_ELF;
    out->start = f->start + s->slide;
    out->size = f->size;
    return out->function != NULL;
}

/* Copy (told) to (out), with escaped strings. */
static bool copy_symbol(struct symbolizer *s, struct symbol *out,
                        const struct symbol *told)
{
    *out = *told;
    out->function = names_keep(&s->names, told->function);
    if (told->file != NULL)
        out->file = names_keep(&s->names, told->file);
    if (told->home != NULL)
        out->home = names_keep(&s->names, told->home);
    return out->function != NULL;
}

int symbolizer_learn(struct symbolizer *s, uint64_t pc,
                     const struct symbol *answer)
{
    struct symbol *out = arena_alloc(&s->arena, sizeof *out), *first = out;

    for (; out != NULL; answer = answer->inlined_into) {
        struct symbol *outer = NULL;

        if (!copy_symbol(s, out, answer))
            return -1;
        if (answer->inlined_into == NULL)
            return remember(s, pc, first);
        outer = arena_alloc(&s->arena, sizeof *outer);
        out->inlined_into = outer;
        out = outer;
    }
    return -1;
}

/* Make a symbol for (t); NULL if there is no memory. */
static const struct symbol *symbol_of(struct symbolizer *s,
                                      const struct dwarf_target *t)
{
    struct symbol *out = arena_alloc(&s->arena, sizeof *out);

    if (out == NULL)
        return NULL;
    if (t->frames != NULL ? fill_frames(s, out, t) : fill_elf(s, out, t))
        return out;
    return NULL;
}

static int by_address(const void *x, const void *y)
{
    const struct dwarf_target *a = x, *b = y;

    return a->address < b->address ? -1 : a->address > b->address;
}

/* Collect the addresses of (pcs) that have no answer yet: once each, sorted, at
 * link time. */
static size_t new_targets(const struct symbolizer *s, struct dwarf_target *t,
                          const uint64_t *pcs, size_t n)
{
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (recall(s, pcs[i]) == NULL)
            t[count++] = (struct dwarf_target){.address = pcs[i] - s->slide};
    }
    qsort(t, count, sizeof *t, by_address);
    for (size_t i = 0; i < count; i++) {
        const struct image_function *f;

        if (kept != 0 && t[kept - 1].address == t[i].address)
            continue;
        f = image_find_function(s->img, t[i].address);
        t[i].in_function = f != NULL && f->sized;
        t[kept++] = t[i];
    }
    return kept;
}

static void resolve(struct symbolizer *s, struct dwarf_target *t, size_t n)
{
    if (!s->dwarf_tried) {
        s->dwarf_tried = true;
        s->dwarf = dwarf_open(s->img);
    }
    if (s->dwarf != NULL)
        dwarf_resolve(s->dwarf, t, n);
    for (size_t i = 0; i < n && symbolizer_bytes(s) < s->bytes_max; i++) {
        const struct symbol *symbol = symbol_of(s, &t[i]);

        if (symbol == NULL || remember(s, t[i].address + s->slide, symbol) != 0)
            return;
    }
}

void symbolizer_prepare(struct symbolizer *s, const uint64_t *pcs, size_t n)
{
    struct dwarf_target *t;

    if (n == 0 || s->img == NULL || symbolizer_bytes(s) >= s->bytes_max)
        return;
    t = calloc(n, sizeof *t);
    if (t == NULL)
        return;
    resolve(s, t, new_targets(s, t, pcs, n));
    free(t);
}

const struct symbol *symbolize(struct symbolizer *s, uint64_t pc)
{
    static const struct symbol unknown = {.function = "?", .size = 1};
    const struct symbol *found = recall(s, pc);
    struct symbol *out;

    if (found == NULL) {
        symbolizer_prepare(s, &pc, 1);
        found = recall(s, pc);
    }
    if (found != NULL)
        return found;
    if (symbolizer_bytes(s) >= s->bytes_max)
        return &unknown;
    out = arena_alloc(&s->arena, sizeof *out);
    if (out == NULL || !fill_address(s, out, pc) || remember(s, pc, out) != 0)
        return &unknown;
    return out;
}

const struct symbol *symbolize_call(struct symbolizer *s, uint64_t back)
{
    const struct symbol *before = symbolize(s, back - 1), *laid;

    if (before->kind != SYMBOL_ADDRESS || s->img == NULL ||
        uncalled_function(s->img, back - s->slide) == NULL)
        return before;
    laid = symbolize(s, back);
    while (laid->inlined_into != NULL)
        laid = laid->inlined_into;
    return laid->kind != SYMBOL_ADDRESS ? laid : before;
}

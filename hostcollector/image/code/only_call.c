/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds functions that are entered by one call instruction only. */
#include "image/code/only_call.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image/file/image.h"
#include "util/cpu/cpu.h"

#define OVERLAP_MAX 4u /* functions are nested, but not much */

/* Entries into a function. All calls are decoded, and all groups of four bytes
 * that may refer to a function are counted. If a function has one reference and
 * one call, the call is its only entry. */
struct call_entry {
    uint64_t back;  /* return address of a call to the function; 0: none */
    uint32_t named; /* number of relative references to its start in code */
    bool open;      /* may be entered in other ways */
    bool stored;    /* its address is stored somewhere */
};

struct only_calls {
    const struct image *img;
    const struct image_function *functions; /* the first of them */
    struct call_entry *entries;             /* one for each */
    struct image_part frames; /* .eh_frame, which names every function */
    size_t count;
    /* references of the CPU's code are found; otherwise any function may be
     * entered in other ways than by a call */
    bool refers_by_words;
};

static struct call_entry *entry_of(const struct only_calls *c,
                                   const struct image_function *f)
{
    return &c->entries[f - c->functions];
}

/* The function that begins at (address), or NULL. Few functions lie between the
 * first and the last function that begins there, so this is quick. */
static const struct image_function *begins_at(const struct only_calls *c,
                                              uint64_t address)
{
    const struct image_function *f;

    if (address < c->functions[0].start ||
        address > c->functions[c->count - 1].start)
        return NULL;
    f = image_find_function(c->img, address);
    return f != NULL && f->start == address ? f : NULL;
}

/* Note that control may reach (address) in other ways than by a call. */
static void open_at(struct only_calls *c, uint64_t address)
{
    const struct image_function *f = image_find_function(c->img, address);

    if (f != NULL)
        entry_of(c, f)->open = true;
}

static void note_call(struct only_calls *c, uint64_t target, uint64_t back)
{
    const struct image_function *f = begins_at(c, target);

    if (f == NULL)
        open_at(c, target);
    else
        entry_of(c, f)->back = back;
}

/* Note the calls and jumps out of function (f). */
static void sweep(struct only_calls *c, const struct image_function *f)
{
    size_t have, len = 1;
    const uint8_t *code = image_code(c->img, f->start, &have);
    bool goes_on = true;

    if (code == NULL || have < f->size)
        return;
    for (size_t at = 0; at < f->size && len != 0; at += len) {
        struct insn in;
        uint64_t target;

        len = image_cpu(c->img)->decode(code + at, (size_t)f->size - at, &in);
        target = f->start + at + len + (uint64_t)in.value;
        if (len == 0 || in.kind == INSN_NOP)
            continue;
        goes_on = in.kind != INSN_RETURN && in.kind != INSN_JUMP &&
                  in.kind != INSN_JUMP_AWAY && in.kind != INSN_TRAP &&
                  in.kind != INSN_CALL;
        if (in.kind == INSN_CALL && in.value != 0)
            note_call(c, target, f->start + at + len);
        if ((in.kind == INSN_JUMP || in.kind == INSN_BRANCH) &&
            target - f->start >= f->size)
            open_at(c, target);
    }
    /* (len) is 0 if the rest was not read */
    if (goes_on || len == 0)
        open_at(c, f->start + f->size);
}

/* Note the function whose start the four bytes at (p) name, if one does.
 * (address) is where the bytes are loaded. */
static void look_for_addresses(struct only_calls *c, const uint8_t *p,
                               uint64_t address, bool is_code)
{
    uint64_t high = c->functions[0].start & ~(uint64_t)UINT32_MAX;
    const struct image_function *f;
    uint32_t value;

    memcpy(&value, p, sizeof value); /* little-endian, like us */
    f = begins_at(c, high | value);
    if (f != NULL)
        entry_of(c, f)->open = entry_of(c, f)->stored = true;
    /* an entry of a table of distances: "f - ." */
    f = begins_at(c, address + (uint64_t)(int64_t)(int32_t)value);
    if (f != NULL && address % 4 == 0 &&
        address - c->frames.address >= c->frames.size)
        entry_of(c, f)->open = true;
    /* Skip a value of 0. It has one of two causes. An instruction may end at
     * the function's start, so that it falls or jumps into the function:
     * sweep() finds these. Or the bytes are padding. */
    if (!is_code || value == 0)
        return;
    f = begins_at(c, address + 4 + (uint64_t)(int64_t)(int32_t)value);
    if (f != NULL)
        entry_of(c, f)->named++;
}

static void look_at_all(struct only_calls *c)
{
    const struct image_text *s;

    for (size_t i = 0; (s = image_segment(c->img, i)) != NULL; i++) {
        bool is_code = image_text_at(c->img, i) == s;

        for (size_t at = 0; at + 4 <= s->bytes_len; at++)
            look_for_addresses(c, s->bytes + at, s->address + at, is_code);
    }
}

/* Sweep all functions. Returns -1 if they overlap so much that the sweep could
 * take very long. */
static int sweep_all(struct only_calls *c)
{
    const struct image_text *s;
    uint64_t room = 0;

    for (size_t i = 0; (s = image_text_at(c->img, i)) != NULL; i++)
        room += OVERLAP_MAX * s->bytes_len;
    for (size_t i = 0; i < c->count; i++) {
        if (c->functions[i].size > room)
            return -1;
        room -= c->functions[i].size;
        sweep(c, &c->functions[i]);
    }
    return 0;
}

/* Have all functions the same high half of their address? Only low halves are
 * compared. */
static bool is_near(const struct only_calls *c)
{
    return c->count != 0 && c->functions[0].start >> 32 ==
                                c->functions[c->count - 1].start >> 32;
}

struct only_calls *only_calls_new(const struct image *img)
{
    struct only_calls *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->img = img;
    c->functions = image_function_at(img, 0);
    while (image_function_at(img, c->count) != NULL)
        c->count++;
    /* the exports of a PE image are distances from its base */
    if (!is_near(c) || image_is_pe(img))
        c->count = 0;
    c->entries = calloc(c->count + 1, sizeof *c->entries);
    if (c->entries == NULL) {
        free(c);
        return NULL;
    }
    if (c->count != 0 && sweep_all(c) == 0) {
        c->refers_by_words = image_cpu(img)->refers_by_words;
        c->frames = image_section_part(img, ".eh_frame");
        if (c->refers_by_words)
            look_at_all(c);
        open_at(c, image_entry(img));
    } else {
        c->count = 0;
    }
    return c;
}

void only_calls_free(struct only_calls *c)
{
    if (c == NULL)
        return;
    free(c->entries);
    free(c);
}

bool only_call_stored(const struct only_calls *c, uint64_t address)
{
    const struct image_function *f =
        c->count != 0 ? image_find_function(c->img, address) : NULL;

    return f != NULL && (entry_of(c, f)->stored || !c->refers_by_words);
}

bool only_call_any(const struct only_calls *c, uint64_t address)
{
    const struct image_function *f =
        c->count != 0 ? image_find_function(c->img, address) : NULL;

    return f != NULL && entry_of(c, f)->back != 0;
}

uint64_t only_call_return(const struct only_calls *c, uint64_t address)
{
    const struct image_function *f =
        c->count != 0 ? image_find_function(c->img, address) : NULL;
    const struct call_entry *e = f != NULL ? entry_of(c, f) : NULL;

    return e != NULL && c->refers_by_words && f->sized && !e->open &&
                   e->named == 1
               ? e->back
               : 0;
}

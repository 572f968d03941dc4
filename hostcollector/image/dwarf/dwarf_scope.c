/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the function and the inlined calls that hold an address. */
#include "image/dwarf/constants.h"
#include "image/dwarf/unit.h"

#include "image/file/image.h"
#include "util/bounds.h"

/* Limit of the frames of a chain. No compiler makes a longer chain. Of a longer
 * chain the outermost frames are kept. */
#define MAX_FRAMES 128u

/* A walk over the DIEs of a unit, in file order. */
struct walk {
    struct dwarf *d;
    struct dwarf_unit *u;
    const struct abbrevs *abbrevs;
    const struct targets *targets;
    struct cursor c;
    /* visit all DIEs, because functions may be nested anywhere */
    bool thorough;
    unsigned depth;      /* open parents */
    unsigned skip_below; /* depth from which DIEs are skipped; 0: none */
};

size_t targets_from(const struct targets *t, uint64_t address)
{
    return address == 0 ? 0
                        : upper_bound(t->list, t->count, sizeof *t->list,
                                      offsetof(struct dwarf_target, address),
                                      address - 1);
}

static unsigned chain_length(const struct dwarf_frame *f)
{
    unsigned n = 0;

    for (; f != NULL; f = f->outer)
        n++;
    return n;
}

/* Add (die), which holds target (t), to the front of the target's chain. */
static bool push_frame(struct walk *w, struct dwarf_target *t,
                       const struct die *die, uint64_t low, uint64_t high)
{
    struct dwarf_frame *f;

    if (!dwarf_charge(w->d, 16))
        return false;
    /* a function that Pascal nests in another is not inlined */
    if (die->tag == DW_TAG_subprogram)
        t->frames = NULL;
    else if (t->frames == NULL || t->frames->die == die->offset ||
             chain_length(t->frames) >= MAX_FRAMES)
        return true;
    f = arena_alloc(&w->d->arena, sizeof *f);
    if (f == NULL)
        return false;
    f->die = die->offset;
    f->low = low;
    f->size = high - low;
    if (t->frames != NULL) {
        f->call_file = die_has(die, SLOT_CALL_FILE) ? die->value[SLOT_CALL_FILE]
                                                    : UINT64_MAX;
        f->line = die_has(die, SLOT_CALL_LINE)
                      ? (uint32_t)die->value[SLOT_CALL_LINE]
                      : 0;
        f->discriminator = die_has(die, SLOT_DISCRIMINATOR)
                               ? (uint32_t)die->value[SLOT_DISCRIMINATOR]
                               : 0;
    }
    f->outer = t->frames;
    t->frames = f;
    return true;
}

/*
 * Add (die) to the frames of the targets in its code, unless (die) is a lexical
 * block. Returns whether there are such targets. (*code) is whether (die) has
 * code.
 */
static bool match(struct walk *w, const struct die *die, bool *code)
{
    struct ranges r;
    const uint8_t *start;
    uint64_t low, high, first_low = 0, first_high = 0;
    bool hit = false;

    *code = ranges_open(&r, w->d, w->u, die);
    if (!*code)
        return false;
    start = r.c.at;
    while (ranges_next(&r, &low, &high)) {
        size_t i = targets_from(w->targets, low);

        if (first_high == 0) { /* the first range holds the entry point */
            first_low = low;
            first_high = high;
        }
        for (; i < w->targets->count; i++) {
            if (w->targets->list[i].address >= high)
                break;
            hit = true;
            if (die->tag != DW_TAG_lexical_block &&
                !push_frame(w, &w->targets->list[i], die, first_low,
                            first_high))
                return true;
        }
    }
    (void)dwarf_charge(w->d, (uint64_t)(r.c.at - start));
    return hit;
}

/* Skip the children of (die), by its sibling attribute or by counting depth. */
static void skip_children(struct walk *w, const struct die *die)
{
    uint64_t at = (uint64_t)(w->c.at - w->d->info.at);
    uint64_t sibling = die_reference(w->u, die, SLOT_SIBLING);

    if (!die->children)
        return;
    if (sibling > at && sibling < w->u->end) {
        w->c.at = w->d->info.at + sibling;
        return;
    }
    w->depth++;
    w->skip_below = w->depth;
}

static void look_at_die(struct walk *w, const struct abbrev *ab,
                        uint64_t offset)
{
    struct die die;
    bool hit, code;

    die.offset = offset;
    die_read(w->d, &w->c, w->u, w->abbrevs, ab, &die);
    switch (ab->tag) {
    case DW_TAG_compile_unit:
    case DW_TAG_partial_unit:
    case DW_TAG_namespace:
    case DW_TAG_module:
        hit = true;
        break;
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
        hit = match(w, &die, &code);
        break;
    case DW_TAG_lexical_block:
        hit = match(w, &die, &code) || !code;
        break;
    default:
        hit = false;
    }
    if (!hit && !w->thorough)
        skip_children(w, &die);
    else if (die.children)
        w->depth++;
}

/* Read one DIE, or the zero that ends a list of siblings. False at the end. */
static bool next_die(struct walk *w)
{
    uint64_t offset = (uint64_t)(w->c.at - w->d->info.at);
    uint64_t code = cursor_uleb(&w->c);
    const struct abbrev *ab;

    if (code == 0) {
        if (w->depth > 0)
            w->depth--;
        if (w->depth < w->skip_below)
            w->skip_below = 0;
        return w->depth > 0;
    }
    ab = abbrevs_find(w->abbrevs, code);
    if (ab == NULL) {
        cursor_fail(&w->c);
        return false;
    }
    if (w->skip_below != 0 ||
        (!w->thorough && !ab->children && ab->tag != DW_TAG_subprogram &&
         ab->tag != DW_TAG_inlined_subroutine)) {
        die_skip(&w->c, w->u, w->abbrevs, ab);
        if (ab->children)
            w->depth++;
    } else {
        look_at_die(w, ab, offset);
    }
    return w->depth > 0;
}

static bool walk_unit(struct walk *w)
{
    w->c = cursor_at(w->d->info.at, w->u->end, w->u->dies);
    w->depth = 0;
    w->skip_below = 0;
    if (!dwarf_charge(w->d, cursor_left(&w->c)))
        return false;
    while (next_die(w) && w->d->budget != 0)
        ;
    return !w->c.bad;
}

/* Is there a target in a function that the walk has not found? */
static bool missed_any(const struct targets *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->list[i].in_function && t->list[i].frames == NULL)
            return true;
    }
    return false;
}

bool scopes_resolve(struct dwarf *d, struct dwarf_unit *u,
                    const struct targets *t)
{
    struct walk w = {.d = d, .u = u, .targets = t};

    w.abbrevs = dwarf_abbrevs(d, u);
    if (w.abbrevs == NULL || !walk_unit(&w))
        return false;
    if (!missed_any(t))
        return true;
    /* Rust nests functions in types, Pascal in other functions */
    w.thorough = true;
    for (size_t i = 0; i < t->count; i++)
        t->list[i].frames = NULL;
    return walk_unit(&w);
}

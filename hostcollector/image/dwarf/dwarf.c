/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the compile unit of each address, and collects the unit's answers. */
#include "image/dwarf/dwarf.h"

#include <stdlib.h>

#include "image/dwarf/unit.h"
#include "image/file/image.h"
#include "util/bounds.h"

/* Limit of the chain from a function through its abstract origin to its
 * declaration. */
#define MAX_ORIGINS 8u
/* Limit of units that may claim an address; with more, the right unit is
 * missed. */
#define MAX_OVERLAP 16u

static struct dwarf_section get(const struct image *img, const char *name)
{
    struct dwarf_section s;

    s.at = image_section(img, name, &s.size);
    return s;
}

/* Limit the bytes that a batch reads. A good file needs each byte about once; a
 * hostile file may need more. */
static void set_budget(struct dwarf *d, size_t targets)
{
    d->budget = 4 * ((uint64_t)d->info.size + d->abbrev.size + d->line.size +
                     d->ranges.size + d->rnglists.size + d->aranges.size) +
                (1u << 20) + 4096 * (uint64_t)targets;
}

struct dwarf *dwarf_open(struct image *img)
{
    struct dwarf *d = calloc(1, sizeof *d);

    if (d == NULL)
        return NULL;
    d->img = img;
    d->info = get(img, ".debug_info");
    d->abbrev = get(img, ".debug_abbrev");
    d->line = get(img, ".debug_line");
    d->str = get(img, ".debug_str");
    d->line_str = get(img, ".debug_line_str");
    d->line_str_address = image_section_part(img, ".debug_line_str").address;
    d->ranges = get(img, ".debug_ranges");
    d->rnglists = get(img, ".debug_rnglists");
    d->aranges = get(img, ".debug_aranges");
    d->addr = get(img, ".debug_addr");
    d->str_offsets = get(img, ".debug_str_offsets");
    set_budget(d, 0);
    if (d->info.at == NULL || dwarf_units_read(d) != 0) {
        dwarf_close(d);
        return NULL;
    }
    return d;
}

void dwarf_close(struct dwarf *d)
{
    if (d == NULL)
        return;
    for (size_t i = 0; i < ABBREV_TABLES; i++) {
        free(d->abbrevs[i].list);
        free(d->abbrevs[i].specs);
    }
    arena_fini(&d->arena);
    free(d->map);
    free(d->units);
    free(d);
}

size_t dwarf_unit_of(const struct dwarf *d, uint64_t address)
{
    size_t low = upper_bound(d->map, d->map_count, sizeof *d->map,
                             offsetof(struct unit_range, low), address);

    for (size_t back = 0; back < MAX_OVERLAP && low > 0; back++) {
        if (address < d->map[--low].high)
            return d->map[low].unit;
    }
    return d->unit_count;
}

/* Name a frame along its origins: the linkage name if there is one, else the
 * plain name; the first file of a DIE in (unit); and the first line. */
static void name_frame(struct dwarf *d, const struct dwarf_unit *unit,
                       struct dwarf_frame *f)
{
    uint64_t offset = f->die;

    f->home_file = UINT64_MAX;
    for (unsigned i = 0; i < MAX_ORIGINS && offset != 0; i++) {
        struct dwarf_unit *u;
        struct die die;

        if (!die_at(d, offset, &die, &u))
            return;
        if (f->home_file == UINT64_MAX && u == unit &&
            die_has(&die, SLOT_DECL_FILE))
            f->home_file = die.value[SLOT_DECL_FILE];
        if (f->home_line == 0 && die_has(&die, SLOT_DECL_LINE))
            f->home_line = (uint32_t)die.value[SLOT_DECL_LINE];
        if (!f->linkage && die_has(&die, SLOT_LINKAGE_NAME)) {
            f->name = die_string(d, u, &die, SLOT_LINKAGE_NAME);
            f->linkage = true;
        }
        if (f->linkage && f->home_line != 0)
            return;
        if (f->name == NULL)
            f->name = die_string(d, u, &die, SLOT_NAME);
        offset = die_reference(u, &die, SLOT_ORIGIN);
    }
}

static void resolve_in_unit(struct dwarf *d, struct dwarf_unit *u,
                            const struct targets *t)
{
    bool good;

    if (u->bad)
        return;
    good = scopes_resolve(d, u, t);
    for (size_t i = 0; i < t->count; i++) {
        for (struct dwarf_frame *f = t->list[i].frames; f != NULL; f = f->outer)
            name_frame(d, u, f);
    }
    if (!good || !lines_resolve(d, u, t)) {
        image_add_flaw(d->img, IMAGE_BAD_DEBUG);
        u->bad = true; /* do not try to read the unit again */
    }
}

static int by_unit(const void *x, const void *y)
{
    const struct dwarf_target *a = x, *b = y;

    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

void dwarf_resolve(struct dwarf *d, struct dwarf_target *t, size_t n)
{
    arena_fini(&d->arena);
    set_budget(d, n);
    for (size_t i = 0; i < n; i++)
        t[i].unit = dwarf_unit_of(d, t[i].address);
    qsort(t, n, sizeof *t, by_unit);
    for (size_t i = 0, next; i < n && t[i].unit < d->unit_count; i = next) {
        for (next = i; next < n && t[next].unit == t[i].unit;)
            next++;
        resolve_in_unit(d, &d->units[t[i].unit],
                        &(struct targets){&t[i], next - i});
    }
}

size_t dwarf_unit_count(const struct dwarf *d)
{
    return d->unit_count;
}

struct dwarf_about dwarf_unit_about(const struct dwarf *d, size_t unit)
{
    const struct dwarf_unit *u = &d->units[unit];

    return (struct dwarf_about){u->name, u->producer, u->language,
                                u->discriminated};
}

bool dwarf_range(const struct dwarf *d, size_t i, struct span *out,
                 size_t *unit)
{
    if (i >= d->map_count)
        return false;
    *out = (struct span){d->map[i].low, d->map[i].high};
    *unit = d->map[i].unit;
    return true;
}

void dwarf_unit_lines(struct dwarf *d, size_t unit, struct spans *out)
{
    if (!lines_cover(d, &d->units[unit], out))
        image_add_flaw(d->img, IMAGE_BAD_DEBUG);
}

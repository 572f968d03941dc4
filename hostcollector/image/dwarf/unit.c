/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the units of .debug_info, and maps code to units. */
#include "image/dwarf/unit.h"

#include <stdlib.h>

#include "image/dwarf/constants.h"
#include "image/file/image.h"
#include "util/bounds.h"
#include "util/vec.h"

bool dwarf_charge(struct dwarf *d, uint64_t bytes)
{
    if (bytes > d->budget) {
        d->budget = 0;
        image_add_flaw(d->img, IMAGE_BAD_DEBUG);
        return false;
    }
    d->budget -= bytes;
    return true;
}

static enum slot slot_of(uint64_t attribute)
{
    switch (attribute) {
    case DW_AT_name:
        return SLOT_NAME;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        return SLOT_LINKAGE_NAME;
    case DW_AT_abstract_origin:
    case DW_AT_specification:
        return SLOT_ORIGIN;
    case DW_AT_low_pc:
        return SLOT_LOW_PC;
    case DW_AT_high_pc:
        return SLOT_HIGH_PC;
    case DW_AT_ranges:
        return SLOT_RANGES;
    case DW_AT_call_file:
        return SLOT_CALL_FILE;
    case DW_AT_call_line:
        return SLOT_CALL_LINE;
    case DW_AT_sibling:
        return SLOT_SIBLING;
    case DW_AT_stmt_list:
        return SLOT_STMT_LIST;
    case DW_AT_comp_dir:
        return SLOT_COMP_DIR;
    case DW_AT_str_offsets_base:
        return SLOT_STR_OFFSETS_BASE;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
        return SLOT_ADDR_BASE;
    case DW_AT_rnglists_base:
        return SLOT_RNGLISTS_BASE;
    case DW_AT_producer:
        return SLOT_PRODUCER;
    case DW_AT_language:
        return SLOT_LANGUAGE;
    case DW_AT_decl_file:
        return SLOT_DECL_FILE;
    case DW_AT_decl_line:
        return SLOT_DECL_LINE;
    case DW_AT_GNU_discriminator:
        return SLOT_DISCRIMINATOR;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
        return SLOT_DWO_NAME;
    default:
        return SLOT_NONE;
    }
}

/* The length of (form) in (u), or -1 if the length depends on the value. */
static int32_t form_size(const struct dwarf_unit *u, uint64_t form)
{
    static const uint8_t zeros[16]; /* no form of fixed size is longer */
    struct cursor c = {zeros, zeros + sizeof zeros, false};

    switch (form) {
    case DW_FORM_indirect:
    case DW_FORM_string:
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_exprloc:
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_rnglistx:
    case DW_FORM_loclistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
        return -1;
    default:
        (void)form_read(&c, u, form);
        return c.bad ? -1 : (int32_t)(c.at - zeros);
    }
}

/* Read the attributes of one abbreviation, up to the pair of zeros. */
static int read_specs(struct abbrevs *a, struct abbrev *ab, struct cursor *c,
                      const struct dwarf_unit *u)
{
    for (;;) {
        uint64_t attribute = cursor_uleb(c);
        uint64_t form = cursor_uleb(c);
        int64_t implicit = 0;
        int32_t size;

        if (form == DW_FORM_implicit_const)
            implicit = cursor_sleb(c);
        if (c->bad || (attribute == 0 && form == 0))
            return 0;
        if (vec_grow(&a->specs, &a->spec_room, a->spec_count,
                     sizeof *a->specs) != 0)
            return -1;
        a->specs[a->spec_count++] =
            (struct spec){implicit, (uint16_t)(form <= 0xffff ? form : 0xffff),
                          (uint16_t)slot_of(attribute)};
        ab->count++;
        size = form_size(u, form);
        if (size < 0 || ab->fixed_size > 1 << 20)
            ab->fixed_size = -1;
        else if (ab->fixed_size >= 0)
            ab->fixed_size += size;
    }
}

static int by_code(const void *x, const void *y)
{
    const struct abbrev *a = x, *b = y;

    return a->code < b->code ? -1 : a->code > b->code;
}

/* Read a table of abbreviations. Returns 0, also for a table that ends too
 * early; -1 if there is no memory. */
static int abbrevs_read(struct abbrevs *a, struct cursor *c,
                        const struct dwarf_unit *u)
{
    bool sorted = true;
    uint64_t code;

    a->count = 0;
    a->spec_count = 0;
    while ((code = cursor_uleb(c)) != 0) {
        struct abbrev ab = {.code = code, .first = (uint32_t)a->spec_count};
        uint64_t tag = cursor_uleb(c);

        ab.tag = (uint16_t)(tag <= 0xffff ? tag : 0xffff);
        ab.children = cursor_u8(c) != 0;
        if (c->bad)
            break;
        if (read_specs(a, &ab, c, u) != 0 ||
            vec_grow(&a->list, &a->room, a->count, sizeof *a->list) != 0)
            return -1;
        sorted = sorted && (a->count == 0 || a->list[a->count - 1].code < code);
        a->list[a->count++] = ab;
    }
    if (!sorted)
        qsort(a->list, a->count, sizeof *a->list, by_code);
    return 0;
}

const struct abbrevs *dwarf_abbrevs(struct dwarf *d, const struct dwarf_unit *u)
{
    struct abbrevs *a =
        &d->abbrevs[(u->abbrev_offset ^ u->abbrev_offset >> 6) % ABBREV_TABLES];
    struct cursor c = cursor_at(d->abbrev.at, d->abbrev.size, u->abbrev_offset);
    const uint8_t *start = c.at;

    if (a->filled && a->offset == u->abbrev_offset &&
        a->address_size == u->address_size &&
        a->offset_size == u->offset_size && a->version == u->version)
        return a;
    a->filled = false;
    if (abbrevs_read(a, &c, u) != 0 ||
        !dwarf_charge(d, (uint64_t)(c.at - start)))
        return NULL;
    a->filled = true;
    a->offset = u->abbrev_offset;
    a->address_size = u->address_size;
    a->offset_size = u->offset_size;
    a->version = u->version;
    return a;
}

const struct abbrev *abbrevs_find(const struct abbrevs *a, uint64_t code)
{
    size_t end;

    /* compilers number from 1 without gaps */
    if (code - 1 < a->count && a->list[code - 1].code == code)
        return &a->list[code - 1];
    end = upper_bound(a->list, a->count, sizeof *a->list,
                      offsetof(struct abbrev, code), code);
    return end != 0 && a->list[end - 1].code == code ? &a->list[end - 1] : NULL;
}

/* Keep the attributes of the root DIE that the rest of the unit needs. */
static void take_root(struct dwarf *d, struct dwarf_unit *u,
                      const struct die *die)
{
    u->has_lines = die_has(die, SLOT_STMT_LIST);
    u->lines = u->has_lines ? die->value[SLOT_STMT_LIST] : 0;
    if (die_has(die, SLOT_STR_OFFSETS_BASE))
        u->str_offsets_base = die->value[SLOT_STR_OFFSETS_BASE];
    if (die_has(die, SLOT_ADDR_BASE))
        u->addr_base = die->value[SLOT_ADDR_BASE];
    if (die_has(die, SLOT_RNGLISTS_BASE))
        u->rnglists_base = die->value[SLOT_RNGLISTS_BASE];
    u->low_pc = die_address(d, u, die, SLOT_LOW_PC);
    u->name = die_string(d, u, die, SLOT_NAME);
    u->comp_dir = die_string(d, u, die, SLOT_COMP_DIR);
    u->producer = die_string(d, u, die, SLOT_PRODUCER);
    u->language = die_has(die, SLOT_LANGUAGE) ? die->value[SLOT_LANGUAGE] : 0;
    if (die_has(die, SLOT_DWO_NAME))
        image_set_split(d->img, die_string(d, u, die, SLOT_DWO_NAME));
}

int dwarf_map_add(struct dwarf *d, uint64_t low, uint64_t high, size_t unit)
{
    if (vec_grow(&d->map, &d->map_room, d->map_count, sizeof *d->map) != 0)
        return -1;
    d->map[d->map_count++] = (struct unit_range){low, high, unit};
    return 0;
}

/* Add unit number (i), whose root DIE is (root), to the map. */
static int map_unit(struct dwarf *d, size_t i, const struct die *root)
{
    struct ranges r;
    uint64_t low, high;

    if (!ranges_open(&r, d, &d->units[i], root))
        return 0;
    while (ranges_next(&r, &low, &high)) {
        if (!dwarf_charge(d, 16))
            return 0;
        /* the linker leaves dropped code at address 0 */
        if (low != 0 && dwarf_map_add(d, low, high, i) != 0)
            return -1;
        d->units[i].placed |= low != 0;
    }
    return 0;
}

/* Read the header of a unit (7.5.1). False if the fields make no sense. */
static bool read_unit_header(struct cursor *c, struct dwarf_unit *u,
                             uint8_t *type)
{
    uint64_t length = cursor_u32(c);

    u->offset_size = 4;
    if (length == 0xffffffffu) {
        u->offset_size = 8;
        length = cursor_uint(c, 8);
    }
    if (c->bad || length > cursor_left(c))
        return false;
    c->end = c->at + length;
    *type = DW_UT_compile;
    u->version = (uint8_t)cursor_u16(c);
    if (u->version >= 5) {
        *type = cursor_u8(c);
        u->address_size = cursor_u8(c);
        u->abbrev_offset = cursor_uint(c, u->offset_size);
    } else {
        u->abbrev_offset = cursor_uint(c, u->offset_size);
        u->address_size = cursor_u8(c);
    }
    if (*type == DW_UT_skeleton || *type == DW_UT_split_compile)
        cursor_skip(c, 8); /* the id of the other half */
    /* after a first header */
    u->str_offsets_base = (uint64_t)2 * u->offset_size;
    u->addr_base = u->version >= 5 ? u->str_offsets_base : 0;
    return !c->bad && u->version >= 2 && u->version <= 5 &&
           (u->address_size == 4 || u->address_size == 8);
}

/* Add the unit whose first DIE is at (c), if it is a unit with code. */
static int add_unit(struct dwarf *d, struct dwarf_unit *u, uint8_t type)
{
    struct die root;
    struct dwarf_unit *self;

    if (vec_grow(&d->units, &d->unit_room, d->unit_count, sizeof *d->units) !=
        0)
        return -1;
    d->units[d->unit_count++] = *u;
    u = &d->units[d->unit_count - 1];
    if (type == DW_UT_type || type == DW_UT_split_type)
        return 0;
    if (!die_at(d, u->dies, &root, &self)) {
        image_add_flaw(d->img, IMAGE_BAD_DEBUG);
        return 0;
    }
    take_root(d, u, &root);
    return map_unit(d, d->unit_count - 1, &root);
}

static int by_low(const void *x, const void *y)
{
    const struct unit_range *a = x, *b = y;

    return a->low < b->low ? -1 : a->low > b->low;
}

int dwarf_units_read(struct dwarf *d)
{
    uint64_t at = 0;

    while (at < d->info.size) {
        struct cursor c = cursor_at(d->info.at, d->info.size, at);
        struct dwarf_unit u = {.offset = at};
        uint8_t type;

        if (!read_unit_header(&c, &u, &type)) {
            image_add_flaw(d->img, IMAGE_BAD_DEBUG);
            break;
        }
        u.dies = (uint64_t)(c.at - d->info.at);
        u.end = (uint64_t)(c.end - d->info.at);
        if (!dwarf_charge(d, 64) || add_unit(d, &u, type) != 0)
            break;
        at = u.end;
    }
    (void)dwarf_aranges_read(d); /* without memory the map has fewer units */
    if (d->map_count != 0)
        qsort(d->map, d->map_count, sizeof *d->map, by_low);
    return d->unit_count != 0 ? 0 : -1;
}

struct dwarf_unit *dwarf_unit_at(struct dwarf *d, uint64_t offset)
{
    size_t end = upper_bound(d->units, d->unit_count, sizeof *d->units,
                             offsetof(struct dwarf_unit, offset), offset);

    return end != 0 && offset < d->units[end - 1].end ? &d->units[end - 1]
                                                      : NULL;
}

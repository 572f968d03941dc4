/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads attributes of DIEs: the length and the meaning of each form (7.5.5). */
#include "image/dwarf/constants.h"
#include "image/dwarf/unit.h"

/* Skip a block or string. DW_FORM_string ends with a NUL; blocks begin with
 * their length. */
static void skip_block(struct cursor *c, unsigned length_size)
{
    cursor_skip(c, length_size != 0 ? cursor_uint(c, length_size)
                                    : cursor_uleb(c));
}

/* Read a rare form. Separate from form_read() to keep that function short. */
static uint64_t form_read_rare(struct cursor *c, const struct dwarf_unit *u,
                               uint64_t form)
{
    switch (form) {
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return cursor_uint(c, 3);
    case DW_FORM_data16:
        cursor_skip(c, 16);
        return 0;
    case DW_FORM_block1:
        skip_block(c, 1);
        return 0;
    case DW_FORM_block2:
        skip_block(c, 2);
        return 0;
    case DW_FORM_block4:
        skip_block(c, 4);
        return 0;
    case DW_FORM_ref_addr: /* as long as an address until DWARF 3 */
        return cursor_uint(c,
                           u->version == 2 ? u->address_size : u->offset_size);
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return cursor_uint(c, u->offset_size);
    default:
        cursor_fail(c); /* an unknown form has an unknown length */
        return 0;
    }
}

uint64_t form_read(struct cursor *c, const struct dwarf_unit *u, uint64_t form)
{
    switch (form) {
    case DW_FORM_addr:
        return cursor_uint(c, u->address_size);
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return cursor_uint(c, 1);
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return cursor_uint(c, 2);
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
        return cursor_uint(c, 4);
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return cursor_uint(c, 8);
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
        return cursor_uint(c, u->offset_size);
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_rnglistx:
    case DW_FORM_loclistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
        return cursor_uleb(c);
    case DW_FORM_sdata:
        return (uint64_t)cursor_sleb(c);
    case DW_FORM_exprloc:
    case DW_FORM_block:
        skip_block(c, 0);
        return 0;
    case DW_FORM_string:
        (void)cursor_string(c);
        return 0;
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return 0;
    default:
        return form_read_rare(c, u, form);
    }
}

void die_read(const struct dwarf *d, struct cursor *c,
              const struct dwarf_unit *u, const struct abbrevs *a,
              const struct abbrev *ab, struct die *die)
{
    die->tag = ab->tag;
    die->children = ab->children;
    die->have = 0;
    for (uint32_t i = 0; i < ab->count; i++) {
        const struct spec *spec = &a->specs[ab->first + i];
        const uint8_t *start = c->at;
        uint64_t form = spec->form;
        uint64_t value;

        if (form == DW_FORM_indirect) {
            form = cursor_uleb(c);
            start = c->at;
        }
        value = form_read(c, u, form);
        if (spec->slot == SLOT_NONE)
            continue;
        if (form == DW_FORM_implicit_const)
            value = (uint64_t)spec->implicit;
        else if (form == DW_FORM_string)
            value = (uint64_t)(start - d->info.at);
        die->have |= 1u << spec->slot;
        die->form[spec->slot] = (uint16_t)form;
        die->value[spec->slot] = value;
    }
    if (c->bad)
        die->have = 0;
}

void die_skip(struct cursor *c, const struct dwarf_unit *u,
              const struct abbrevs *a, const struct abbrev *ab)
{
    if (ab->fixed_size >= 0) {
        cursor_skip(c, (uint64_t)ab->fixed_size);
        return;
    }
    for (uint32_t i = 0; i < ab->count; i++) {
        uint64_t form = a->specs[ab->first + i].form;

        (void)form_read(c, u, form != DW_FORM_indirect ? form : cursor_uleb(c));
    }
}

/* A longer string counts as damage, because each of many units may refer to
 * it. */
#define MAX_STRING 32768u

static const char *string_at(const struct dwarf_section *s, uint64_t offset)
{
    struct cursor c = cursor_at(s->at, s->size, offset);

    if (cursor_left(&c) > MAX_STRING)
        c.end = c.at + MAX_STRING;
    return cursor_string(&c);
}

/* Look up a string by index (7.26): the unit's part of .debug_str_offsets holds
 * the offset in .debug_str. */
static const char *string_by_index(const struct dwarf *d,
                                   const struct dwarf_unit *u, uint64_t index)
{
    struct cursor c =
        cursor_at(d->str_offsets.at, d->str_offsets.size, u->str_offsets_base);

    if (index > cursor_left(&c) / u->offset_size)
        return NULL;
    cursor_skip(&c, index * u->offset_size);
    return string_at(&d->str, cursor_uint(&c, u->offset_size));
}

const char *form_string(const struct dwarf *d, const struct dwarf_unit *u,
                        const struct dwarf_section *inside, uint64_t form,
                        uint64_t value)
{
    switch (form) {
    case DW_FORM_string:
        return string_at(inside, value);
    case DW_FORM_strp:
        return string_at(&d->str, value);
    case DW_FORM_line_strp:
        /* lld-link puts an address there for clang 14, cut to the field's
         * size */
        if (value >= d->line_str.size)
            value = (uint32_t)(value - d->line_str_address);
        return string_at(&d->line_str, value);
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index:
        return string_by_index(d, u, value);
    default:
        return NULL;
    }
}

const char *die_string(const struct dwarf *d, const struct dwarf_unit *u,
                       const struct die *die, enum slot slot)
{
    return die_has(die, slot)
               ? form_string(d, u, &d->info, die->form[slot], die->value[slot])
               : NULL;
}

uint64_t unit_address(const struct dwarf *d, const struct dwarf_unit *u,
                      uint64_t index)
{
    struct cursor c = cursor_at(d->addr.at, d->addr.size, u->addr_base);

    if (index > cursor_left(&c) / u->address_size)
        return 0;
    cursor_skip(&c, index * u->address_size);
    return cursor_uint(&c, u->address_size);
}

uint64_t die_address(const struct dwarf *d, const struct dwarf_unit *u,
                     const struct die *die, enum slot slot)
{
    uint64_t value = die->value[slot];

    if (!die_has(die, slot))
        return 0;
    switch (die->form[slot]) {
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
        return unit_address(d, u, value);
    default:
        return value;
    }
}

uint64_t die_reference(const struct dwarf_unit *u, const struct die *die,
                       enum slot slot)
{
    if (!die_has(die, slot))
        return 0;
    switch (die->form[slot]) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
        return u->offset + die->value[slot];
    case DW_FORM_ref_addr:
        return die->value[slot];
    default:
        return 0; /* a type unit or another file, which hold no code */
    }
}

bool die_at(struct dwarf *d, uint64_t offset, struct die *die,
            struct dwarf_unit **u)
{
    const struct abbrevs *a;
    const struct abbrev *ab;
    struct cursor c;

    *u = dwarf_unit_at(d, offset);
    if (*u == NULL || offset < (*u)->dies || !dwarf_charge(d, 16))
        return false;
    a = dwarf_abbrevs(d, *u);
    if (a == NULL)
        return false;
    c = cursor_at(d->info.at, (*u)->end, offset);
    ab = abbrevs_find(a, cursor_uleb(&c));
    if (ab == NULL)
        return false;
    die->offset = offset;
    die_read(d, &c, *u, a, ab, die);
    return !c.bad;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the code ranges of a DIE. */
#include "image/dwarf/constants.h"
#include "image/dwarf/unit.h"

/* Is (form) an address? Otherwise high_pc is a length (since DWARF 4). */
static bool is_address(uint16_t form)
{
    switch (form) {
    case DW_FORM_addr:
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
        return true;
    default:
        return false;
    }
}

/* Find a list by its index in the table of offsets after the list's header. */
static uint64_t list_offset(const struct dwarf *d, const struct dwarf_unit *u,
                            uint16_t form, uint64_t value)
{
    struct cursor c;

    if (form != DW_FORM_rnglistx)
        return value;
    c = cursor_at(d->rnglists.at, d->rnglists.size, u->rnglists_base);
    if (value > cursor_left(&c) / u->offset_size)
        return UINT64_MAX;
    cursor_skip(&c, value * u->offset_size);
    return u->rnglists_base + cursor_uint(&c, u->offset_size);
}

bool ranges_open(struct ranges *r, const struct dwarf *d,
                 const struct dwarf_unit *u, const struct die *die)
{
    *r = (struct ranges){.d = d, .u = u, .base = u->low_pc};
    if (die_has(die, SLOT_RANGES)) {
        const struct dwarf_section *s =
            u->version >= 5 ? &d->rnglists : &d->ranges;

        r->kind = u->version >= 5 ? RANGES_V5 : RANGES_V4;
        r->c = cursor_at(
            s->at, s->size,
            list_offset(d, u, die->form[SLOT_RANGES], die->value[SLOT_RANGES]));
        return true;
    }
    if (!die_has(die, SLOT_LOW_PC) || !die_has(die, SLOT_HIGH_PC))
        return false;
    r->kind = RANGES_ONE;
    r->low = die_address(d, u, die, SLOT_LOW_PC);
    r->high = die_address(d, u, die, SLOT_HIGH_PC);
    if (!is_address(die->form[SLOT_HIGH_PC]))
        r->high += r->low;
    return true;
}

static bool next_v4(struct ranges *r, uint64_t *low, uint64_t *high)
{
    unsigned size = r->u->address_size;

    for (;;) {
        uint64_t a = cursor_uint(&r->c, size), b = cursor_uint(&r->c, size);

        if (r->c.bad || (a == 0 && b == 0))
            return false;
        if (a == (size == 8 ? UINT64_MAX : UINT32_MAX)) {
            r->base = b;
        } else if (a < b) {
            *low = r->base + a;
            *high = r->base + b;
            return true;
        }
    }
}

/* Read one entry (7.25). Returns true if the entry is a range. (*end) is set
 * after the last entry. */
static bool entry_v5(struct ranges *r, uint64_t *low, uint64_t *high, bool *end)
{
    unsigned size = r->u->address_size;

    switch (cursor_u8(&r->c)) {
    case DW_RLE_base_addressx:
        r->base = unit_address(r->d, r->u, cursor_uleb(&r->c));
        return false;
    case DW_RLE_base_address:
        r->base = cursor_uint(&r->c, size);
        return false;
    case DW_RLE_startx_endx:
        *low = unit_address(r->d, r->u, cursor_uleb(&r->c));
        *high = unit_address(r->d, r->u, cursor_uleb(&r->c));
        return true;
    case DW_RLE_startx_length:
        *low = unit_address(r->d, r->u, cursor_uleb(&r->c));
        *high = *low + cursor_uleb(&r->c);
        return true;
    case DW_RLE_offset_pair:
        *low = r->base + cursor_uleb(&r->c);
        *high = r->base + cursor_uleb(&r->c);
        return true;
    case DW_RLE_start_end:
        *low = cursor_uint(&r->c, size);
        *high = cursor_uint(&r->c, size);
        return true;
    case DW_RLE_start_length:
        *low = cursor_uint(&r->c, size);
        *high = *low + cursor_uleb(&r->c);
        return true;
    default: /* DW_RLE_end_of_list, or damaged */
        *end = true;
        return false;
    }
}

static bool next_v5(struct ranges *r, uint64_t *low, uint64_t *high)
{
    bool end = false;

    while (!end) {
        if (entry_v5(r, low, high, &end) && !r->c.bad && *low < *high)
            return true;
    }
    return false;
}

bool ranges_next(struct ranges *r, uint64_t *low, uint64_t *high)
{
    switch (r->kind) {
    case RANGES_ONE:
        r->kind = RANGES_END;
        *low = r->low;
        *high = r->high;
        return r->low < r->high;
    case RANGES_V4:
        return next_v4(r, low, high);
    case RANGES_V5:
        return next_v5(r, low, high);
    case RANGES_END:
        break;
    }
    return false;
}

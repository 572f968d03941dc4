/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads .debug_aranges (6.1.2), for units whose root DIE has no addresses. */
#include "image/dwarf/unit.h"

/* One tuple of address and length; false at the end of the set. */
static bool tuple(struct cursor *c, unsigned size, uint64_t *low,
                  uint64_t *high)
{
    *low = cursor_uint(c, size);
    *high = *low + cursor_uint(c, size);
    return !c->bad && (*low != 0 || *high != 0);
}

/* Add the tuples of a set to the map. (c) is after the set's header. */
static int read_tuples(struct dwarf *d, struct cursor *c, unsigned size,
                       const struct dwarf_unit *u)
{
    uint64_t low, high;

    while (tuple(c, size, &low, &high) && dwarf_charge(d, 16)) {
        /* the linker leaves dropped code at address 0 */
        if (low != 0 && low < high &&
            dwarf_map_add(d, low, high, (size_t)(u - d->units)) != 0)
            return -1;
    }
    return 0;
}

/* Read one set. Moves (c) to the next set. */
static int read_set(struct dwarf *d, struct cursor *c)
{
    const uint8_t *start = c->at;
    unsigned offset_size = 4;
    uint64_t length = cursor_u32(c);
    struct cursor set = *c;
    const struct dwarf_unit *u;
    unsigned size;

    if (length == 0xffffffffu) {
        offset_size = 8;
        length = cursor_uint(c, 8);
        set = *c;
    }
    cursor_skip(c, length);
    if (c->bad)
        return 0;
    set.end = c->at;
    cursor_skip(&set, 2); /* version */
    u = dwarf_unit_at(d, cursor_uint(&set, offset_size));
    size = cursor_u8(&set);
    cursor_skip(&set, 1); /* size of a segment selector: 0 */
    if (u == NULL || u->placed || set.bad || (size != 4 && size != 8))
        return 0;
    /* tuples are aligned to their own size, counted from the set's start */
    cursor_skip(&set, -(uint64_t)(set.at - start) & (2u * size - 1));
    return read_tuples(d, &set, size, u);
}

int dwarf_aranges_read(struct dwarf *d)
{
    struct cursor c = cursor_at(d->aranges.at, d->aranges.size, 0);

    while (cursor_left(&c) != 0 && dwarf_charge(d, 16)) {
        if (read_set(d, &c) != 0)
            return -1;
    }
    return 0;
}

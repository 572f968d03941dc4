/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the entries of call frame information. */
#include "image/dwarf/frame_entry.h"

#include <string.h>

#include "image/dwarf/constants.h"

#define COMMON_MAX 512u /* bytes of a CIE; the longest known CIE has 100 */

/* Read a pointer in (encoding), without its base. */
static uint64_t read_form(struct cursor *c, uint8_t encoding)
{
    switch (encoding & DW_EH_PE_form) {
    case DW_EH_PE_uleb128:
        return cursor_uleb(c);
    case DW_EH_PE_sleb128:
        return (uint64_t)cursor_sleb(c);
    case DW_EH_PE_udata2:
        return cursor_uint(c, 2);
    case DW_EH_PE_sdata2:
        return (uint64_t)cursor_int(c, 2);
    case DW_EH_PE_udata4:
        return cursor_uint(c, 4);
    case DW_EH_PE_sdata4:
        return (uint64_t)cursor_int(c, 4);
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return cursor_uint(c, 8);
    default:
        return cursor_fail(c);
    }
}

uint64_t frame_entry_pointer(const struct frame_section *s, struct cursor *c,
                             uint8_t encoding)
{
    uint64_t at = s->part.address + (uint64_t)(c->at - s->part.bytes);
    uint64_t value = read_form(c, encoding);

    if ((encoding & DW_EH_PE_indirect) != 0)
        return cursor_fail(c);
    switch (encoding & DW_EH_PE_base) {
    case DW_EH_PE_absptr:
        return value;
    case DW_EH_PE_pcrel:
        return value + at;
    default:
        return cursor_fail(c);
    }
}

/* Read the letters of an augmentation after its z, and the data of each letter,
 * which follow the CIE's numbers. */
static void read_letters(struct frame_common *f, struct cursor *c,
                         const char *letters)
{
    uint64_t length = cursor_uleb(c);
    struct cursor data = *c;

    cursor_skip(c, length);
    data.end = c->at;
    for (; *letters != '\0' && !c->bad; letters++) {
        if (*letters == 'R')
            f->encoding = cursor_u8(&data);
        else if (*letters == 'S')
            f->is_signal = true;
        else if (*letters == 'L')
            cursor_skip(&data, 1);
        else if (*letters == 'P') {
            uint8_t encoding = cursor_u8(&data);

            (void)read_form(&data, encoding);
        } else if (*letters != 'B' && *letters != 'G') { /* of other CPUs */
            f->is_odd = true;
            return;
        }
    }
    f->is_odd = f->is_odd || data.bad;
}

/* Read a CIE. (c) is after the CIE's id. */
static void read_common(struct frame_common *f, bool eh, struct cursor *c)
{
    uint8_t version = cursor_u8(c);
    const char *letters = cursor_string(c);

    f->address_size = 8;
    if (letters == NULL || version == 0 || version > 5) {
        (void)cursor_fail(c);
        return;
    }
    if (version >= 4 && !eh) {
        f->address_size = cursor_u8(c);
        f->is_odd = cursor_u8(c) != 0; /* segment selectors */
    }
    if (strncmp(letters, "eh", 2) == 0) { /* of gcc 2 */
        cursor_skip(c, 8);
        letters += 2;
    }
    f->code_align = cursor_uleb(c);
    f->data_align = cursor_sleb(c);
    f->return_register = version == 1 ? cursor_u8(c) : cursor_uleb(c);
    f->has_lengths = letters[0] == 'z';
    if (f->has_lengths)
        read_letters(f, c, letters + 1);
    else if (strcmp(letters, "S") == 0)
        f->is_signal = true;
    else if (letters[0] != '\0')
        f->is_odd = true;
    f->is_odd = f->is_odd || f->address_size != 8;
    f->program = *c;
}

/* Read an entry's head. (c) becomes the rest of the entry. */
static bool read_head(const struct frame_section *s, uint64_t offset,
                      struct cursor *c, unsigned *width)
{
    uint64_t length;

    *c = cursor_at(s->part.bytes, (size_t)s->part.size, offset);
    *width = 4;
    length = cursor_u32(c);
    if (length == 0xffffffffu) {
        *width = 8;
        length = cursor_uint(c, 8);
    }
    if (c->bad || length > cursor_left(c))
        return false;
    c->end = c->at + length;
    return true;
}

/* Does (id), which has (width) bytes in .debug_frame, mark a CIE? */
static bool is_common(bool eh, unsigned width, uint64_t id)
{
    if (eh)
        return id == 0;
    return id == (width == 8 ? UINT64_MAX : (uint64_t)UINT32_MAX);
}

/* Read the CIE at (offset) into (f). False if there is none, or if the CIE is
 * damaged. */
static bool find_common(const struct frame_section *s, uint64_t offset,
                        struct frame_common *f)
{
    struct cursor c;
    unsigned width;

    if (f->offset == offset)
        return true;
    *f = (struct frame_common){.offset = UINT64_MAX};
    if (!read_head(s, offset, &c, &width) || cursor_left(&c) > COMMON_MAX)
        return false;
    if (!is_common(s->eh, width, cursor_uint(&c, s->eh ? 4 : width)))
        return false;
    read_common(f, s->eh, &c);
    if (c.bad)
        return false;
    f->offset = offset;
    return true;
}

/* Read the extent of an FDE and the place of its instructions. */
static bool read_entry(const struct frame_section *s, struct cursor *c,
                       const struct frame_common *f, struct frame_entry *out)
{
    uint64_t size;

    out->low = frame_entry_pointer(s, c, f->encoding);
    size = read_form(c, f->encoding & DW_EH_PE_form);
    if (f->has_lengths)
        cursor_skip(c, cursor_uleb(c));
    out->high = out->low + size;
    out->program = *c;
    return !c->bad && size <= UINT64_MAX - out->low;
}

enum frame_found frame_entry_next(const struct frame_section *s,
                                  uint64_t *offset, struct frame_common *common,
                                  struct frame_entry *out)
{
    struct cursor c;
    unsigned width;
    uint64_t id, here;

    if (*offset >= s->part.size || !read_head(s, *offset, &c, &width))
        return FRAME_END;
    *offset = (uint64_t)(c.end - s->part.bytes);
    here = (uint64_t)(c.at - s->part.bytes);
    if (c.at == c.end) /* a terminator; a section may have several */
        return FRAME_NOTHING;
    id = cursor_uint(&c, s->eh ? 4 : width);
    if (c.bad || is_common(s->eh, width, id) ||
        !find_common(s, s->eh ? here - id : id, common))
        return FRAME_NOTHING;
    return read_entry(s, &c, common, out) ? FRAME_ENTRY : FRAME_NOTHING;
}

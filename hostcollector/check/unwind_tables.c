/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/unwind_tables.h"

#include "image/dwarf/frame_entry.h"
#include "image/file/image.h"
#include "util/cursor.h"

/* Tables: .debug_frame (DWARF 5, 6.4.1), .eh_frame (LSB), .pdata (PE Format).
 * Only the extents are read, not the rules for registers. */
#define PDATA_ENTRY 12u /* begin, end, unwind information: u32 RVA each */

static void cover_frames(const struct image_part *part, bool eh,
                         struct spans *out)
{
    const struct frame_section section = {.part = *part, .eh = eh};
    struct frame_common common = {.offset = UINT64_MAX};
    struct frame_entry entry;
    enum frame_found found;
    uint64_t at = 0;

    while ((found = frame_entry_next(&section, &at, &common, &entry)) !=
           FRAME_END) {
        if (found == FRAME_ENTRY)
            (void)spans_add(out, entry.low, entry.high);
    }
}

static void cover_pdata(const struct image *img, const struct image_part *part,
                        struct spans *out)
{
    struct cursor c = cursor_at(part->bytes, (size_t)part->size, 0);

    while (cursor_left(&c) >= PDATA_ENTRY) {
        uint64_t base = image_base(img);
        uint64_t low = cursor_u32(&c), high = cursor_u32(&c);

        cursor_skip(&c, 4);
        (void)spans_add(out, base + low, base + high);
    }
}

bool check_unwind_table(const struct image *img, enum check_table table,
                        struct spans *out)
{
    static const char *const names[CHECK_TABLES] = {".eh_frame", ".debug_frame",
                                                    ".pdata"};
    struct image_part part = image_section_part(img, names[table]);

    if (part.bytes == NULL)
        return false;
    if (table == CHECK_PDATA)
        cover_pdata(img, &part, out);
    else
        cover_frames(&part, table == CHECK_EH_FRAME, out);
    return true;
}

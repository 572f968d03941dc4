/* SPDX-License-Identifier: BSD-2-Clause */
/* What elf.c and pe.c put into an object. */
#include "image/object.h"

#include "util/vec.h"

int object_add_segment(struct object *o, const struct image_text *segment,
                       bool executable)
{
    if (vec_grow(&o->segments, &o->segment_room, o->segment_count,
                 sizeof *o->segments) != 0)
        return -1;
    o->segments[o->segment_count] = *segment;
    if (executable) {
        o->segments[o->segment_count] = o->segments[o->text_count];
        o->segments[o->text_count++] = *segment;
    }
    o->segment_count++;
    return 0;
}

int object_add_code(struct object *o, uint64_t address, uint64_t size)
{
    if (vec_grow(&o->code, &o->code_room, o->code_count, sizeof *o->code) != 0)
        return -1;
    o->code[o->code_count++] = (struct image_part){address, size, NULL};
    return 0;
}

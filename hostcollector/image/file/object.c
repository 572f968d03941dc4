/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds segments, code and symbols to an object, for elf.c and pe.c. */
#include "image/file/object.h"

#include <stdlib.h>
#include <string.h>

#include "image/file/symbols_file.h"
#include "util/vec.h"

/* Limit for segments that load the same bytes at several places. */
#define OVERLAP_MAX 4u

/* Limit for segments, because each lookup searches all of them. */
#define MAX_SEGMENTS 4096u

/* Add (segment), or a part of it. */
static int add(struct object *o, const struct image_text *segment,
               bool executable, struct err *e)
{
    if (o->segment_count == MAX_SEGMENTS)
        return object_refuse(o, e,
                             "more segments, or holes in them, than a kernel "
                             "has");
    if (vec_grow(&o->segments, &o->segment_room, o->segment_count,
                 sizeof *o->segments) != 0)
        return err_sys(e, o->path);
    o->segments[o->segment_count] = *segment;
    if (executable) {
        o->segments[o->segment_count] = o->segments[o->text_count];
        o->segments[o->text_count++] = *segment;
    }
    o->segment_count++;
    return 0;
}

/* The length of the run at (offset), at most (size), that either consists of
 * bytes of the file or lies in a hole. (*held) is true if the file has the
 * bytes. */
static uint64_t run(const struct object *o, uint64_t offset, uint64_t size,
                    bool *held)
{
    const struct span *s = spans_find(&o->file.held, offset);
    uint64_t end = s == NULL ? UINT64_MAX : s->low > offset ? s->low : s->high;

    *held = s != NULL && s->low <= offset;
    return end - offset < size ? end - offset : size;
}

int object_add_segment(struct object *o, const struct image_text *segment,
                       bool executable, struct err *e)
{
    struct image_text part = *segment;
    uint64_t left = segment->bytes_len;

    while (left != 0) {
        bool held;
        uint64_t n = run(o, part.file_offset, left, &held);

        left -= n;
        part.bytes_len = held ? (size_t)n : 0;
        part.bytes = held ? o->file.bytes + part.file_offset : NULL;
        if (left == 0)
            break;
        uint64_t whole = part.size;

        part.size = n;
        if (add(o, &part, executable, e) != 0)
            return -1;
        part.size = whole - n;
        part.address += n;
        part.file_offset += n;
    }
    return add(o, &part, executable, e);
}

int object_add_code(struct object *o, uint64_t address, uint64_t size)
{
    if (vec_grow(&o->code, &o->code_room, o->code_count, sizeof *o->code) != 0)
        return -1;
    o->code[o->code_count++] = (struct image_part){address, size, NULL};
    return 0;
}

/* Refuse segments that repeat the file's bytes too often: reading them would
 * take too long. */
static int check_overlap(const struct object *o, struct err *e)
{
    uint64_t loaded = 0;

    for (size_t i = 0; i < o->segment_count; i++)
        loaded += o->segments[i].bytes_len;
    if (loaded / OVERLAP_MAX > spans_size(&o->file.held))
        return object_refuse(o, e, "has the same bytes in many segments");
    return 0;
}

/* Find the symbols of an image without a symbol table, in a separate list or in
 * the image. */
static int find_symbols(struct object *o, struct err *e)
{
    if (o->symtab.count == 0 && symbols_file_read(o, e) != 0)
        return -1;
    return o->symtab.count != 0 || kallsyms_read(o) == 0 ? 0
                                                         : err_sys(e, o->path);
}

int object_open(struct object *o, const char *path, struct err *e)
{
    o->path = path;
    if (file_read(&o->file, path, e) != 0)
        return -1;
    o->ops = o->file.size >= 2 && memcmp(o->file.bytes, "MZ", 2) == 0
                 ? &object_pe
                 : &object_elf;
    return o->ops->open(o, e) != 0 || check_overlap(o, e) != 0
               ? -1
               : find_symbols(o, e);
}

void object_close(struct object *o)
{
    symtab_fini(&o->symtab);
    arena_fini(&o->names);
    free(o->segments);
    free(o->code);
    if (o->ops != NULL)
        o->ops->close(o);
    file_fini(&o->file);
    *o = (struct object){0};
}

const struct cpu *image_cpu(const struct image *img)
{
    return object_of(img)->cpu;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What image needs of an executable file, whatever its format: what is loaded
 * where, functions, sections, identity. One table of functions for each format:
 * elf.c, pe.c. Part of image, which says what it means to everybody else.
 */
#ifndef TPROF_IMAGE_OBJECT_H
#define TPROF_IMAGE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"
#include "image/symtab.h"
#include "util/err.h"

struct object;

struct object_ops {
    /* Fill (o), of which image has set path, fd and size. Returns 0; -1 with
     * (e) filled; then close() is called as well. */
    int (*open)(struct object *o, struct err *e);
    /* Release (reader), which may be NULL. */
    void (*close)(struct object *o);
    /* As image_build_id(). */
    const uint8_t *(*build_id)(const struct object *o, size_t *len);
    /* Section (name), uncompressed; all zero if there is none. */
    struct image_part (*section)(const struct object *o, const char *name);
    /* As image_find_symbol(). */
    bool (*find_symbol)(const struct object *o, const char *name,
                        uint64_t *address);
};

struct object {
    const struct object_ops *ops;
    const char *path;
    int fd;
    uint64_t size; /* of the file */
    void *reader;  /* the format's own */
    /* What is loaded; the executable ones come first. */
    struct image_text *segments;
    size_t segment_count, segment_room, text_count;
    /* Where instructions are, as far as the format tells them from data that
     * is executable only because it shares a segment with them. */
    struct image_part *code;
    size_t code_count, code_room;
    struct symtab symtab;
    uint64_t base, entry;
    bool moves; /* may be loaded elsewhere than linked */
};

extern const struct object_ops object_elf, object_pe;

/* Does [offset, offset + size) lie in the file? */
static inline bool object_in_file(const struct object *o, uint64_t offset,
                                  uint64_t size)
{
    return offset <= o->size && size <= o->size - offset;
}

/* The file is not fit for use; (why) says for what reason. Returns -1. */
static inline int object_refuse(const struct object *o, struct err *e,
                                const char *why)
{
    (void)err_set(e, "%s: %s", o->path, why);
    return -1;
}

/* Keep (segment), in its place among the others. -1 if there is no memory. */
int object_add_segment(struct object *o, const struct image_text *segment,
                       bool executable);

/* Keep [address, address + size), which holds instructions; likewise. */
int object_add_code(struct object *o, uint64_t address, uint64_t size);

#endif

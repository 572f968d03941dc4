/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An executable file of any format, as image.c needs it: segments, functions,
 * sections, build-id. Each format has a table of functions: elf.c, pe.c. Only
 * files of this folder include this header.
 */
#ifndef TPROF_IMAGE_FILE_OBJECT_H
#define TPROF_IMAGE_FILE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/file/file.h"
#include "image/file/image.h"
#include "util/arena.h"
#include "util/err.h"

/* ---- the functions of a symbol table, by address (symtab.c) ---- */

struct symtab {
    /* by rising address, one for each address */
    struct image_function *functions;
    size_t count;
};

/* A symbol that may name a function. */
struct symtab_candidate {
    struct image_function f; /* size 0: a label */
    uint64_t limit;          /* the end of its section, above its start */
    unsigned rank;           /* the alias with the highest rank wins */
    unsigned order;          /* at equal ranks, the lowest order wins */
};

/* Should a report show (name)? It may be NULL. */
bool symtab_wants(const char *name);

/*
 * Fill (t), which is zero, from the (n) candidates at (c). Sorts the
 * candidates. Names must outlive (t). Returns 0; -1 with errno set if there is
 * no memory.
 */
int symtab_fill(struct symtab *t, struct symtab_candidate *c, size_t n);

/* Release the memory of (t), which may be all zero. */
void symtab_fini(struct symtab *t);

/* The innermost function that holds (address), or NULL. */
const struct image_function *symtab_function(const struct symtab *t,
                                             uint64_t address);

/* ---- objects (object.c) ---- */

struct object;

struct object_ops {
    /* Fill (o), whose path and file are set. Returns 0; -1 with (e) filled.
     * close() is called in both cases. */
    int (*open)(struct object *o, struct err *e);
    /* Release (reader), which may be NULL. */
    void (*close)(struct object *o);
    /* As image_build_id(). */
    const uint8_t *(*build_id)(const struct object *o, size_t *len);
    /* Section (name), uncompressed; all zero if there is none. */
    struct image_part (*section)(const struct object *o, const char *name);
    /* Did uncompressing a requested section fail? NULL if the format has no
     * compression. */
    bool (*packed)(const struct object *o);
    /* Like image_find_symbol(), or like image_find_mark() if (mark). */
    bool (*find_symbol)(const struct object *o, const char *name, bool mark,
                        uint64_t *address);
    /* Fill (t), which is zero, with the variables of the symbol table. Returns
     * 0; -1 if there is no memory. NULL if the format has no sizes of
     * variables. */
    int (*variables)(const struct object *o, struct symtab *t);
};

struct object {
    const struct object_ops *ops;
    const char *path;
    const struct cpu *cpu; /* that the code is for */
    struct file file;
    void *reader; /* private to the format */
    /* Loaded segments; the executable ones come first. If the file has holes
     * within a segment, the segment is split into several: parts with bytes,
     * and parts without. */
    struct image_text *segments;
    size_t segment_count, segment_room, text_count;
    /* Runs of instructions. Executable segments may also hold data. (code)
     * excludes data if the format distinguishes data from instructions. */
    struct image_part *code;
    size_t code_count, code_room;
    struct symtab symtab;
    struct arena names; /* names of symbols, if they come from a list: */
    bool is_listed;     /* then all symbols have no sizes */
    uint64_t base, entry;
    bool moves; /* may be loaded at another address than linked for */
};

extern const struct object_ops object_elf, object_pe;
/* An image of which only recorded facts exist. (reader) is a struct
 * image_facts. object_tell() makes such an object; object_open() does not. */
extern const struct object_ops object_told;

/* The object of (img), and the object of its debug file; NULL if there is no
 * debug file. */
const struct object *object_of(const struct image *img);
const struct object *object_of_debug(const struct image *img);

/* Make (o), which is zero, from (facts), which are copied. Returns 0; -1 if
 * there is no memory. object_close() must follow in both cases. */
int object_tell(struct object *o, const struct image_facts *facts);

/* The facts from which (o) was made; NULL if (o) was made from a file. */
static inline const struct image_facts *object_facts(const struct object *o)
{
    return o->ops == &object_told ? o->reader : NULL;
}

/* The bytes from (address) to the end of the run of code that
 * image_learn_code() added to (o), which was made from facts. NULL if there is
 * no such run. */
const uint8_t *object_told_code(const struct object *o, uint64_t address,
                                size_t *len);

/* Open the file (path), which must outlive (o); (o) is zero. Returns 0; -1 with
 * (e) filled. object_close() must follow in both cases. */
int object_open(struct object *o, const char *path, struct err *e);

/* Release what (o) holds, which may be all zero. */
void object_close(struct object *o);

/* Does [offset, offset + size) lie in the file? */
static inline bool object_in_file(const struct object *o, uint64_t offset,
                                  uint64_t size)
{
    return offset <= o->file.size && size <= o->file.size - offset;
}

/* Refuse the file for the reason (why). Returns -1. */
static inline int object_refuse(const struct object *o, struct err *e,
                                const char *why)
{
    (void)err_set(e, "%s: %s", o->path, why);
    return -1;
}

/* Add (segment), sorted by address; its (bytes_len) bytes are in the file.
 * Returns 0; -1 with (e) filled if there is no memory, or if there are too many
 * segments. */
int object_add_segment(struct object *o, const struct image_text *segment,
                       bool executable, struct err *e);

/* Add [address, address + size), which holds instructions. Returns 0; -1 if
 * there is no memory. */
int object_add_code(struct object *o, uint64_t address, uint64_t size);

/*
 * Read the symbols that a Linux kernel keeps of itself in its read-only data,
 * for /proc/kallsyms. A vmlinux that was extracted from a bootable kernel has
 * no other symbols. No pointer leads to these tables, so kallsyms.c searches
 * for tables that fit together.
 *
 * Add the symbols of the tables, if there are any, to (o), which has no
 * symbols. Returns 0; -1 if there is no memory.
 */
int kallsyms_read(struct object *o);

/* ---- debug files (debug_file.c) ----
 *
 * The debug information that was stripped from an image lies in another file.
 * The file is found by build-id in image/file/folders.h. Otherwise it is found
 * by the name and checksum in .gnu_debuglink: beside the image, in the folder
 * .debug/ beside the image, or below /usr/lib/debug. */

struct debug_file {
    char *path;
    struct object object;
};

/* The debug file of (o), an ELF file whose build-id is the (len) bytes at (id).
 * NULL if there is no such file, if the file is of another build, or if the
 * file has no DWARF. */
struct debug_file *debug_file_find(const struct object *o, const uint8_t *id,
                                   size_t len);

/* The file (path) as the debug file of (o). NULL if the file does not match
 * (o), or has no DWARF. */
struct debug_file *debug_file_take(const struct object *o, const char *path,
                                   const uint8_t *id, size_t len);

/* Release (d). NULL is allowed. */
void debug_file_close(struct debug_file *d);

/* The file name in .gnu_debuglink of (o), without a folder. NULL if there is
 * none. */
const char *debug_file_link(const struct object *o);

#endif

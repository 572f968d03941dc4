/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads PE32+ images as objects. */
#include <stdlib.h>
#include <string.h>

#include "image/file/object.h"
#include "util/arena.h"
#include "util/bytes.h"
#include "util/cpu/cpu.h"

/*
 * Reads PE32+ images (EFI applications) as objects: images of lld-link, with
 * DWARF and symbols in the file, and images that objcopy converts from ELF.
 * Field offsets are those of the "PE Format" specification.
 */

#define DOS_LFANEW          0x3cu /* u32 file offset of the signature */
#define COFF_MACHINE        0u    /* u16; from here on, after the signature */
#define COFF_SECTIONS       2u    /* u16 */
#define COFF_SYMBOLS        8u    /* u32 file offset */
#define COFF_SYMBOL_COUNT   12u   /* u32 */
#define COFF_OPTIONAL_SIZE  16u   /* u16 */
#define COFF_FLAGS          18u   /* u16 */
#define COFF_SIZE           20u
#define COFF_FIXED          1u   /* no relocations */
#define OPTIONAL_MAGIC      0u   /* u16 */
#define OPTIONAL_ENTRY      16u  /* u32 RVA */
#define OPTIONAL_BASE       24u  /* u64 */
#define OPTIONAL_DIRECTORY  108u /* u32 count; then RVA and size, u32 each */
#define OPTIONAL_PE32_PLUS  0x20bu
#define DIRECTORY_DEBUG     6u
#define MAX_SECTIONS        1024u /* limit of a linked image */
#define SECTION_NAME        0u    /* 8 bytes; "/123": offset of a string */
#define SECTION_MEMORY_SIZE 8u    /* u32 */
#define SECTION_RVA         12u   /* u32 */
#define SECTION_FILE_SIZE   16u   /* u32 */
#define SECTION_FILE_OFFSET 20u   /* u32 */
#define SECTION_FLAGS       36u   /* u32 */
#define SECTION_SIZE        40u
#define SECTION_EXECUTE     0x20000000u
#define SECTION_DISCARD     0x02000000u
#define SYMBOL_NAME         0u  /* 8 bytes, or u32 0 and u32 offset */
#define SYMBOL_VALUE        8u  /* u32, relative to its section */
#define SYMBOL_SECTION      12u /* u16 from 1; other values are no section */
#define SYMBOL_ABSOLUTE     0xffffu
#define SYMBOL_TYPE         14u /* u16 */
#define SYMBOL_CLASS        16u /* u8 */
#define SYMBOL_MORE         17u /* u8 number of auxiliary entries that follow */
#define SYMBOL_SIZE         18u
#define SYMBOL_FUNCTION     0x20u
#define CLASS_EXTERNAL      2u
#define CLASS_STATIC        3u
#define CLASS_LABEL         6u
#define DEBUG_TYPE          12u /* u32 */
#define DEBUG_LENGTH        16u /* u32 */
#define DEBUG_FILE_OFFSET   24u /* u32 */
#define DEBUG_SIZE          28u
#define DEBUG_CODEVIEW      2u
#define GUID_SIZE           16u
#define NOTE_HEADER         16u /* with its name */
#define NOTE_BUILD_ID       3u

struct pe {
    const struct file *f;
    const uint8_t *file; /* its bytes */
    const uint8_t *optional;
    uint32_t optional_size;
    uint64_t base;
    const uint8_t *sections;
    uint32_t section_count;
    const uint8_t *symbols; /* NULL: none */
    uint32_t symbol_count;
    const uint8_t *strings; /* the first four bytes are their length */
    uint64_t strings_size;  /* up to the last NUL */
    struct arena names;     /* symbols whose names are missing in the file */
};

/* The (size) bytes at (offset) of the file; NULL if the file does not hold
 * them. */
static const uint8_t *in_file(const struct pe *p, uint64_t offset,
                              uint64_t size)
{
    uint64_t until_hole;

    return file_at(p->f, offset, size, &until_hole);
}

static const uint8_t *section(const struct pe *p, uint32_t i)
{
    return p->sections + (size_t)i * SECTION_SIZE;
}

/* The number of bytes of the section in the file, without padding. */
static uint32_t content_size(const uint8_t *s)
{
    uint32_t memory = load_u32(s + SECTION_MEMORY_SIZE);
    uint32_t file = load_u32(s + SECTION_FILE_SIZE);

    return memory != 0 && memory < file ? memory : file;
}

/* The number of bytes of the section in memory. */
static uint32_t memory_size(const uint8_t *s)
{
    uint32_t memory = load_u32(s + SECTION_MEMORY_SIZE);

    return memory != 0 ? memory : load_u32(s + SECTION_FILE_SIZE);
}

/* The NUL-terminated string at (offset) of the string table, or NULL. */
static const char *long_name(const struct pe *p, uint64_t offset)
{
    return offset < p->strings_size ? (const char *)p->strings + offset : NULL;
}

/* Is section (s) called (name)? */
static bool is_called(const struct pe *p, const uint8_t *s, const char *name)
{
    const char *field = (const char *)s + SECTION_NAME, *found;
    uint64_t offset = 0;

    if (field[0] != '/')
        return strlen(name) <= 8 && strncmp(field, name, 8) == 0;
    for (size_t i = 1; i < 8 && field[i] >= '0' && field[i] <= '9'; i++)
        offset = offset * 10 + (uint64_t)(field[i] - '0');
    found = long_name(p, offset);
    return found != NULL && strcmp(found, name) == 0;
}

static struct image_part pe_section(const struct object *o, const char *name)
{
    const struct pe *p = o->reader;

    for (uint32_t i = 0; i < p->section_count; i++) {
        const uint8_t *s = section(p, i);
        uint64_t size;
        const uint8_t *bytes = file_at(p->f, load_u32(s + SECTION_FILE_OFFSET),
                                       content_size(s), &size);

        if (bytes != NULL && size != 0 && is_called(p, s, name))
            return (struct image_part){p->base + load_u32(s + SECTION_RVA),
                                       size, bytes};
    }
    return (struct image_part){0};
}

static int read_optional(struct object *o, struct pe *p, const uint8_t *coff,
                         struct err *e)
{
    p->optional = coff + COFF_SIZE;
    p->optional_size = load_u16(coff + COFF_OPTIONAL_SIZE);
    if (in_file(p, (uint64_t)(p->optional - p->file), p->optional_size) == NULL)
        return object_refuse(o, e, "truncated: ends within its PE headers");
    if (p->optional_size < OPTIONAL_DIRECTORY + 4 ||
        load_u16(p->optional + OPTIONAL_MAGIC) != OPTIONAL_PE32_PLUS)
        return object_refuse(o, e,
                             "not a PE32+ image (EFI for " CPU_NAMES_PE " is)");
    p->base = load_u64(p->optional + OPTIONAL_BASE);
    if (p->base > UINT64_MAX - ((uint64_t)1 << 33))
        return object_refuse(o, e, "an image base that no memory has");
    o->base = p->base;
    o->entry = p->base + load_u32(p->optional + OPTIONAL_ENTRY);
    o->moves = (load_u16(coff + COFF_FLAGS) & COFF_FIXED) == 0;
    return 0;
}

static int read_headers(struct object *o, struct pe *p, struct err *e)
{
    const uint8_t *dos = in_file(p, 0, DOS_LFANEW + 4);
    const uint8_t *signature, *coff;

    if (dos == NULL)
        return object_refuse(o, e, "truncated: ends within its DOS header");
    signature = in_file(p, load_u32(dos + DOS_LFANEW), 4 + COFF_SIZE);
    if (signature == NULL || memcmp(signature, "PE\0\0", 4) != 0)
        return object_refuse(o, e, "begins like a PE image, but is none");
    coff = signature + 4;
    o->cpu = cpu_of_pe(load_u16(coff + COFF_MACHINE));
    if (o->cpu == NULL)
        return object_refuse(o, e, "for another machine than " CPU_NAMES_PE);
    if (read_optional(o, p, coff, e) != 0)
        return -1;
    p->section_count = load_u16(coff + COFF_SECTIONS);
    if (p->section_count > MAX_SECTIONS)
        return object_refuse(o, e, "more sections than a kernel has");
    p->sections =
        in_file(p, (uint64_t)(p->optional - p->file) + p->optional_size,
                (uint64_t)p->section_count * SECTION_SIZE);
    if (p->sections == NULL)
        return object_refuse(o, e, "truncated: ends within its section table");
    return 0;
}

/* Find the symbols and strings that the file has. */
static void find_symbols(struct pe *p, const uint8_t *coff)
{
    uint64_t offset = load_u32(coff + COFF_SYMBOLS);
    uint32_t count = load_u32(coff + COFF_SYMBOL_COUNT);
    uint64_t end = offset + (uint64_t)count * SYMBOL_SIZE;
    uint64_t until_hole;
    const uint8_t *size;

    if (offset == 0)
        return;
    p->symbols = file_at(p->f, offset, end - offset, &until_hole);
    if (p->symbols == NULL)
        return;
    p->symbol_count = (uint32_t)(until_hole / SYMBOL_SIZE);
    size = in_file(p, end, 4);
    if (size != NULL && in_file(p, end, load_u32(size)) != NULL) {
        const uint8_t *nul = memrchr(size, '\0', load_u32(size));

        p->strings = size;
        p->strings_size = nul != NULL ? (uint64_t)(nul - size) + 1 : 0;
    }
}

/* Add section (s), if it is loaded. */
static int add_section(struct object *o, const struct pe *p, const uint8_t *s,
                       struct err *e)
{
    bool code = (load_u32(s + SECTION_FLAGS) & SECTION_EXECUTE) != 0;
    uint32_t size = content_size(s);
    struct image_text t = {p->base + load_u32(s + SECTION_RVA), memory_size(s),
                           load_u32(s + SECTION_FILE_OFFSET), NULL, size};

    if ((load_u32(s + SECTION_FLAGS) & SECTION_DISCARD) != 0 || size == 0)
        return 0;
    if (!object_in_file(o, t.file_offset, size))
        return code
                   ? object_refuse(o, e, "truncated: ends before its code does")
                   : 0;
    if (object_add_segment(o, &t, code, e) != 0)
        return -1;
    return code && object_add_code(o, t.address, t.size) != 0
               ? err_sys(e, o->path)
               : 0;
}

/*
 * The section of symbol (s); NULL if it has none. A symbol of a whole section
 * or file is recognized by its auxiliary entries, and has none.
 */
static const uint8_t *section_of(const struct pe *p, const uint8_t *s)
{
    uint32_t number = load_u16(s + SYMBOL_SECTION);
    uint8_t class = s[SYMBOL_CLASS];

    if (number == 0 || number > p->section_count ||
        (class != CLASS_EXTERNAL && class != CLASS_STATIC &&
         class != CLASS_LABEL) ||
        (class == CLASS_STATIC && s[SYMBOL_MORE] != 0 &&
         load_u16(s + SYMBOL_TYPE) == 0))
        return NULL;
    return section(p, number - 1);
}

/* The name of symbol (s), in (out) if it is not in the file's strings. NULL if
 * the file is damaged. */
static const char *symbol_name(const struct pe *p, const uint8_t *s,
                               char out[9])
{
    if (load_u32(s + SYMBOL_NAME) == 0)
        return long_name(p, load_u32(s + SYMBOL_NAME + 4));
    memcpy(out, s + SYMBOL_NAME, 8);
    out[8] = '\0';
    return out;
}

static const uint8_t *symbol_at(const struct pe *p, uint32_t i)
{
    return p->symbols + (size_t)i * SYMBOL_SIZE;
}

/* Read symbol number (i) as a candidate. False if the symbol names no code. */
static bool take_symbol(struct pe *p, uint32_t i, struct symtab_candidate *c)
{
    const uint8_t *s = symbol_at(p, i), *in = section_of(p, s);
    char room[9];
    const char *name = symbol_name(p, s, room);
    uint32_t value = load_u32(s + SYMBOL_VALUE);

    if (in == NULL || !symtab_wants(name) || value >= memory_size(in) ||
        (load_u32(in + SECTION_FLAGS) & SECTION_EXECUTE) == 0)
        return false;
    if (name == room)
        name = arena_strndup(&p->names, room, strlen(room));
    *c = (struct symtab_candidate){
        .f = {.start = p->base + load_u32(in + SECTION_RVA) + value,
              .name = name},
        .limit = p->base + load_u32(in + SECTION_RVA) + memory_size(in),
        .rank = (load_u16(s + SYMBOL_TYPE) == SYMBOL_FUNCTION ? 8u : 0u) +
                (s[SYMBOL_CLASS] == CLASS_EXTERNAL ? 2u : 0u),
        .order = i};
    return name != NULL;
}

static int read_symbols(struct object *o, struct pe *p)
{
    struct symtab_candidate *c;
    size_t n = 0;
    int status;

    if (p->symbol_count == 0)
        return 0;
    c = calloc(p->symbol_count, sizeof *c);
    if (c == NULL)
        return -1;
    for (uint32_t i = 0; i < p->symbol_count; i++) {
        n += take_symbol(p, i, &c[n]);
        i += symbol_at(p, i)[SYMBOL_MORE];
    }
    status = symtab_fill(&o->symtab, c, n);
    free(c);
    return status;
}

static int pe_open(struct object *o, struct err *e)
{
    struct pe *p = calloc(1, sizeof *p);

    o->reader = p;
    if (p == NULL)
        return err_sys(e, o->path);
    p->f = &o->file;
    p->file = o->file.bytes;
    if (read_headers(o, p, e) != 0)
        return -1;
    find_symbols(p, p->optional - COFF_SIZE);
    for (uint32_t i = 0; i < p->section_count; i++) {
        if (add_section(o, p, section(p, i), e) != 0)
            return -1;
    }
    return read_symbols(o, p) == 0 ? 0 : err_sys(e, o->path);
}

static void pe_close(struct object *o)
{
    struct pe *p = o->reader;

    if (p == NULL)
        return;
    arena_fini(&p->names);
    free(p);
}

/* The (size) bytes of the file that are loaded at (rva), or NULL. */
static const uint8_t *at_rva(const struct pe *p, uint32_t rva, uint32_t size)
{
    for (uint32_t i = 0; i < p->section_count; i++) {
        const uint8_t *s = section(p, i);
        uint32_t within = rva - load_u32(s + SECTION_RVA);
        uint32_t have = content_size(s);

        if (within < have && size <= have - within)
            return in_file(
                p, (uint64_t)load_u32(s + SECTION_FILE_OFFSET) + within, size);
    }
    return NULL;
}

/* The GUID of the CodeView record that (entry) of the debug directory names. */
static const uint8_t *guid_of(const struct pe *p, const uint8_t *entry)
{
    static const uint8_t none[GUID_SIZE];
    const uint8_t *record;

    if (load_u32(entry + DEBUG_TYPE) != DEBUG_CODEVIEW ||
        load_u32(entry + DEBUG_LENGTH) < 4 + GUID_SIZE)
        return NULL;
    record = in_file(p, load_u32(entry + DEBUG_FILE_OFFSET), 4 + GUID_SIZE);
    if (record == NULL || memcmp(record, "RSDS", 4) != 0 ||
        memcmp(record + 4, none, GUID_SIZE) == 0)
        return NULL;
    return record + 4;
}

static const uint8_t *find_guid(const struct pe *p)
{
    const uint8_t *field =
        p->optional + OPTIONAL_DIRECTORY + 4 + (size_t)DIRECTORY_DEBUG * 8;
    const uint8_t *entries, *guid = NULL;
    uint32_t size;

    if (load_u32(p->optional + OPTIONAL_DIRECTORY) <= DIRECTORY_DEBUG ||
        p->optional_size < OPTIONAL_DIRECTORY + 4 + (DIRECTORY_DEBUG + 1) * 8)
        return NULL;
    size = load_u32(field + 4);
    entries = at_rva(p, load_u32(field), size);
    for (uint32_t at = 0;
         entries != NULL && guid == NULL && size - at >= DEBUG_SIZE;
         at += DEBUG_SIZE)
        guid = guid_of(p, entries + at);
    return guid;
}

/* The build-id, if section (s) is the note that objcopy copied. */
static const uint8_t *note_id(const struct pe *p, const uint8_t *s, size_t *len)
{
    uint32_t size = content_size(s);
    const uint8_t *n = in_file(p, load_u32(s + SECTION_FILE_OFFSET), size);

    if (n == NULL || size < NOTE_HEADER || load_u32(n) != 4 ||
        load_u32(n + 8) != NOTE_BUILD_ID || memcmp(n + 12, "GNU", 4) != 0 ||
        load_u32(n + 4) == 0 || load_u32(n + 4) > size - NOTE_HEADER)
        return NULL;
    *len = load_u32(n + 4);
    return n + NOTE_HEADER;
}

/* Find the build-id like the agent does, without the names of sections. */
static const uint8_t *pe_build_id(const struct object *o, size_t *len)
{
    const struct pe *p = o->reader;
    const uint8_t *id = NULL;

    for (uint32_t i = 0; id == NULL && i < p->section_count; i++)
        id = note_id(p, section(p, i), len);
    if (id == NULL) {
        id = find_guid(p);
        *len = id != NULL ? GUID_SIZE : 0;
    }
    return id;
}

static bool pe_find_symbol(const struct object *o, const char *name, bool mark,
                           uint64_t *address)
{
    (void)mark; /* symbols have no sizes here */
    const struct pe *p = o->reader;

    for (uint32_t i = 0; i < p->symbol_count; i++) {
        const uint8_t *s = symbol_at(p, i), *in = section_of(p, s);
        bool absolute = load_u16(s + SYMBOL_SECTION) == SYMBOL_ABSOLUTE;
        char room[9];
        const char *found =
            in != NULL || absolute ? symbol_name(p, s, room) : NULL;

        if (found != NULL && strcmp(found, name) == 0) {
            *address = load_u32(s + SYMBOL_VALUE);
            if (in != NULL)
                *address += p->base + load_u32(in + SECTION_RVA);
            return true;
        }
        i += s[SYMBOL_MORE];
    }
    return false;
}

const struct object_ops object_pe = {
    pe_open, pe_close, pe_build_id, pe_section, NULL, pe_find_symbol, NULL};

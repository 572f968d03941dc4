/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs line programs of DWARF. */
#include "image/dwarf/constants.h"
#include "image/dwarf/unit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "image/file/image.h"
#include "util/vec.h"

/*
 * Runs line programs (6.2) up to the addresses that are looked up. A row covers
 * the addresses from its own up to the next row's. No table of rows is made.
 */

#define MAX_FORMATS 16u

struct file {
    const char *name;
    uint64_t dir;
    const char *path; /* made on first use */
};

/* A growing list, of directories (name only) or files. */
struct files {
    struct file *list;
    size_t count, room;
};

struct program {
    struct dwarf *d;
    const struct dwarf_unit *u;
    struct dwarf_unit header; /* version and sizes as the program states them */
    struct cursor c;          /* the program after the header */
    struct files dirs, files;
    uint8_t min_length, line_range, opcode_base;
    int8_t line_base;
    bool discriminated;    /* some row is */
    uint8_t operands[256]; /* operand counts of the standard opcodes */
};

static bool files_add(struct files *f, const char *name, uint64_t dir)
{
    if (vec_grow(&f->list, &f->room, f->count, sizeof *f->list) != 0)
        return false;
    f->list[f->count++] = (struct file){name, dir, NULL};
    return true;
}

/* Read the names of DWARF 2 to 4: names up to an empty one, each file with
 * three numbers. */
static bool read_names_v4(struct cursor *c, struct files *f, bool numbers)
{
    for (;;) {
        const char *name = cursor_string(c);
        uint64_t dir = 0;

        if (name == NULL || name[0] == '\0')
            return name != NULL;
        if (numbers) {
            dir = cursor_uleb(c);
            (void)cursor_uleb(c);
            (void)cursor_uleb(c);
        }
        if (!files_add(f, name, dir))
            return false;
    }
}

/* Read the names of DWARF 5: a description of the columns, then the rows
 * (6.2.4.1). */
static bool read_names_v5(struct program *p, struct cursor *c, struct files *f)
{
    uint64_t type[MAX_FORMATS], form[MAX_FORMATS];
    unsigned columns = cursor_u8(c);
    uint64_t count;

    if (columns > MAX_FORMATS)
        return false;
    for (unsigned i = 0; i < columns; i++) {
        type[i] = cursor_uleb(c);
        form[i] = cursor_uleb(c);
    }
    count = cursor_uleb(c);
    for (uint64_t n = 0; n < count && !c->bad; n++) {
        const uint8_t *row = c->at;
        const char *name = NULL;
        uint64_t dir = 0;

        for (unsigned i = 0; i < columns; i++) {
            uint64_t at = (uint64_t)(c->at - p->d->line.at);
            uint64_t value = form_read(c, &p->header, form[i]);

            if (type[i] == DW_LNCT_path)
                name = form_string(p->d, p->u, &p->d->line, form[i],
                                   form[i] == DW_FORM_string ? at : value);
            else if (type[i] == DW_LNCT_directory_index)
                dir = value;
        }
        /* a row without bytes would allow any number of rows */
        if (c->at == row || !files_add(f, name, dir))
            return false;
    }
    return !c->bad;
}

static bool read_names(struct program *p, struct cursor *c)
{
    p->dirs.count = 0;
    p->files.count = 0;
    if (p->header.version >= 5)
        return read_names_v5(p, c, &p->dirs) && read_names_v5(p, c, &p->files);
    /* number 0 is the unit's own directory, and no file */
    return files_add(&p->dirs, p->u->comp_dir, 0) &&
           read_names_v4(c, &p->dirs, false) && files_add(&p->files, NULL, 0) &&
           read_names_v4(c, &p->files, true);
}

static bool read_program_header(struct program *p)
{
    struct cursor c = cursor_at(p->d->line.at, p->d->line.size, p->u->lines);
    uint64_t length = cursor_u32(&c);

    p->header = *p->u;
    p->header.offset_size = 4;
    if (length == 0xffffffffu) {
        p->header.offset_size = 8;
        length = cursor_uint(&c, 8);
    }
    /* other units may refer to this header, and each reads the header again */
    if (c.bad || length > cursor_left(&c) || !dwarf_charge(p->d, length))
        return false;
    c.end = c.at + length;
    p->header.version = (uint8_t)cursor_u16(&c);
    if (p->header.version < 2 || p->header.version > 5)
        return false;
    if (p->header.version >= 5)
        cursor_skip(&c, 2); /* sizes of address and segment selector */
    length = cursor_uint(&c, p->header.offset_size);
    p->c = c;
    cursor_skip(&p->c, length);
    p->min_length = cursor_u8(&c);
    if (p->header.version >= 4)
        cursor_skip(&c, 1); /* operations per instruction: 1 */
    cursor_skip(&c, 1);     /* number of operations per instruction: 1 */
    p->line_base = (int8_t)cursor_u8(&c);
    p->line_range = cursor_u8(&c);
    p->opcode_base = cursor_u8(&c);
    for (unsigned i = 1; i < p->opcode_base; i++)
        p->operands[i] = cursor_u8(&c);
    if (c.bad || p->c.bad || p->line_range == 0 || p->opcode_base == 0)
        return false;
    return read_names(p, &c);
}

/* Is the path absolute? Paths of Windows count, too: C:\\kernel\\main.c of an
 * EFI build. */
static bool is_full_path(const char *name)
{
    return name[0] == '/' || name[0] == '\\' ||
           (isalpha((unsigned char)name[0]) && name[1] == ':');
}

/* Join directory and name, unless the name is an absolute path. */
static const char *join_path(struct dwarf *d, const char *dir, const char *name)
{
    size_t len;
    char *path;

    if (name == NULL || is_full_path(name) || dir == NULL || dir[0] == '\0')
        return name;
    len = strlen(dir) + 1 + strlen(name) + 1;
    if (!dwarf_charge(d, len))
        return name;
    path = arena_alloc(&d->arena, len);
    if (path == NULL)
        return name;
    (void)snprintf(path, len, "%s/%s", dir, name);
    return path;
}

static const char *file_path(struct program *p, uint64_t number)
{
    struct file *f;
    const char *dir = NULL;

    if (number >= p->files.count)
        return NULL;
    f = &p->files.list[number];
    if (f->path == NULL) {
        if (f->dir < p->dirs.count)
            dir = join_path(p->d, p->u->comp_dir, p->dirs.list[f->dir].name);
        f->path = join_path(p->d, dir, f->name);
    }
    return f->path;
}

/* The registers of the state machine that are used. */
struct row {
    uint64_t address;
    uint32_t line;
    uint32_t discriminator; /* of the next row alone */
    uint64_t file;
};

/* A run of a line program, and its position among the targets. */
struct line_run {
    struct program *p;
    const struct targets *targets;
    size_t next;
    uint64_t next_address; /* address of targets[next]; UINT64_MAX: no more */
    struct row row;        /* the last row that was emitted */
    bool started;          /* the sequence has a row */
    struct spans *cover;   /* in place of targets: all code that has a line */
};

static void seek(struct line_run *r, size_t next)
{
    if (r->cover != NULL)
        return; /* every row matters */
    r->next = next;
    r->next_address =
        next < r->targets->count ? r->targets->list[next].address : UINT64_MAX;
}

/* Fill in the targets below (limit). They are in the last emitted row. */
static void answer(struct line_run *r, uint64_t limit)
{
    if (r->cover != NULL) {
        if (r->started && r->row.line != 0)
            (void)spans_add(r->cover, r->row.address, limit);
        return;
    }
    if (!r->started) { /* addresses before a sequence are not part of the
                          sequence */
        seek(r, targets_from(r->targets, limit));
        return;
    }
    while (r->next_address < limit) {
        struct dwarf_target *t = &r->targets->list[r->next];

        t->line = r->row.line;
        t->discriminator = r->row.discriminator;
        t->file = file_path(r->p, r->row.file);
        seek(r, r->next + 1);
    }
}

static inline void emit_row(struct line_run *r, struct row *row)
{
    if (row->address > r->next_address)
        answer(r, row->address);
    r->row = *row;
    r->started = true;
    row->discriminator = 0;
}

static void extended(struct line_run *r, struct row *row)
{
    struct cursor *c = &r->p->c;
    uint64_t len = cursor_uleb(c);
    struct cursor body = *c;

    cursor_skip(c, len);
    if (c->bad || len == 0)
        return;
    body.end = c->at;
    switch (cursor_u8(&body)) {
    case DW_LNE_end_sequence:
        if (row->address > r->next_address)
            answer(r, row->address);
        *row = (struct row){.line = 1, .file = 1};
        r->started = false;
        seek(r, 0);
        break;
    case DW_LNE_set_address:
        row->address = cursor_uint(&body, len - 1 < 8 ? (unsigned)len - 1 : 8);
        if (!r->started)
            seek(r, targets_from(r->targets, row->address));
        break;
    case DW_LNE_set_discriminator:
        row->discriminator = (uint32_t)cursor_uleb(&body);
        r->p->discriminated |= row->discriminator != 0;
        break;
    default:
        break; /* DW_LNE_define_file is obsolete; other opcodes are skipped */
    }
}

static void standard(struct line_run *r, struct row *row, uint8_t opcode)
{
    struct program *p = r->p;
    struct cursor *c = &p->c;

    switch (opcode) {
    case 0:
        extended(r, row);
        break;
    case DW_LNS_copy:
        emit_row(r, row);
        break;
    case DW_LNS_advance_pc:
        row->address += cursor_uleb(c) * p->min_length;
        break;
    case DW_LNS_advance_line:
        row->line += (uint32_t)cursor_sleb(c);
        break;
    case DW_LNS_set_file:
        row->file = cursor_uleb(c);
        break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    case DW_LNS_const_add_pc:
        row->address +=
            (uint64_t)((255 - p->opcode_base) / p->line_range) * p->min_length;
        break;
    case DW_LNS_fixed_advance_pc:
        row->address += cursor_u16(c);
        break;
    default: /* set_column, set_isa and opcodes of later versions */
        for (unsigned i = 0; i < p->operands[opcode]; i++)
            (void)cursor_uleb(c);
    }
}

/* Run the program for (targets) or for (cover). */
static void run_program(struct program *p, const struct targets *targets,
                        struct spans *cover)
{
    struct line_run r = {.p = p,
                         .targets = targets,
                         .cover = cover,
                         .next_address = cover != NULL ? 0 : UINT64_MAX};
    struct row row = {.line = 1, .file = 1};
    uint32_t address_step[256], line_step[256];

    for (unsigned i = 0; i < 256; i++) {
        address_step[i] = i / p->line_range * p->min_length;
        line_step[i] = (uint32_t)(p->line_base + (int)(i % p->line_range));
    }
    while (p->c.at < p->c.end) {
        uint8_t opcode = *p->c.at++;

        if (opcode >= p->opcode_base) {
            row.address += address_step[opcode - p->opcode_base];
            row.line += line_step[opcode - p->opcode_base];
            emit_row(&r, &row);
        } else {
            standard(&r, &row, opcode);
        }
    }
}

/* Name the files of calls and declarations, which are numbers in the same
 * table. */
static void name_files(struct program *p, const struct targets *t)
{
    for (size_t i = 0; i < t->count; i++) {
        for (struct dwarf_frame *f = t->list[i].frames; f != NULL;
             f = f->outer) {
            if (f->outer != NULL)
                f->file = file_path(p, f->call_file);
            f->home = file_path(p, f->home_file);
        }
    }
}

static void end(struct program *p)
{
    free(p->dirs.list);
    free(p->files.list);
}

bool lines_resolve(struct dwarf *d, struct dwarf_unit *u,
                   const struct targets *t)
{
    struct program p = {.d = d, .u = u};
    bool good = false;

    if (!u->has_lines)
        return true;
    if (read_program_header(&p)) {
        run_program(&p, t, NULL);
        name_files(&p, t);
        u->discriminated |= p.discriminated;
        good = !p.c.bad;
    }
    end(&p);
    return good;
}

bool lines_cover(struct dwarf *d, struct dwarf_unit *u, struct spans *out)
{
    static const struct targets none;
    struct program p = {.d = d, .u = u};
    bool good = false;

    if (!u->has_lines)
        return true;
    if (read_program_header(&p)) {
        run_program(&p, &none, out);
        good = !p.c.bad;
    }
    end(&p);
    return good;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwind tables: an index of entries, and their interpreter. */
#include "outside/unwind/cfi.h"

#include <stdlib.h>

#include "image/dwarf/constants.h"
#include "image/dwarf/frame_entry.h"
#include "image/file/image.h"
#include "util/bounds.h"
#include "util/vec.h"

/* More than any program has. Further entries are ignored. */
#define ENTRIES_MAX    ((size_t)1 << 22)
/* Limit of an entry's instructions in bytes; the longest known have some
 * thousand. */
#define PROGRAM_MAX    ((size_t)1 << 18)
#define REMEMBERED_MAX 16u
#define SECTIONS       2u
#define OPERAND        0x3fu /* of the three instructions that hold one */

struct cfi_entry {
    uint64_t low, high;
    uint64_t offset; /* of the entry in its section */
    unsigned section;
};

struct cfi {
    const struct cpu *cpu;
    struct frame_section sections[SECTIONS];
    struct cfi_entry *entries; /* by rising (low) */
    size_t count, room;
};

/* --- The index ------------------------------------------------------------ */

/* By address, and .eh_frame first among equals. */
static int by_address(const void *a, const void *b)
{
    const struct cfi_entry *x = a, *y = b;

    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Skip entries of code that the linker has dropped, which are at address 0. */
static bool is_code(const struct image *img, uint64_t address)
{
    size_t have;

    return image_code(img, address, &have) != NULL;
}

static int index_section(struct cfi *c, const struct image *img,
                         unsigned section)
{
    struct frame_common common = {.offset = UINT64_MAX};
    struct frame_entry e;
    enum frame_found found;
    uint64_t next = 0, at = 0;

    for (; (found = frame_entry_next(&c->sections[section], &next, &common,
                                     &e)) != FRAME_END;
         at = next) {
        if (found != FRAME_ENTRY || e.low == e.high || !is_code(img, e.low))
            continue;
        if (c->count == ENTRIES_MAX)
            return 0;
        if (vec_grow(&c->entries, &c->room, c->count, sizeof *c->entries) != 0)
            return -1;
        c->entries[c->count++] = (struct cfi_entry){e.low, e.high, at, section};
    }
    return 0;
}

struct cfi *cfi_new(const struct image *img)
{
    static const char *const names[SECTIONS] = {".eh_frame", ".debug_frame"};
    struct cfi *c = calloc(1, sizeof *c);
    int status = c != NULL ? 0 : -1;

    if (c != NULL)
        c->cpu = image_cpu(img);
    for (unsigned i = 0; status == 0 && i < SECTIONS; i++) {
        c->sections[i].part = image_section_part(img, names[i]);
        c->sections[i].eh = i == 0;
        if (c->sections[i].part.bytes != NULL)
            status = index_section(c, img, i);
    }
    if (status != 0) {
        cfi_free(c);
        return NULL;
    }
    if (c->count != 0)
        qsort(c->entries, c->count, sizeof *c->entries, by_address);
    return c;
}

void cfi_free(struct cfi *c)
{
    if (c == NULL)
        return;
    free(c->entries);
    free(c);
}

size_t cfi_count(const struct cfi *c)
{
    return c->count;
}

void cfi_extent(const struct cfi *c, size_t i, uint64_t *low, uint64_t *high)
{
    *low = c->entries[i].low;
    *high = c->entries[i].high;
}

/* The first of the entries that start closest at or below (address). */
static const struct cfi_entry *find_entry(const struct cfi *c, uint64_t address)
{
    size_t low = upper_bound(c->entries, c->count, sizeof *c->entries,
                             offsetof(struct cfi_entry, low), address);

    if (low == 0)
        return NULL;
    low--;
    while (low > 0 && c->entries[low - 1].low == c->entries[low].low)
        low--;
    return address < c->entries[low].high ? &c->entries[low] : NULL;
}

/* --- The interpreter ------------------------------------------------------ */

struct cfi_run {
    const struct cpu *cpu;
    const struct frame_section *section;
    const struct frame_common *common;
    struct cursor at;
    uint64_t target; /* the address that the row is for */
    bool done;       /* further instructions apply after (target) */
    struct cfi_row *row;
    struct cfi_row initial; /* state after the CIE's instructions */
    struct cfi_row remembered[REMEMBERED_MAX];
    unsigned depth;
};

static void fail(struct cfi_run *r)
{
    (void)cursor_fail(&r->at);
}

/* Further instructions apply from (address) on. */
static void move_to(struct cfi_run *r, uint64_t address)
{
    if (address < r->row->low) {
        fail(r);
    } else if (address <= r->target) {
        r->row->low = address;
    } else {
        r->done = true;
        if (address < r->row->high)
            r->row->high = address;
    }
}

static void advance(struct cfi_run *r, uint64_t by)
{
    uint64_t bytes;

    if (__builtin_mul_overflow(by, r->common->code_align, &bytes) ||
        bytes > UINT64_MAX - r->row->low)
        fail(r);
    else
        move_to(r, r->row->low + bytes);
}

static int64_t factored(const struct cfi_run *r, uint64_t value)
{
    return (int64_t)(value * (uint64_t)r->common->data_align);
}

/* Ignore other registers, for example those for floating point. */
static void set_rule(struct cfi_run *r, uint64_t number, struct cfi_rule rule)
{
    if (number <= r->cpu->pc)
        r->row->rules[number] = rule;
}

static void set_offset(struct cfi_run *r, uint64_t number, enum cfi_how how,
                       int64_t offset)
{
    set_rule(r, number, (struct cfi_rule){.how = how, .offset = offset});
}

static void restore(struct cfi_run *r, uint64_t number)
{
    if (number <= r->cpu->pc)
        r->row->rules[number] = r->initial.rules[number];
}

static struct cursor block(struct cfi_run *r)
{
    uint64_t size = cursor_uleb(&r->at);
    struct cursor c = r->at;

    cursor_skip(&r->at, size);
    c.end = r->at.at;
    return c;
}

static void set_expression(struct cfi_run *r, enum cfi_how how)
{
    uint64_t number = cursor_uleb(&r->at);

    set_rule(r, number, (struct cfi_rule){.how = how, .expression = block(r)});
}

/* The caller's register (to) is in register (from). */
static void set_moved(struct cfi_run *r)
{
    uint64_t to = cursor_uleb(&r->at), from = cursor_uleb(&r->at);

    set_rule(r, to,
             from <= r->cpu->pc
                 ? (struct cfi_rule){.how = CFI_OTHER, .number = (uint8_t)from}
                 : (struct cfi_rule){.how = CFI_UNDEFINED});
}

static void set_cfa_register(struct cfi_run *r, uint64_t number)
{
    if (number >= r->cpu->generals)
        fail(r);
    r->row->cfa.how = CFI_OTHER;
    r->row->cfa.number = (uint8_t)number;
}

/* An offset alone is invalid if the CFA is an expression. */
static void set_cfa_offset(struct cfi_run *r, int64_t offset)
{
    if (r->row->cfa.how != CFI_OTHER)
        fail(r);
    r->row->cfa.offset = offset;
}

static void remember(struct cfi_run *r)
{
    if (r->depth == REMEMBERED_MAX)
        fail(r);
    else
        r->remembered[r->depth++] = *r->row;
}

/* Set the end of the row in work. */
static void recall(struct cfi_run *r)
{
    struct cfi_row row;

    if (r->depth == 0) {
        fail(r);
        return;
    }
    row = r->remembered[--r->depth];
    row.low = r->row->low;
    row.high = r->row->high;
    *r->row = row;
}

/* Instructions that advance the address. Returns false for other (code). */
static bool run_move(struct cfi_run *r, uint8_t code)
{
    switch (code) {
    case DW_CFA_set_loc:
        move_to(r,
                frame_entry_pointer(r->section, &r->at, r->common->encoding));
        return true;
    case DW_CFA_advance_loc1:
        advance(r, cursor_u8(&r->at));
        return true;
    case DW_CFA_advance_loc2:
        advance(r, cursor_u16(&r->at));
        return true;
    case DW_CFA_advance_loc4:
        advance(r, cursor_u32(&r->at));
        return true;
    case DW_CFA_MIPS_advance_loc8:
        advance(r, cursor_uint(&r->at, 8));
        return true;
    default:
        return false;
    }
}

/* Instructions that set the CFA. Returns false for other (code). */
static bool run_cfa(struct cfi_run *r, uint8_t code)
{
    switch (code) {
    case DW_CFA_def_cfa:
        set_cfa_register(r, cursor_uleb(&r->at));
        set_cfa_offset(r, (int64_t)cursor_uleb(&r->at));
        return true;
    case DW_CFA_def_cfa_sf:
        set_cfa_register(r, cursor_uleb(&r->at));
        set_cfa_offset(r, factored(r, (uint64_t)cursor_sleb(&r->at)));
        return true;
    case DW_CFA_def_cfa_register:
        if (r->row->cfa.how != CFI_OTHER)
            fail(r);
        set_cfa_register(r, cursor_uleb(&r->at));
        return true;
    case DW_CFA_def_cfa_offset:
        set_cfa_offset(r, (int64_t)cursor_uleb(&r->at));
        return true;
    case DW_CFA_def_cfa_offset_sf:
        set_cfa_offset(r, factored(r, (uint64_t)cursor_sleb(&r->at)));
        return true;
    case DW_CFA_def_cfa_expression:
        r->row->cfa =
            (struct cfi_rule){.how = CFI_IS_EXPRESSION, .expression = block(r)};
        return true;
    default:
        return false;
    }
}

/* Instructions that set the place of a register. Returns false for other
 * (code). */
static bool run_offset(struct cfi_run *r, uint8_t code)
{
    uint64_t number;

    switch (code) {
    case DW_CFA_offset_extended:
    case DW_CFA_val_offset:
        number = cursor_uleb(&r->at);
        set_offset(r, number, code == DW_CFA_val_offset ? CFI_IS : CFI_AT,
                   factored(r, cursor_uleb(&r->at)));
        return true;
    case DW_CFA_offset_extended_sf:
    case DW_CFA_val_offset_sf:
        number = cursor_uleb(&r->at);
        set_offset(r, number, code == DW_CFA_val_offset_sf ? CFI_IS : CFI_AT,
                   factored(r, (uint64_t)cursor_sleb(&r->at)));
        return true;
    case DW_CFA_GNU_negative_offset_extended:
        number = cursor_uleb(&r->at);
        set_offset(r, number, CFI_AT, factored(r, 0 - cursor_uleb(&r->at)));
        return true;
    default:
        return false;
    }
}

static void run_other(struct cfi_run *r, uint8_t code)
{
    switch (code) {
    case DW_CFA_nop:
        break;
    case DW_CFA_restore_extended:
        restore(r, cursor_uleb(&r->at));
        break;
    case DW_CFA_undefined:
        set_offset(r, cursor_uleb(&r->at), CFI_UNDEFINED, 0);
        break;
    case DW_CFA_same_value:
        set_offset(r, cursor_uleb(&r->at), CFI_SAME, 0);
        break;
    case DW_CFA_register:
        set_moved(r);
        break;
    case DW_CFA_remember_state:
        remember(r);
        break;
    case DW_CFA_restore_state:
        recall(r);
        break;
    case DW_CFA_expression:
        set_expression(r, CFI_AT_EXPRESSION);
        break;
    case DW_CFA_val_expression:
        set_expression(r, CFI_IS_EXPRESSION);
        break;
    case DW_CFA_AARCH64_negate_ra_state: /* of SPARC, too, with another sense */
        if (!r->cpu->has_link)
            fail(r);
        r->row->is_signed = !r->row->is_signed;
        break;
    case DW_CFA_GNU_args_size: /* matters only for catching exceptions */
        (void)cursor_uleb(&r->at);
        break;
    default: /* unknown: the length of its operands is not known */
        fail(r);
        break;
    }
}

static void run_one(struct cfi_run *r)
{
    uint8_t code = cursor_u8(&r->at), operand = code & OPERAND;

    switch (code & ~OPERAND) {
    case DW_CFA_advance_loc:
        advance(r, operand);
        return;
    case DW_CFA_offset:
        set_offset(r, operand, CFI_AT, factored(r, cursor_uleb(&r->at)));
        return;
    case DW_CFA_restore:
        restore(r, operand);
        return;
    default:
        break;
    }
    if (!run_move(r, code) && !run_cfa(r, code) && !run_offset(r, code))
        run_other(r, code);
}

/* Run (program) up to its end, or up to (target). Returns false if it is
 * damaged. */
static bool run_program(struct cfi_run *r, const struct cursor *program)
{
    r->at = *program;
    if (cursor_left(&r->at) > PROGRAM_MAX)
        return false;
    while (!r->done && !r->at.bad && r->at.at < r->at.end)
        run_one(r);
    return !r->at.bad;
}

static bool run_entry(struct cfi_run *r, const struct frame_entry *e)
{
    r->row->low = e->low;
    r->row->high = e->high;
    r->row->is_signal = r->common->is_signal;
    if (r->common->is_odd || r->common->return_register != r->cpu->back)
        return false;
    /* continue with the CIE's instructions, which apply to the whole entry */
    if (!run_program(r, &r->common->program) || r->done ||
        r->row->low != e->low)
        return false;
    r->initial = *r->row;
    return run_program(r, &e->program) && r->row->cfa.how != CFI_UNTOLD;
}

enum cfi_found cfi_find(const struct cfi *c, uint64_t address,
                        struct cfi_row *out)
{
    const struct cfi_entry *entry = find_entry(c, address);
    struct frame_common common = {.offset = UINT64_MAX};
    struct cfi_run r;
    struct frame_entry e;
    uint64_t at;

    *out = (struct cfi_row){.low = 0};
    if (entry == NULL)
        return CFI_NONE;
    /* the rows in (r) are written before they are read */
    r.cpu = c->cpu;
    r.common = &common;
    r.target = address;
    r.row = out;
    r.initial = *out;
    r.done = false;
    r.depth = 0;
    r.section = &c->sections[entry->section];
    at = entry->offset;
    if (frame_entry_next(r.section, &at, &common, &e) != FRAME_ENTRY ||
        !run_entry(&r, &e))
        return CFI_DAMAGED;
    return CFI_FOUND;
}

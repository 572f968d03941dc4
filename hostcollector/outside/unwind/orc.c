/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's own unwind tables, ORC (arch/x86/include/asm/orc_types.h). */
#include "outside/unwind/unwind_walk.h"

#include <stdlib.h>

#include "image/file/image.h"
#include "util/bytes.h"
#include "util/cpu/x86_64/x86_registers.h"

#define ENTRY 6u

enum orc_register {
    ORC_UNDEFINED,
    ORC_PREVIOUS_SP,
    ORC_DX,
    ORC_DI,
    ORC_BP,
    ORC_SP,
    ORC_R10,
    ORC_R13,
    ORC_BP_INDIRECT,
    ORC_SP_INDIRECT,
};

/* Types since Linux 6.4. */
enum orc_type {
    ORC_UNKNOWN,
    ORC_END,
    ORC_CALL,
    ORC_REGISTERS, /* all registers that an interrupt's entry has saved */
    ORC_PARTIAL,   /* the words that the CPU has pushed */
};

/* Words of the registers that an entry has saved, in its order. */
static const uint8_t saved[] = {
    X86_R15, X86_R12 + 2, X86_R12 + 1, X86_R12,    X86_RBP,
    X86_RBX, X86_R8 + 3,  X86_R8 + 2,  X86_R8 + 1, X86_R8,
    X86_RAX, X86_RCX,     X86_RDX,     X86_RSI,    X86_RDI};
#define PUSHED 16u /* words below those that the CPU has pushed */
#define LEVEL  3u  /* in CS: not 0 for a program */

struct orc {
    struct image_part addresses, entries;
    uint64_t count;
    bool has_header;
};

static uint64_t address_of(const struct orc *o, uint64_t i)
{
    int32_t distance = (int32_t)load_u32(o->addresses.bytes + 4 * i);

    return o->addresses.address + 4 * i + (uint64_t)(int64_t)distance;
}

static bool is_sorted(const struct orc *o)
{
    for (uint64_t i = 1; o->addresses.bytes != NULL && i < o->count; i++)
        if (address_of(o, i - 1) > address_of(o, i))
            return false;
    return true;
}

struct orc *orc_new(const struct image *img)
{
    struct orc *o = calloc(1, sizeof *o);

    if (o == NULL)
        return NULL;
    if (image_cpu(img) != &cpu_x86_64)
        return o;
    o->addresses = image_section_part(img, ".orc_unwind_ip");
    o->entries = image_section_part(img, ".orc_unwind");
    o->has_header = image_section_part(img, ".orc_header").size != 0;
    if (o->addresses.bytes != NULL && o->entries.bytes != NULL &&
        o->addresses.size / 4 == o->entries.size / ENTRY)
        o->count = o->addresses.size / 4;
    if (o->count != 0 && !is_sorted(o))
        o->count = 0;
    return o;
}

void orc_free(struct orc *o)
{
    free(o);
}

/* The type in the (bits) of an entry before 6.4: 2 bits, followed by a bit for
 * the end of the stack. Since 6.4 the type has 3 bits, and 6.5 added
 * .orc_header. An entry has 6 bytes: two offsets, 4 bits for each of two
 * registers, a type, and flags. */
static uint8_t old_type(uint16_t bits)
{
    if ((bits & 0xf) == ORC_UNDEFINED)
        return (bits >> 10 & 3) != 0 ? ORC_END : ORC_UNKNOWN;
    return (uint8_t)(ORC_CALL + (bits >> 8 & 3));
}

bool orc_find(const struct orc *o, uint64_t address, struct orc_row *out)
{
    uint64_t low = 0, high = o->count;

    if (o->count == 0 || address < address_of(o, 0))
        return false;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (address_of(o, middle) <= address)
            low = middle;
        else
            high = middle;
    }
    const uint8_t *entry = o->entries.bytes + ENTRY * low;
    uint16_t bits = load_u16(entry + 4);

    *out = (struct orc_row){.sp_offset = (int16_t)load_u16(entry),
                            .bp_offset = (int16_t)load_u16(entry + 2),
                            .sp_register = bits & 0xf,
                            .bp_register = bits >> 4 & 0xf,
                            .type =
                                o->has_header ? bits >> 8 & 7 : old_type(bits)};
    return out->type != ORC_UNKNOWN;
}

bool orc_ends(const struct orc *o, uint64_t address)
{
    struct orc_row row;

    return orc_find(o, address, &row) && row.type == ORC_END;
}

/* The caller's stack pointer, or the address of saved registers. */
static outcome find_sp(const struct walk *w, const struct orc_row *row,
                       uint64_t *sp)
{
    static const uint8_t by[] = {
        [ORC_DX] = X86_RDX,          [ORC_DI] = X86_RDI,
        [ORC_BP] = X86_RBP,          [ORC_SP] = X86_RSP,
        [ORC_R10] = X86_R8 + 2,      [ORC_R13] = X86_R12 + 1,
        [ORC_BP_INDIRECT] = X86_RBP, [ORC_SP_INDIRECT] = X86_RSP};
    uint64_t offset = (uint64_t)(int64_t)row->sp_offset;
    bool last = row->sp_register == ORC_SP_INDIRECT;

    if (row->sp_register < ORC_DX || row->sp_register > ORC_SP_INDIRECT ||
        !unwind_known(&w->r, by[row->sp_register]))
        return UNWIND_UNTOLD;
    *sp = w->r.value[by[row->sp_register]] + (last ? 0 : offset);
    if (row->sp_register < ORC_BP_INDIRECT)
        return UNWIND_FULL;
    if (!guest_memory_number(w->memory, *sp, 8, sp))
        return UNWIND_UNREAD;
    *sp += last ? offset : 0;
    return UNWIND_FULL;
}

static void find_bp(const struct walk *w, const struct orc_row *row,
                    uint64_t sp, struct caller *out)
{
    uint64_t offset = (uint64_t)(int64_t)row->bp_offset, value;

    if (row->bp_register == ORC_UNDEFINED) {
        if (unwind_known(&w->r, X86_RBP))
            set(&out->r, X86_RBP, w->r.value[X86_RBP]);
    } else if (row->bp_register == ORC_PREVIOUS_SP) {
        if (guest_memory_number(w->memory, sp + offset, 8, &value))
            set(&out->r, X86_RBP, value);
    } else if (row->bp_register == ORC_BP && unwind_known(&w->r, X86_RBP) &&
               guest_memory_number(w->memory, w->r.value[X86_RBP] + offset, 8,
                                   &value)) {
        set(&out->r, X86_RBP, value);
    }
}

/* Read the words that the CPU has pushed at (at). Code of a program is not a
 * caller. */
static outcome find_pushed(const struct walk *w, uint64_t at,
                           struct caller *out)
{
    uint64_t pc, cs, rsp;

    if (!guest_memory_number(w->memory, at, 8, &pc) ||
        !guest_memory_number(w->memory, at + 8, 8, &cs) ||
        !guest_memory_number(w->memory, at + 24, 8, &rsp))
        return UNWIND_UNREAD;
    if ((cs & LEVEL) != 0)
        return UNWIND_WHOLE;
    out->is_exact = true;
    set(&out->r, X86_PC, pc);
    set(&out->r, X86_RSP, rsp);
    return UNWIND_FULL;
}

static outcome find_saved(const struct walk *w, uint64_t at, struct caller *out)
{
    outcome found = find_pushed(w, at + (uint64_t)PUSHED * 8, out);
    uint64_t value;

    for (size_t i = 0; found == UNWIND_FULL && i < sizeof saved; i++)
        if (guest_memory_number(w->memory, at + i * 8, 8, &value))
            set(&out->r, saved[i], value);
    return found;
}

outcome orc_caller(const struct walk *w, const struct orc_row *row,
                   struct caller *out)
{
    uint64_t sp, pc;
    outcome found;

    *out = (struct caller){.r.count = w->r.count};
    if (row->type == ORC_END)
        return UNWIND_WHOLE;
    found = find_sp(w, row, &sp);
    if (found != UNWIND_FULL)
        return found;
    if (row->type == ORC_REGISTERS)
        return find_saved(w, sp, out);
    find_bp(w, row, sp, out);
    if (row->type == ORC_PARTIAL)
        return find_pushed(w, sp, out);
    if (row->type != ORC_CALL)
        return UNWIND_UNTOLD;
    if (!guest_memory_number(w->memory, sp - 8, 8, &pc))
        return UNWIND_UNREAD;
    set(&out->r, X86_PC, pc);
    set(&out->r, X86_RSP, sp);
    return UNWIND_FULL;
}

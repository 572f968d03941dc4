/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/code/holdup.h"

#include <stdbool.h>
#include <stddef.h>

#include "image/file/image.h"
#include "util/cpu/cpu.h"

/* Does the next instruction follow an instruction of (kind) at once? */
static bool falls_through(enum insn_kind kind)
{
    return kind != INSN_CALL && kind != INSN_CALL_NEXT && kind != INSN_JUMP &&
           kind != INSN_JUMP_AWAY && kind != INSN_RETURN && kind != INSN_TRAP;
}

/* Find the kind as above, by reading the instructions from the function's
 * beginning (code) on. The last instruction ends at (length). */
static enum code_holdup holdup_at_end(const struct cpu *cpu,
                                      const uint8_t *code, size_t length)
{
    enum code_holdup last = HOLDUP_NONE, before = HOLDUP_NONE;
    struct insn in = {.kind = INSN_TRAP};

    for (size_t at = 0, size; at < length; at += size) {
        size = cpu->decode(code + at, length - at, &in);
        if (size == 0)
            return HOLDUP_NONE;
        before = last;
        last = cpu->holdup(code + at, size);
    }
    return holdup_is_late(before) && last == HOLDUP_NONE &&
                   falls_through(in.kind)
               ? before
               : last;
}

/* The code of (f), which may be NULL, if (size) bytes of the code are there. */
static const uint8_t *code_of(const struct image *img,
                              const struct image_function *f, uint64_t size)
{
    size_t have = 0;
    const uint8_t *code = f != NULL && size <= HOLDUP_FUNCTION_MAX
                              ? image_code(img, f->start, &have)
                              : NULL;

    return code != NULL && have >= size ? code : NULL;
}

enum code_holdup holdup_before(const struct image *img, uint64_t address)
{
    const struct cpu *cpu = image_cpu(img);
    size_t have = 0;
    const uint8_t *code = image_code(img, address - CPU_HOLDUP_SPAN, &have);

    if (code != NULL && have >= CPU_HOLDUP_SPAN &&
        !cpu->may_hold_up(code + CPU_HOLDUP_SPAN))
        return HOLDUP_NONE;

    const struct image_function *f = image_find_function(img, address - 1);
    uint64_t length = f != NULL ? address - f->start : 0;

    code =
        f == image_find_function(img, address) ? code_of(img, f, length) : NULL;
    return code != NULL ? holdup_at_end(cpu, code, (size_t)length)
                        : HOLDUP_NONE;
}

bool holdup_loops_to(const struct image *img, uint64_t address)
{
    const struct image_function *f = image_find_function(img, address);
    const uint8_t *code =
        f != NULL && f->start == address ? code_of(img, f, f->size) : NULL;

    for (size_t at = 0, size; code != NULL && at < f->size; at += size) {
        struct insn in;

        size = image_cpu(img)->decode(code + at, (size_t)f->size - at, &in);
        if (size == 0)
            return false;
        if ((in.kind == INSN_JUMP || in.kind == INSN_BRANCH) &&
            (uint64_t)in.value + at + size == 0)
            return true;
    }
    return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/code/uncalled.h"

#include <stdbool.h>
#include <stddef.h>

#include "image/file/image.h"
#include "util/cpu/cpu.h"

/* Does a call end right before (address)? */
static bool is_behind_call(const struct image *img, uint64_t address)
{
    const struct cpu *cpu = image_cpu(img);

    for (size_t n = cpu->call_min; n <= cpu->call_max; n++) {
        size_t have;
        const uint8_t *code = image_code(img, address - n, &have);
        struct insn in;

        if (code != NULL && have >= n && cpu->decode(code, n, &in) == n &&
            (in.kind == INSN_CALL || in.kind == INSN_CALL_NEXT))
            return true;
    }
    return false;
}

const struct image_function *uncalled_function(const struct image *img,
                                               uint64_t address)
{
    const struct image_function *f = image_find_function(img, address);

    return f != NULL && f->start == address &&
                   image_find_function(img, address - 1) == NULL &&
                   !is_behind_call(img, address)
               ? f
               : NULL;
}

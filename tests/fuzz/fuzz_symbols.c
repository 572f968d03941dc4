/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a list of symbols of an image with some code. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/file/object.h"
#include "image/file/symbols_file.h"

#define TEXT 0x600000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image_text text = {.address = TEXT, .size = 0x1000};
    struct image_part code = {.address = TEXT, .size = 0x1000};
    struct object o = {.segments = &text,
                       .segment_count = 1,
                       .text_count = 1,
                       .code = &code,
                       .code_count = 1};

    if (symbols_file_parse(&o, data, size) != 0)
        abort();
    for (size_t i = 0; i < o.symtab.count; i++) {
        const struct image_function *f = &o.symtab.functions[i];

        if (f->start - TEXT >= 0x1000 || f->size > TEXT + 0x1000 - f->start ||
            f->name[0] == '\0' || strlen(f->name) > size ||
            (i > 0 && f->start <= f[-1].start))
            abort();
    }
    symtab_fini(&o.symtab);
    arena_fini(&o.names);
    return 0;
}

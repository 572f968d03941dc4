/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the code and source lines of functions. */
#include "image/file/image.h"
#include "recording/names/unpacker.h"

/* Read runs of code into (image). */
static void take_runs(struct unpacker *u, struct named_image *image)
{
    uint64_t size;
    size_t left = NAMED_CODE_MAX;

    while ((size = cursor_uleb(&u->in)) != 0) {
        uint64_t address = cursor_uleb(&u->in);
        const uint8_t *bytes = NULL;

        if (size <= left)
            bytes = cursor_bytes(&u->in, (size_t)size);
        if (bytes == NULL) {
            cursor_fail(&u->in);
            return;
        }
        left -= (size_t)size;
        if (image_learn_code(image->image, address, bytes, (size_t)size) != 0)
            u->no_memory = true;
    }
}

/* Read the symbols of instructions. Returns false, and leaves the rest of the
 * block, if (image) would take more than (bytes_max). */
static bool take_symbols(struct unpacker *u, struct named_image *image,
                         size_t bytes_max)
{
    uint64_t count = cursor_uleb(&u->in), address = 0;

    if (count > NAMED_CODE_MAX)
        cursor_fail(&u->in);
    while (count-- > 0 && !u->in.bad && !u->no_memory) {
        struct symbol chain[NAMED_CHAIN_MAX];

        if (named_image_bytes(image) >= bytes_max)
            return false;
        address += cursor_uleb(&u->in);
        bool dwarf = cursor_u8(&u->in) != 0;

        if (unpacker_chain(u, address, dwarf, chain) &&
            symbolizer_learn(image->symbolizer, address, chain) != 0)
            u->no_memory = true;
    }
    return true;
}

static void take_source(struct unpacker *u, struct named_image *image,
                        const char *path)
{
    struct image_source source = {.path = path};

    source.first = unpacker_u32(u);
    source.count = unpacker_u32(u);
    source.lines = (const char *)u->in.at;
    if (source.count > NAMED_LINES_MAX)
        cursor_fail(&u->in);
    for (uint32_t i = 0; i < source.count && !u->in.bad; i++)
        (void)cursor_string(&u->in);
    if (u->in.bad)
        return;
    source.size = (size_t)((const char *)u->in.at - source.lines);
    if (image_learn_source(image->image, &source) != 0)
        u->no_memory = true;
}

void unpacker_function(struct named *n, struct unpacker *u)
{
    uint64_t number = cursor_uleb(&u->in);
    const char *path;

    if (number == 0 || number > n->count) {
        cursor_fail(&u->in);
        return;
    }
    struct named_image *image = &n->images[number - 1];
    size_t before = named_image_bytes(image);

    if (n->bytes >= n->bytes_max)
        return;
    take_runs(u, image);
    bool whole = take_symbols(u, image, before + n->bytes_max - n->bytes);

    while (whole && !u->in.bad && !u->no_memory &&
           (path = unpacker_text(u)) != NULL)
        take_source(u, image, path);
    n->bytes += named_image_bytes(image) - before;
}

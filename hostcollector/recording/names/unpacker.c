/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the data of a names chunk. */
#include "recording/names/unpacker.h"

#include "util/vec.h"

const char *unpacker_text(struct unpacker *u)
{
    uint64_t number = cursor_uleb(&u->in);

    if (number == 0)
        return NULL;
    if (number <= u->count)
        return u->texts[number - 1];
    const char *text = cursor_string(&u->in);

    if (number != u->count + 1 || text == NULL) {
        cursor_fail(&u->in);
        return NULL;
    }
    if (vec_grow(&u->texts, &u->room, u->count, sizeof(char *)) != 0) {
        u->no_memory = true;
        cursor_fail(&u->in);
        return NULL;
    }
    u->texts[u->count++] = text;
    return text;
}

uint32_t unpacker_u32(struct unpacker *u)
{
    uint64_t value = cursor_uleb(&u->in);

    return value <= UINT32_MAX ? (uint32_t)value
                               : (uint32_t)cursor_fail(&u->in);
}

bool unpacker_chain(struct unpacker *u, uint64_t address, bool dwarf,
                    struct symbol chain[NAMED_CHAIN_MAX])
{
    uint64_t count = cursor_uleb(&u->in);
    uint64_t start, size;

    if (count > NAMED_CHAIN_MAX)
        cursor_fail(&u->in);
    for (size_t i = 0; i < count && !u->in.bad; i++) {
        bool last = i + 1 == count;
        struct symbol *s = &chain[i];

        s->function = unpacker_text(u);
        s->file = unpacker_text(u);
        s->home = unpacker_text(u);
        s->line = unpacker_u32(u);
        s->kind = !last ? SYMBOL_INLINED : dwarf ? SYMBOL_DWARF : SYMBOL_ELF;
        s->inlined_into = last ? NULL : s + 1;
        if (s->function == NULL)
            cursor_fail(&u->in);
    }
    if (u->in.bad || count == 0)
        return false;
    start = address - cursor_uleb(&u->in);
    size = cursor_uleb(&u->in);
    for (size_t i = 0; i < count; i++) {
        chain[i].start = start;
        chain[i].size = size;
    }
    return !u->in.bad;
}

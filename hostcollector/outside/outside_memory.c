/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a stopped guest, read in blocks. */
#include "outside/outside_memory.h"

#include <string.h>

void outside_memory_begin(struct outside_memory *m, struct outside_guest *g,
                          uint32_t core, const struct cpu_registers *r,
                          struct err *e)
{
    m->guest = g;
    m->core = core;
    m->registers = r;
    m->e = e;
    m->failed = false;
    m->next = 0;
    for (unsigned i = 0; i < OUTSIDE_BLOCKS; i++)
        m->blocks[i].size = 0;
}

/* The bytes at (address) if one block has (size) of them; NULL otherwise. */
static const uint8_t *find(const struct outside_memory *m, uint64_t address,
                           size_t size)
{
    for (unsigned i = 0; i < OUTSIDE_BLOCKS; i++) {
        uint64_t offset = address - m->blocks[i].address;

        if (offset < m->blocks[i].size && m->blocks[i].size - offset >= size)
            return m->blocks[i].bytes + offset;
    }
    return NULL;
}

/* Read a block at (address). */
static void fetch(struct outside_memory *m, uint64_t address)
{
    const struct outside_ops *ops = m->guest->ops;
    unsigned i = m->next++ % OUTSIDE_BLOCKS;
    long n = m->failed ? 0
                       : ops->memory(m->guest, m->core, m->registers, address,
                                     m->blocks[i].bytes, OUTSIDE_BLOCK, m->e);

    m->failed |= n < 0;
    m->blocks[i].address = address;
    m->blocks[i].size = n < 0 ? 0 : (size_t)n;
}

bool outside_memory_read(struct outside_memory *m, uint64_t address, void *to,
                         size_t size)
{
    const uint8_t *from = find(m, address, size);

    if (from == NULL) {
        fetch(m, address);
        from = find(m, address, size);
    }
    if (from == NULL)
        return false;
    memcpy(to, from, size);
    return true;
}

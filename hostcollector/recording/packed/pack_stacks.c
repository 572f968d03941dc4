/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of a pool -> an item of a block. */
#include "recording/packed/pack_stacks.h"

#include <stdlib.h>

#include "recording/packed/format.h"
#include "util/pair_map.h"
#include "util/vec.h"

struct stacks {
    const struct stack_pool *pool;
    const uint32_t *used;
    size_t used_count;
    uint64_t *addresses; /* sorted, without repetition */
    size_t address_count, address_room;
};

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static struct stack stack_of(const struct stacks *p, uint32_t number)
{
    struct stack s = stack_pool_get(p->pool, number);

    s.loaded = s.end & PACK_LOADED;
    s.end &= PACK_LOADED - 1;
    return s;
}

static bool keep_address(struct stacks *p, uint64_t address)
{
    if (vec_grow(&p->addresses, &p->address_room, p->address_count,
                 sizeof address) != 0)
        return false;
    p->addresses[p->address_count++] = address;
    return true;
}

static bool gather_addresses(struct stacks *p)
{
    size_t kept = 0;

    for (size_t i = 1; i <= p->used_count; i++) {
        struct stack s = stack_of(p, p->used[i]);

        for (size_t k = 0; k < s.depth; k++)
            if (!keep_address(p, s.frames[k]))
                return false;
        for (size_t k = 0; k < WIRE_STACK_SLOTS; k++)
            if (s.slot_mask >> k & 1 && !keep_address(p, s.words[k]))
                return false;
    }
    if (p->address_count == 0)
        return true;
    qsort(p->addresses, p->address_count, sizeof *p->addresses, compare);
    for (size_t i = 0; i < p->address_count; i++)
        if (i == 0 || p->addresses[i] != p->addresses[i - 1])
            p->addresses[kept++] = p->addresses[i];
    p->address_count = kept;
    return true;
}

static uint64_t index_of(const struct stacks *p, uint64_t address)
{
    const uint64_t *at = bsearch(&address, p->addresses, p->address_count,
                                 sizeof address, compare);

    return (uint64_t)(at - p->addresses);
}

/* Add the nodes of stack (s), from the outermost on. New nodes go to (parents)
 * and (places). Returns the innermost node's number plus 1; 0 if the stack has
 * no frames. */
static uint32_t add_nodes(const struct stacks *p, const struct stack *s,
                          struct pair_map *nodes, struct pack_bytes *parents,
                          struct pack_bytes *places)
{
    uint32_t node = 0;

    for (size_t i = s->depth; i-- > 0;) {
        uint64_t place = index_of(p, s->frames[i]);
        uint32_t next = (uint32_t)nodes->count;
        uint32_t *at = map_put(nodes, node, place);

        if (at == NULL) {
            parents->failed = true;
            return 0;
        }
        if (*at == MAP_NOTHING) {
            *at = next;
            pack_uleb(parents, node == 0 ? 0 : next - (node - 1));
            pack_uleb(places, place);
        }
        node = *at + 1;
    }
    return node;
}

static void put_stack(const struct stacks *p, const struct stack *s,
                      uint32_t node, struct pack_bytes *to)
{
    pack_uleb(to, node);
    pack_u8(to, s->end);
    pack_u8(to, (uint8_t)(s->slot_mask | (s->loaded ? PACKED_LOADED : 0)));
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (s->slot_mask >> i & 1)
            pack_uleb(to, index_of(p, s->words[i]));
    pack_uleb(to, s->rsp);
    pack_uleb(to, s->generation);
}

void pack_stacks(struct pack_bytes *b, const struct stack_pool *pool,
                 uint64_t text_start, const uint32_t *used, size_t count)
{
    struct stacks p = {.pool = pool, .used = used, .used_count = count};
    struct pack_bytes parents = {0}, places = {0}, stacks = {0};
    struct pair_map nodes = {0};
    uint64_t last = 0;

    if (!gather_addresses(&p))
        b->failed = true;
    pack_uleb(b, text_start);
    pack_uleb(b, p.address_count);
    for (size_t i = 0; i < p.address_count; i++) {
        pack_uleb(b, p.addresses[i] - last);
        last = p.addresses[i];
    }
    for (size_t i = 1; i <= count && !b->failed; i++) {
        struct stack s = stack_of(&p, used[i]);

        put_stack(&p, &s, add_nodes(&p, &s, &nodes, &parents, &places),
                  &stacks);
    }
    pack_uleb(b, nodes.count);
    pack_append(b, &parents);
    pack_append(b, &places);
    pack_uleb(b, count);
    pack_append(b, &stacks);
    map_fini(&nodes);
    free(p.addresses);
}

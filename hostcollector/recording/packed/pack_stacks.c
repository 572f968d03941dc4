/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of a pool -> an item of a block. */
#include "recording/packed/pack_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "recording/packed/format.h"
#include "util/pair_map.h"
#include "util/vec.h"

struct stacks {
    const struct stack_pool *pool;
    const uint32_t *used;
    size_t used_count;
    struct pair_map *nodes; /* (parent's node plus 1, address) -> node */
    struct pack_bytes parents;
    uint64_t *addresses; /* of the nodes, then of the words of stacks */
    size_t address_count, address_room;
    uint32_t *innermost; /* node of each stack, plus 1; 0: no frames */
    uint64_t *sorted;    /* the addresses, without repetition */
    size_t sorted_count;
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

/* Add the nodes of stack (s), from the outermost on. Returns the innermost
 * node's number plus 1; 0 if the stack has no frames. */
static uint32_t add_nodes(struct stacks *p, const struct stack *s)
{
    uint32_t node = 0;

    for (size_t i = s->depth; i-- > 0;) {
        uint32_t next = (uint32_t)p->nodes->count;
        uint32_t *at = map_put(p->nodes, node, s->frames[i]);

        p->parents.failed |= at == NULL || (*at == MAP_NOTHING &&
                                            !keep_address(p, s->frames[i]));
        if (p->parents.failed)
            return 0;
        if (*at == MAP_NOTHING) {
            *at = next;
            pack_uleb(&p->parents, node == 0 ? 0 : next - (node - 1));
        }
        node = *at + 1;
    }
    return node;
}

/* Sort a copy of all addresses. */
static bool sort_addresses(struct stacks *p)
{
    size_t kept = 0;

    if (p->address_count == 0)
        return true;
    p->sorted = malloc(p->address_count * sizeof *p->sorted);
    if (p->sorted == NULL)
        return false;
    memcpy(p->sorted, p->addresses, p->address_count * sizeof *p->sorted);
    qsort(p->sorted, p->address_count, sizeof *p->sorted, compare);
    for (size_t i = 0; i < p->address_count; i++)
        if (i == 0 || p->sorted[i] != p->sorted[i - 1])
            p->sorted[kept++] = p->sorted[i];
    p->sorted_count = kept;
    return true;
}

/* Gather the nodes and the addresses of all stacks. */
static bool gather(struct stacks *p)
{
    p->innermost = calloc(p->used_count + 1, sizeof *p->innermost);
    for (size_t i = 1; i <= p->used_count && p->innermost != NULL; i++) {
        struct stack s = stack_of(p, p->used[i]);

        p->innermost[i] = add_nodes(p, &s);
    }
    for (size_t i = 1; i <= p->used_count; i++) {
        struct stack s = stack_of(p, p->used[i]);

        for (size_t k = 0; k < WIRE_STACK_SLOTS; k++)
            if (s.slot_mask >> k & 1 && !keep_address(p, s.words[k]))
                return false;
    }
    return p->innermost != NULL && !p->parents.failed && sort_addresses(p);
}

static uint64_t index_of(const struct stacks *p, uint64_t address)
{
    const uint64_t *at =
        bsearch(&address, p->sorted, p->sorted_count, sizeof address, compare);

    return (uint64_t)(at - p->sorted);
}

static void put_addresses(const struct stacks *p, struct pack_bytes *b)
{
    uint64_t last = 0;

    pack_uleb(b, p->sorted_count);
    for (size_t i = 0; i < p->sorted_count; i++) {
        pack_uleb(b, p->sorted[i] - last);
        last = p->sorted[i];
    }
}

static void put_stack(const struct stacks *p, uint32_t i, struct pack_bytes *b)
{
    struct stack s = stack_of(p, p->used[i]);

    pack_uleb(b, p->innermost[i]);
    pack_u8(b, s.end);
    pack_u8(b, (uint8_t)(s.slot_mask | (s.loaded ? PACKED_LOADED : 0)));
    for (size_t k = 0; k < WIRE_STACK_SLOTS; k++)
        if (s.slot_mask >> k & 1)
            pack_uleb(b, index_of(p, s.words[k]));
    pack_uleb(b, s.rsp);
    pack_uleb(b, s.generation);
}

void pack_stacks(struct pack_bytes *b, const struct stack_pool *pool,
                 uint64_t text_start, const uint32_t *used, size_t count)
{
    static struct pair_map nodes; /* its room serves all windows */
    struct stacks p = {
        .pool = pool, .used = used, .used_count = count, .nodes = &nodes};

    if (gather(&p)) {
        pack_uleb(b, text_start);
        put_addresses(&p, b);
        pack_uleb(b, nodes.count);
        pack_append(b, &p.parents);
        /* Each node has an address.
         * NOLINTBEGIN(clang-analyzer-core.NullDereference) */
        for (size_t i = 0; i < nodes.count; i++)
            pack_uleb(b, index_of(&p, p.addresses[i]));
        /* NOLINTEND(clang-analyzer-core.NullDereference) */
        pack_uleb(b, count);
        for (uint32_t i = 1; i <= count; i++)
            put_stack(&p, i, b);
    } else {
        b->failed = true;
    }
    map_clear(&nodes);
    free(p.parents.bytes);
    free(p.addresses);
    free(p.innermost);
    free(p.sorted);
}

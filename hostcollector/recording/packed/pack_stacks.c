/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of a pool -> an item of a block. */
#include "recording/packed/pack_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "recording/packed/format.h"
#include "util/pair_map.h"
#include "util/vec.h"

struct address {
    uint64_t value;
    uint32_t number;
};

struct stacks {
    const struct stack_pool *pool;
    const uint32_t *used;
    size_t used_count;
    struct pair_map *nodes; /* (parent's node plus 1, address) -> node */
    struct pack_bytes parents;
    struct pair_map *distinct; /* (0, address) -> number of the address */
    uint32_t *numbers; /* of the nodes' addresses, then of the stacks' words */
    size_t number_count, number_room;
    uint32_t *innermost; /* node of each stack, plus 1; 0: no frames */
    struct address *sorted;
    size_t sorted_count, sorted_room;
    uint32_t *ranks; /* place in (sorted) of each number */
};

static int compare(const void *a, const void *b)
{
    const struct address *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
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
    uint32_t *at = map_put(p->distinct, 0, address);

    if (at == NULL || vec_grow(&p->numbers, &p->number_room, p->number_count,
                               sizeof *p->numbers) != 0)
        return false;
    if (*at == MAP_NOTHING) {
        if (vec_grow(&p->sorted, &p->sorted_room, p->sorted_count,
                     sizeof *p->sorted) != 0)
            return false;
        *at = (uint32_t)p->sorted_count;
        p->sorted[p->sorted_count++] = (struct address){address, *at};
    }
    p->numbers[p->number_count++] = *at;
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

static bool sort_addresses(struct stacks *p)
{
    if (p->sorted_count == 0)
        return true;
    p->ranks = malloc(p->sorted_count * sizeof *p->ranks);
    if (p->ranks == NULL)
        return false;
    qsort(p->sorted, p->sorted_count, sizeof *p->sorted, compare);
    for (uint32_t i = 0; i < p->sorted_count; i++)
        p->ranks[p->sorted[i].number] = i;
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

static void put_addresses(const struct stacks *p, struct pack_bytes *b)
{
    uint64_t last = 0;

    pack_uleb(b, p->sorted_count);
    for (size_t i = 0; i < p->sorted_count; i++) {
        pack_uleb(b, p->sorted[i].value - last);
        last = p->sorted[i].value;
    }
}

/* Write stack (i), whose words begin at (*word) in (numbers). */
static void put_stack(const struct stacks *p, uint32_t i, size_t *word,
                      struct pack_bytes *b)
{
    struct stack s = stack_of(p, p->used[i]);

    pack_uleb(b, p->innermost[i]);
    pack_u8(b, s.end);
    pack_u8(b, (uint8_t)(s.slot_mask | (s.loaded ? PACKED_LOADED : 0)));
    for (size_t k = 0; k < WIRE_STACK_SLOTS; k++)
        if (s.slot_mask >> k & 1)
            pack_uleb(b, p->ranks[p->numbers[(*word)++]]);
    pack_uleb(b, s.sp);
    pack_uleb(b, s.generation);
}

void pack_stacks(struct pack_bytes *b, const struct stack_pool *pool,
                 uint64_t text_start, const uint32_t *used, size_t count)
{
    static struct pair_map nodes, distinct; /* their room serves all windows */
    struct stacks p = {.pool = pool,
                       .used = used,
                       .used_count = count,
                       .nodes = &nodes,
                       .distinct = &distinct};

    if (gather(&p)) {
        pack_uleb(b, text_start);
        put_addresses(&p, b);
        pack_uleb(b, nodes.count);
        pack_append(b, &p.parents);
        /* Each node has an address.
         * NOLINTBEGIN(clang-analyzer-core.NullDereference) */
        for (size_t i = 0; i < nodes.count; i++)
            pack_uleb(b, p.ranks[p.numbers[i]]);
        /* NOLINTEND(clang-analyzer-core.NullDereference) */
        pack_uleb(b, count);
        size_t word = nodes.count;

        for (uint32_t i = 1; i <= count; i++)
            put_stack(&p, i, &word, b);
    } else {
        b->failed = true;
    }
    map_clear(&nodes);
    map_clear(&distinct);
    free(p.parents.bytes);
    free(p.numbers);
    free(p.innermost);
    free(p.sorted);
    free(p.ranks);
}

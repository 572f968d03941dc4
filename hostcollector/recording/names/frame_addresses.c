/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers the addresses of a profile that a report looks up. */
#include "recording/names/frame_addresses.h"

#include <stdlib.h>
#include <string.h>

#include "image/names/hidden_callers.h"
#include "image/names/image_map.h"
#include "model/profile.h"
#include "profile/aggregate/aggregate.h"
#include "util/vec.h"

static int by_value(const void *x, const void *y)
{
    uint64_t a, b;

    memcpy(&a, x, sizeof a);
    memcpy(&b, y, sizeof b);
    return (a > b) - (a < b);
}

/* Sort (l), and drop repeated addresses. */
static void tidy(struct address_list *l)
{
    size_t kept = 0;

    if (l->count != 0)
        qsort(l->list, l->count, sizeof *l->list, by_value);
    for (size_t i = 0; i < l->count; i++)
        if (kept == 0 || l->list[kept - 1] != l->list[i])
            l->list[kept++] = l->list[i];
    l->count = kept;
}

/* Make room in (l) for one more address. Returns 0; -1 if there is no memory. A
 * list that may not grow stays full, because sorting it again for each address
 * would take long. */
static int make_room(struct frame_addresses *a, struct address_list *l)
{
    if (l->count < l->room)
        return 0;
    tidy(l);
    if (l->count < l->room / 2)
        return 0;
    size_t before = l->room * sizeof *l->list;

    if (a->bytes + before > a->bytes_max) {
        l->full = a->partial = true;
        return 0;
    }
    if (vec_grow(&l->list, &l->room, l->room, sizeof *l->list) != 0)
        return -1;
    a->bytes += l->room * sizeof *l->list - before;
    return 0;
}

static int add_address(struct frame_addresses *a, struct address_list *l,
                       uint64_t address)
{
    if (l->full || (l->count != 0 && l->list[l->count - 1] == address))
        return 0;
    if (make_room(a, l) != 0)
        return -1;
    if (!l->full)
        l->list[l->count++] = address;
    return 0;
}

static int add_leaf(struct frame_addresses *a,
                    const struct image_map *image_map, uint64_t leaf)
{
    struct image_address at = image_map_find(image_map, leaf);

    return add_address(a, &a->images[at.number].leaves, at.address);
}

/* Add (count) return addresses. A return address may be the first byte after
 * its image. */
static int add_calls(struct frame_addresses *a,
                     const struct image_map *image_map, const uint64_t *back,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct image_address at = image_map_find(image_map, back[i] - 1);

        if (add_address(a, &a->images[at.number].calls, at.address + 1) != 0)
            return -1;
    }
    return 0;
}

static int add_stack(struct frame_addresses *a,
                     const struct image_map *image_map,
                     const struct stack *stack)
{
    if (add_calls(a, image_map, stack->frames, stack->depth) != 0)
        return -1;
    for (uint32_t i = 0; i + 1 < stack->depth; i++) {
        struct hidden_callers missed =
            hidden_callers_of_frame(image_map, stack->frames[i]);

        if (add_calls(a, image_map, missed.address, missed.count) != 0)
            return -1;
    }
    return 0;
}

static int add_entries(struct frame_addresses *a,
                       const struct image_map *image_map,
                       const struct profile *p, const struct profile_core *core)
{
    for (size_t i = 0; i < core->entry_count; i++) {
        const struct profile_entry *entry = &core->entries[i];
        struct stack stack = profile_stack(p, entry->stack);
        struct hidden_callers missed =
            hidden_callers_of_leaf(image_map, entry->leaf, &stack);

        if (add_leaf(a, image_map, entry->leaf) != 0 ||
            add_calls(a, image_map, missed.address, missed.count) != 0)
            return -1;
    }
    return 0;
}

static int add_all(struct frame_addresses *a, const struct profile *p,
                   const struct image_map *image_map)
{
    for (size_t i = 0; i < p->core_count; i++)
        if (add_entries(a, image_map, p, &p->cores[i]) != 0)
            return -1;
    for (size_t i = 0; i < p->lock_count; i++)
        if (add_leaf(a, image_map, p->locks[i].address) != 0)
            return -1;
    for (uint32_t i = 0; i < p->stack_count; i++) {
        struct stack stack = profile_stack(p, i);

        if (add_stack(a, image_map, &stack) != 0)
            return -1;
    }
    return 0;
}

int frame_addresses_gather(struct frame_addresses *a, const struct profile *p,
                           const struct image_map *image_map)
{
    a->image_count = image_map_count(image_map);
    a->images = calloc(a->image_count, sizeof *a->images);
    if (a->images == NULL || add_all(a, p, image_map) != 0)
        return -1;
    for (size_t i = 0; i < a->image_count; i++) {
        tidy(&a->images[i].leaves);
        tidy(&a->images[i].calls);
    }
    return 0;
}

void frame_addresses_fini(struct frame_addresses *a)
{
    for (size_t i = 0; a->images != NULL && i < a->image_count; i++) {
        free(a->images[i].leaves.list);
        free(a->images[i].calls.list);
    }
    free(a->images);
    *a = (struct frame_addresses){0};
}

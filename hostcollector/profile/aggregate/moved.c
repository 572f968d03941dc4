/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves addresses of stacks and leaves to the shown places of their images. */
#include "profile/aggregate/moved.h"

bool moved_leaves_text(const struct guest *g, const struct stack *s)
{
    bool leaves = s->loaded;

    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        leaves |= (s->slot_mask >> i & 1) != 0 &&
                  s->words[i] - g->text_start > g->text_size;
    for (size_t i = 0; i < s->depth; i++)
        leaves |= s->frames[i] - g->text_start > g->text_size;
    return leaves;
}

void moved_entries(struct entries *e, const struct stack_pool *p,
                   const struct maps *m)
{
    for (size_t i = 1; i <= e->count; i++) {
        struct stack s = stack_pool_get(p, e->list[i].stack);

        if (s.generation != ERA_NONE)
            e->list[i].leaf = maps_shown(m, s.generation, e->list[i].leaf, 0);
    }
}

static uint64_t move_back(const void *maps, uint32_t era, uint64_t address)
{
    return maps_shown(maps, era, address, 1);
}

void moved_stacks(struct stack_pool *p, const struct maps *m)
{
    stack_pool_move(p, move_back, m);
}

uint64_t moved_address(const struct profile *p, const uint64_t *slides,
                       uint64_t pc, unsigned behind)
{
    size_t i = 0;

    while (i < p->map_count &&
           pc - behind - p->maps[i].start >= p->maps[i].size)
        i++;
    return pc - slides[i];
}

struct stack moved_stack(const struct profile *p, const uint64_t *slides,
                         uint32_t number,
                         uint64_t frames[WIRE_STACK_FRAMES_MAX])
{
    struct stack s = stack_pool_get(p->stacks, number);

    for (uint32_t i = 0; i < s.depth; i++)
        frames[i] = moved_address(p, slides, s.frames[i], 1);
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (s.slot_mask >> i & 1)
            s.words[i] = moved_address(p, slides, s.words[i], 1);
    s.frames = frames;
    s.generation = ERA_NONE;
    /* threads and requests of other guests have other numbers */
    s.thread = 0;
    s.request = 0;
    return s;
}

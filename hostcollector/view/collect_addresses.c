/* SPDX-License-Identifier: BSD-2-Clause */
/* The first walk over a profile. */
#include "view/collect_addresses.h"

#include "image/names/hidden_callers.h"
#include "image/names/image_map.h"
#include "profile/aggregate/aggregate.h"
#include "view/code_frames.h"
#include "view/walk.h"

/* Add the calls before the return addresses (back). */
static int learn_calls(struct code_frames *frames, const uint64_t *back,
                       uint32_t count, double time)
{
    for (uint32_t i = 0; i < count; i++) {
        if (code_frames_add_call(frames, back[i], time) != 0)
            return -1;
    }
    return 0;
}

/* Add the calls of (stack), and those that its walk has missed. */
static int learn_stack(struct code_frames *frames, const struct stack *stack,
                       double time)
{
    if (learn_calls(frames, stack->frames, stack->depth, time) != 0)
        return -1;
    for (uint32_t i = 0; i + 1 < stack->depth; i++) {
        struct hidden_callers missed =
            code_frames_missed(frames, stack->frames[i]);

        if (learn_calls(frames, missed.address, missed.count, time) != 0)
            return -1;
    }
    return 0;
}

static int learn_entry(struct code_frames *frames, const struct profile *p,
                       const struct image_map *image_map,
                       const struct profile_entry *entry)
{
    struct stack stack = profile_stack(p, entry->stack);
    struct hidden_callers missed =
        hidden_callers_of_leaf(image_map, entry->leaf, &stack);
    double time = entry->tally.time;

    if (walk_is_others(entry))
        return 0;
    return code_frames_add(frames, entry->leaf, time) != 0 ||
                   learn_calls(frames, missed.address, missed.count, time) != 0
               ? -1
               : learn_stack(frames, &stack, time);
}

struct code_frames *collect_addresses_new(const struct image_map *image_map,
                                          uint64_t bytes)
{
    size_t names = bytes / 2;

    return code_frames_new(image_map, names / CODE_FRAMES_BYTES, names);
}

int collect_addresses(struct code_frames *frames, const struct profile *p,
                      const struct image_map *image_map)
{
    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *core = &p->cores[i];

        for (size_t j = 0; j < core->entry_count; j++) {
            if (!profile_is_left_out(core, &core->entries[j].tally) &&
                learn_entry(frames, p, image_map, &core->entries[j]) != 0)
                return -1;
        }
    }
    for (size_t i = 0; i < p->wait_count; i++) {
        struct stack stack = profile_stack(p, p->waits[i].stack);

        if (learn_stack(frames, &stack, (double)p->waits[i].time) != 0)
            return -1;
    }
    for (size_t i = 0; i < p->lock_wait_count; i++) {
        const struct profile_lock_wait *w = &p->lock_waits[i];
        struct stack stack = profile_stack(p, w->stack);

        if (learn_stack(frames, &stack, (double)w->waits.time) != 0)
            return -1;
    }
    return code_frames_finish(frames);
}

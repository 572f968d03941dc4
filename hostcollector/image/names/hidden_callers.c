/* SPDX-License-Identifier: BSD-2-Clause */
/* Climbs from callee to caller while a word or the code gives the caller. */
#include "image/names/hidden_callers.h"

#include "image/code/frame_place.h"
#include "image/names/image_map.h"

/* Position of the search. */
struct climb {
    const struct image_map *image_map;
    const struct stack *stack;
    uint32_t word; /* index in the stack of the word at SP; WIRE_STACK_SLOTS:
                      beyond */
    uint64_t pc;   /* at run time, and in its image */
    struct image_address where;
    bool fp_kept; /* since the leaf */
};

/* Climb to return address (pc), which may be after its image's last byte. */
static void return_to(struct climb *c, uint64_t pc)
{
    c->pc = pc;
    c->where = image_map_find(c->image_map, pc - 1);
    c->where.address++;
}

/* Climb by the word that is (words) above SP. If that word cannot be a return
 * address, the code was not understood. */
static bool step_by_word(struct climb *c, uint32_t words)
{
    c->word += words;
    if ((c->stack->slot_mask >> c->word & 1) == 0)
        return false;
    return_to(c, c->stack->words[c->word++]);
    return c->where.image->frame_places != NULL &&
           frame_place_exit(c->where.image->frame_places, c->where.address)
               .called;
}

/* Climb by the only call of the function in its image. If another image may
 * call the function, there is no such call. */
static bool step_by_code(struct climb *c)
{
    uint64_t back = image_map_count(c->image_map) == 1
                        ? frame_place_only_call(c->where.image->frame_places,
                                                c->where.address)
                        : 0;

    c->word = WIRE_STACK_SLOTS;
    if (back != 0)
        return_to(c, back + (c->pc - c->where.address));
    return back != 0;
}

static bool climb_once(struct climb *c)
{
    struct code_exit out =
        frame_place_exit(c->where.image->frame_places, c->where.address);

    c->fp_kept = c->fp_kept && out.fp_kept;
    return c->stack != NULL && out.words != CODE_FAR &&
                   c->word + out.words < WIRE_STACK_SLOTS
               ? step_by_word(c, out.words)
               : step_by_code(c);
}

/* Climb from a function whose caller the walk missed to a function whose frame
 * the walk found. */
static struct hidden_callers climb_from(struct climb *c)
{
    struct hidden_callers found = {.missing = true};
    bool is_body = false;

    while (!is_body && found.count < HIDDEN_CALLERS_MAX && climb_once(c)) {
        found.address[found.count++] = c->pc;
        is_body = frame_place_at(c->where.image->frame_places,
                                 c->where.address) == CODE_BODY;
    }
    found.missing = !is_body || !c->fp_kept;
    return found;
}

struct hidden_callers hidden_callers_of_leaf(const struct image_map *image_map,
                                             uint64_t leaf,
                                             const struct stack *stack)
{
    struct climb c = {.image_map = image_map,
                      .stack = stack,
                      .pc = leaf,
                      .where = image_map_find(image_map, leaf),
                      .fp_kept = true};

    if (c.where.image->frame_places == NULL ||
        !frame_place_caller_uncertain(
            frame_place_at(c.where.image->frame_places, c.where.address)))
        return (struct hidden_callers){.count = 0};
    return climb_from(&c);
}

struct hidden_callers hidden_callers_of_frame(const struct image_map *image_map,
                                              uint64_t frame)
{
    struct climb c = {
        .image_map = image_map, .word = WIRE_STACK_SLOTS, .fp_kept = true};

    return_to(&c, frame);
    if (c.where.image->frame_places == NULL ||
        !frame_place_caller_missing(
            frame_place_of_call(c.where.image->frame_places, c.where.address)))
        return (struct hidden_callers){.count = 0};
    return climb_from(&c);
}

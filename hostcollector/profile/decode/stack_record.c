/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that define a stack. */
#include "profile/decode/samples.h"

/* Read the next address of a STACK record into (*word). It is coded as the
 * difference from (*last), and becomes (*last). */
static void next_address(struct cursor *c, uint64_t *last, uint64_t *word)
{
    *last += cursor_zigzag(c);
    *word = *last;
}

/* Build the chain from (fresh) new addresses and the outermost (shared)
 * addresses of the previous chain. */
static void build_chain(struct core *core, struct cursor *c, uint64_t address,
                        size_t fresh, size_t shared)
{
    uint64_t frames[WIRE_STACK_FRAMES_MAX];
    const uint64_t *outer = core->chain + core->depth - shared;

    for (size_t i = 0; i < fresh; i++)
        next_address(c, &address, &frames[i]);
    for (size_t i = 0; i < shared; i++)
        frames[fresh + i] = outer[i];
    core->depth = (uint32_t)(fresh + shared);
    for (size_t i = 0; i < core->depth; i++)
        core->chain[i] = frames[i];
}

/* The index of the base (address) of a STACK_AT record; above
 * WIRE_STACK_BASES_MAX if there are too many bases. */
static uint16_t find_base(struct core *c, uint64_t address)
{
    uint16_t i = 1;

    while (i <= c->base_count && c->bases[i] != address)
        i++;
    if (i > c->base_count && i <= WIRE_STACK_BASES_MAX) {
        c->bases[i] = address;
        c->base_count = i;
    }
    return i;
}

/* Fields of a STACK record before its addresses. */
struct stack_head {
    uint64_t id, end, mask;
    uint64_t shared, fresh; /* frames of the chain before, and new frames */
};

/* Returns a text that says what is wrong with (h), or NULL. */
static const char *check_stack(const struct stack_head *h)
{
    if (h->id >= CORE_DICT_SLOTS)
        return "a stack id beyond 8191";
    if (h->mask >> WIRE_STACK_SLOTS != 0)
        return "a STACK record with unknown slots";
    if (h->fresh > WIRE_STACK_FRAMES_MAX || h->shared > WIRE_STACK_FRAMES_MAX ||
        h->fresh + h->shared > WIRE_STACK_FRAMES_MAX)
        return "a stack of more than 127 frames";
    return NULL;
}

/* Count the slots of the dictionary up to (id) as used. */
static void use_slot(struct samples_decoder *d, struct core *core, uint64_t id)
{
    if (id < core->dict_end)
        return;
    d->dict_slots += id + 1 - core->dict_end;
    core->dict_end = (uint32_t)id + 1;
}

/* Pass on (stack) with the core's chain as its frames, and put it into the
 * dictionary. */
static void define_stack(struct samples_decoder *d, struct core *core,
                         const struct stack_head *h, uint16_t base,
                         struct stack *stack)
{
    stack->frames = core->chain;
    stack->loaded = base != 0;
    stack->generation = core->images_generation;
    stack->depth = core->depth;
    stack->slot_mask = (uint8_t)h->mask;
    stack->end =
        (uint8_t)(h->end < WIRE_END_REASONS ? h->end : WIRE_END_REASONS);
    core->dict[h->id] = (struct core_slot){
        .stack = d->events->stack(d->sums, core->number, stack),
        .generation = core->generation,
        .base = base,
    };
}

/* Read a stack whose leaves and addresses are counted from base number
 * (base). */
static const char *read_stack(struct samples_decoder *d, struct core *core,
                              struct cursor *c, uint16_t base)
{
    struct stack stack = {0};
    uint64_t address = core->bases[base];
    struct stack_head h = {.id = cursor_uleb(c)};

    h.end = cursor_uleb(c);
    h.mask = cursor_uleb(c);
    for (size_t i = 0; i < WIRE_STACK_SLOTS; i++)
        if (h.mask >> i & 1)
            next_address(c, &address, &stack.words[i]);
    h.shared = cursor_uleb(c);
    h.fresh = cursor_uleb(c);
    if (c->bad)
        return "a STACK record is cut";
    const char *wrong = check_stack(&h);

    if (wrong != NULL)
        return wrong;
    use_slot(d, core, h.id);
    core->dict[h.id].generation = 0;
    if (h.shared > 0 && !core->chain_known)
        return NULL;
    if (h.shared > core->depth)
        return "a STACK record shares more frames with the previous stack "
               "than the previous stack has";
    build_chain(core, c, address, (size_t)h.fresh, (size_t)h.shared);
    core->chain_known = !c->bad;
    if (c->bad)
        return "a STACK record is cut";
    if (h.end == WIRE_END_MEMORY && h.mask == 0 && core->depth == 0)
        stack.sp = cursor_uleb(c); /* 0: unknown */
    define_stack(d, core, &h, base, &stack);
    return NULL;
}

const char *stack_record(struct samples_decoder *d, struct core *core,
                         struct cursor *c)
{
    return read_stack(d, core, c, 0);
}

const char *stack_at_record(struct samples_decoder *d, struct core *core,
                            struct cursor *c)
{
    uint64_t address = core->bases[0] + cursor_zigzag(c);

    if (c->bad)
        return "a STACK_AT record is cut";
    uint16_t base = find_base(core, address);

    core->images = true;
    return base > WIRE_STACK_BASES_MAX ? "STACK_AT records of over 64 images"
                                       : read_stack(d, core, c, base);
}

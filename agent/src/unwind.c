/* SPDX-License-Identifier: BSD-2-Clause */
/* The careful walk over a frame chain. Pure: reads the memory it is told. */
#include "unwind.h"

#define WORDS_SIZE (8u * WIRE_STACK_SLOTS)

static int in_text(const struct tprof_bounds *b, uint64_t address)
{
    return address - b->text_start < b->text_size;
}

/* The range in which (size) bytes at (address) may be read, or NULL. */
static const struct tprof_range *find_range(const struct tprof_bounds *b,
                                            uint64_t address, uint64_t size)
{
    for (int i = 0; i < TPROF_RANGES; i++) {
        const struct tprof_range *r = &b->readable[i];

        if (r->size >= size && address - r->start <= r->size - size)
            return r;
    }
    return NULL;
}

void tprof_unwind_locate(const struct tprof_bounds *b, uint64_t rsp,
                         struct tprof_span *span)
{
    const struct tprof_range *r = find_range(b, rsp, WORDS_SIZE);

    *span = (struct tprof_span){b->text_start, b->text_size, 0, 0, 0};
    if (!r)
        return;
    span->start = r->start;
    span->room = r->size - WORDS_SIZE + 1;
    span->limit = r->start + r->size - (TPROF_FRAME_SIZE - 1);
}

/* The words at (rsp) that lie in text: an interrupted prologue's caller. */
static uint64_t take_words(const struct tprof_bounds *b, uint64_t rsp,
                           struct tprof_chain *chain)
{
    uint64_t hash = TPROF_NAME_SEED;

    chain->slots = 0;
    if (!find_range(b, rsp, WORDS_SIZE))
        return hash;
    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
        chain->word[i] = tprof_unwind_load(rsp + 8 * i);
        if (in_text(b, chain->word[i])) {
            chain->slots |= 1u << i;
            hash = tprof_mix(hash, chain->word[i] + i);
        }
    }
    return hash;
}

#define GOES_ON WIRE_END_REASONS /* no reason to end here */

/* Is there a frame at (fp), not below (floor)? */
static uint32_t look_at(const struct tprof_bounds *b, uint64_t fp,
                        uint64_t floor)
{
    if (fp == 0)
        return WIRE_END_ZERO;
    if (!find_range(b, fp, TPROF_FRAME_SIZE))
        return WIRE_END_MEMORY;
    if (fp < floor)
        return WIRE_END_NOT_RISING;
    return in_text(b, tprof_unwind_load(fp + 8)) ? GOES_ON : WIRE_END_TEXT;
}

uint64_t tprof_unwind_frames(const struct tprof_bounds *b, uint64_t rsp,
                             uint64_t rbp, uint32_t depth,
                             struct tprof_chain *chain)
{
    uint64_t hash = take_words(b, rsp, chain);
    uint64_t fp = rbp;
    uint64_t floor = rsp;

    chain->count = 0;
    chain->end = WIRE_END_MEMORY;
    if (!find_range(b, rsp, 1))
        return tprof_mix(hash, chain->end);
    for (;;) {
        chain->end = chain->count == depth ? (uint32_t)WIRE_END_DEPTH
                                           : look_at(b, fp, floor);
        if (chain->end != GOES_ON)
            return tprof_mix(hash, chain->end);
        chain->frame[chain->count] = tprof_unwind_load(fp + 8);
        hash = tprof_mix(hash, chain->frame[chain->count++]);
        floor = fp + 1;
        fp = tprof_unwind_load(fp);
    }
}

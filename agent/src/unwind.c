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
            hash = tprof_mix(hash, tprof_unwind_word(chain->word[i], i));
        }
    }
    return hash;
}

uint64_t tprof_unwind_frames(const struct tprof_bounds *b, uint64_t rsp,
                             uint64_t rbp, uint32_t depth,
                             struct tprof_chain *chain)
{
    uint64_t hash = take_words(b, rsp, chain);
    const struct tprof_range *r = find_range(b, rsp, 1);
    uint64_t fp = rbp;
    uint64_t floor = rsp;
    uint32_t count = 0;

    chain->end = WIRE_END_MEMORY;
    while (r) {
        chain->end = WIRE_END_DEPTH;
        if (count == depth)
            break;
        chain->end = WIRE_END_ZERO;
        if (fp == 0)
            break;
        chain->end = WIRE_END_MEMORY;
        if (r->size < TPROF_FRAME_SIZE ||
            fp - r->start > r->size - TPROF_FRAME_SIZE) {
            r = find_range(b, fp, TPROF_FRAME_SIZE);
            continue; /* in another range, or at the end */
        }
        chain->end = WIRE_END_NOT_RISING;
        if (fp < floor)
            break;
        uint64_t address = tprof_unwind_load(fp + 8);

        chain->end = WIRE_END_TEXT;
        if (!in_text(b, address))
            break;
        chain->frame[count++] = address;
        hash = tprof_mix(hash, address);
        floor = fp + 1;
        fp = tprof_unwind_load(fp);
    }
    chain->count = count;
    return tprof_mix(hash, chain->end);
}

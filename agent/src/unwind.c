/* SPDX-License-Identifier: BSD-2-Clause */
/* The two walks over a frame chain. Pure: reads the memory that it is told. */
#include "unwind.h"

#include "mem.h"

#define FRAME_SIZE 16u /* saved frame pointer, return address */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash + value) * 0x9e3779b97f4a7c15u;
}

static uint64_t load(uint64_t address)
{
    return tprof_load64((const void *)(uintptr_t)address);
}

static int in_text(const struct tprof_bounds *b, uint64_t address)
{
    return address - b->text_start < b->text_size;
}

/* The range in which (size) bytes at (address) may be read, or NULL. */
static const struct tprof_range *
find_range(const struct tprof_bounds *b, uint64_t address, uint64_t size)
{
    for (int i = 0; i < TPROF_RANGES; i++) {
        const struct tprof_range *r = &b->readable[i];

        if (r->size >= size && address - r->start <= r->size - size)
            return r;
    }
    return NULL;
}

/* Why no frame at (fp) follows, after (left) more were allowed. */
static enum wire_end end_of(const struct tprof_bounds *b, uint64_t fp,
                            uint32_t left)
{
    if (left == 0)
        return WIRE_END_DEPTH;
    if (fp == 0)
        return WIRE_END_ZERO;
    return find_range(b, fp, FRAME_SIZE) ? WIRE_END_NOT_RISING
                                         : WIRE_END_MEMORY;
}

/*
 * (fp) lies in the range that ends FRAME_SIZE - 1 above (limit), and above the
 * frame before: both in one comparison. Counted from the limit down, what may
 * be read is the top of the 64-bit numbers, and (last) moves up in it.
 */
#define RISES(fp, limit, last) ((fp) - (limit) > (last))

uint64_t tprof_unwind_hash(const struct tprof_bounds *b, uint64_t rsp,
                           uint64_t rbp, uint32_t depth, uint64_t seed)
{
    const struct tprof_range *r = find_range(b, rsp, 8 * WIRE_STACK_SLOTS);
    uint64_t hash = seed;
    uint64_t fp = rbp;
    uint32_t left = depth;

    if (r) {
        for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
            uint64_t word = load(rsp + 8 * i);

            if (in_text(b, word))
                hash = mix(hash, word + i);
        }
    } else {
        r = find_range(b, rsp, FRAME_SIZE);
    }
    uint64_t floor = rsp;

    while (r) {
        uint64_t limit = r->start + r->size - (FRAME_SIZE - 1);
        uint64_t last = floor - 1 - limit;

        for (; left > 0 && RISES(fp, limit, last); left--) {
            last = fp - limit;
            hash = mix(hash, load(fp + 8));
            fp = load(fp);
        }
        floor = last + limit + 1;
        if (left == 0 || fp < floor)
            break;
        /* the chain goes on in a higher range? */
        r = find_range(b, fp, FRAME_SIZE);
    }
    return mix(hash, end_of(b, fp, left));
}

uint64_t tprof_unwind_frames(const struct tprof_bounds *b, uint64_t rsp,
                             uint64_t rbp, uint32_t depth, uint64_t seed,
                             struct tprof_chain *chain)
{
    uint64_t hash = seed;
    uint64_t fp = rbp;
    uint64_t floor = rsp;
    int readable = find_range(b, rsp, FRAME_SIZE) != NULL;

    chain->slots = 0;
    chain->count = 0;
    if (find_range(b, rsp, 8 * WIRE_STACK_SLOTS)) {
        for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
            chain->word[i] = load(rsp + 8 * i);
            if (in_text(b, chain->word[i])) {
                chain->slots |= 1u << i;
                hash = mix(hash, chain->word[i] + i);
            }
        }
    }
    while (readable && chain->count < depth && fp >= floor &&
           find_range(b, fp, FRAME_SIZE)) {
        uint64_t address = load(fp + 8);

        if (!in_text(b, address)) {
            chain->end = WIRE_END_TEXT;
            return mix(hash, WIRE_END_TEXT);
        }
        chain->frame[chain->count++] = address;
        hash = mix(hash, address);
        floor = fp + 1;
        fp = load(fp);
    }
    chain->end = end_of(b, fp, depth - chain->count);
    return mix(hash, chain->end);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The second, careful walk over a frame chain. Reads only given memory. */
#include "sample/unwind.h"

#include "sample/longrec.h"

#define WORDS_SIZE (8u * WIRE_STACK_SLOTS)

const uint64_t tprof_mix_factor = TPROF_MIX_FACTOR;
#define UNMIX_FACTOR 0xf1de83e19937733du /* times tprof_mix_factor: 1 */

/* Bases for leaves of code in no image, multiples of TPROF_REACH_MAX. Each base
 * is written once, by the first core that needs it. The lowest bit says that
 * the base is in use. */
#define BASES 8
static _Atomic uint64_t bases[BASES];

static int in_text(const struct tprof_text *t, uint64_t address)
{
    return address - t->start < t->size;
}

/* Returns the first image with code at (start) or in the next (more) bytes, or
 * NULL. */
static const struct tprof_text *find_text(const struct tprof_bounds *b,
                                          uint64_t start, uint64_t more)
{
    const struct tprof_image_text *i = &b->image;

    /* acquire: pairs with the release in put_text(), map.c. Guards the next
     * record. */
    while (i && !in_text(&i->text, start) && i->text.start - start - 1 >= more)
        i = atomic_load_explicit(&i->next, memory_order_acquire);
    return i ? &i->text : NULL;
}

/* Is (base) one of the bases of code in no image? Adds (base), if there is
 * room. */
static int is_base(uint64_t base)
{
    for (int i = 0; i < BASES; i++) {
        uint64_t known = 0;

        if (atomic_compare_exchange_strong(&bases[i], &known, base | 1) ||
            known == (base | 1))
            return 1;
    }
    return 0;
}

/* Prepares (span) for a leaf (pc) that is in no image. */
TPROF_COLD void leave_images(struct tprof_span *span, uint64_t pc)
{
    const struct tprof_bounds *b = span->bounds;
    uint64_t base = pc & -TPROF_REACH_MAX;
    uint64_t above = base - b->image.text.start;

    span->text = b->image.text;
    span->origin = span->text.start;
    if (pc - span->origin < span->text.reach ||
        find_text(b, base, TPROF_REACH_MAX - 1) || !is_base(base))
        return;
    span->origin = base;
    span->text.reach = TPROF_REACH_MAX;
    span->text.seed = tprof_mix(1, base);
    span->text.base = tprof_zigzag(above);
}

__attribute__((noinline)) const struct tprof_range *
tprof_unwind_range(const struct tprof_bounds *b, uint64_t address,
                   uint64_t size)
{
    for (int i = 0; i < TPROF_READABLE; i++) {
        const struct tprof_range *r = &b->readable[i];

        if (r->size >= size && address - r->start <= r->size - size)
            return r;
    }
    return NULL;
}

int tprof_unwind_is_text(const struct tprof_bounds *b, uint64_t address)
{
    return find_text(b, address, 0) != NULL;
}

int tprof_unwind_locate(struct tprof_span *span, uint64_t pc, uint64_t sp)
{
    const struct tprof_bounds *b = span->bounds;
    const struct tprof_range *r = tprof_unwind_range(b, sp, WORDS_SIZE);
    /* acquire: pairs with the release in end_change(), map.c */
    uint32_t changes = atomic_load_explicit(&b->changes, memory_order_acquire);
    const struct tprof_text *t = find_text(b, pc, 0);
    uint64_t before = span->origin + span->start;

    if (t) {
        span->text = *t;
        span->origin = t->start;
    } else {
        leave_images(span, pc);
    }
    /* acquire: pairs with the fence in begin_change(), map.c. If images changed
     * meanwhile, the copy may be of two of them. The first image is right for
     * every address. */
    atomic_thread_fence(memory_order_acquire);
    if (changes % 2 != 0 ||
        changes != atomic_load_explicit(&b->changes, memory_order_relaxed)) {
        span->text = b->image.text;
        span->origin = span->text.start;
    }
    if (r) {
        span->start = r->start;
        span->room = r->size - WORDS_SIZE + 1;
        span->minus_limit = TPROF_FRAME_SIZE - 1 - r->start - r->size;
    }
    return span->origin + span->start != before;
}

uint64_t tprof_unwind_elsewhere(const struct tprof_span *span, uint64_t sp)
{
    const struct tprof_bounds *b = span->bounds;

    /* outside all ranges, which is the usual case, or between them? */
    if (sp - b->readable[0].start < b->extent && tprof_unwind_range(b, sp, 1))
        return TPROF_NO_NAME;
    /* the same as the second walk, which reads nothing then */
    return tprof_mix(span->text.seed, sp ? TPROF_END_OUTSIDE : WIRE_END_MEMORY);
}

uint64_t tprof_unwind_rootless(const struct tprof_span *span, uint64_t sp,
                               uint64_t name, struct tprof_outermost o)
{
    if (o.fp == sp - 1)
        return name;
    uint64_t word = tprof_arch_load(o.fp + TPROF_FRAME_CALLER);

    if (find_text(span->bounds, tprof_arch_return_address(word), 0))
        return name;
    /* undoes tprof_mix(), and adds the end that the second walk finds */
    return tprof_mix(o.hash * UNMIX_FACTOR - word, WIRE_END_TEXT);
}

/* Stores the words at (sp) that lie in text, because in a prologue one of these
 * words is the caller. Returns the beginning of the name. */
static uint64_t take_words(const struct tprof_span *span, uint64_t sp,
                           struct tprof_chain *chain)
{
    uint64_t hash = span->text.seed;

    chain->slots = 0;
    if (sp - span->start >= span->room)
        return hash;
#pragma GCC unroll 1
    for (uint32_t i = 0; i < TPROF_ARCH_WORDS; i++) {
        chain->word[i] =
            tprof_arch_load_add(0, tprof_arch_word_at(sp, &span->link, i));
        if (in_text(&span->text, chain->word[i])) {
            chain->slots |= 1u << i;
            hash = tprof_mix(hash, tprof_unwind_word(chain->word[i], i));
        }
    }
    return hash;
}

uint64_t tprof_unwind_frames(const struct tprof_span *span, uint64_t sp,
                             uint64_t fp, uint32_t depth,
                             struct tprof_chain *chain)
{
    const struct tprof_bounds *b = span->bounds;
    const struct tprof_range *r = tprof_unwind_range(b, sp, 1);
    uint64_t hash = take_words(span, sp, chain);
    /* as in tprof_unwind_quick(); so far no frame is below the limit */
    uint64_t minus_limit = -sp, last = UINT64_MAX, at;
    uint32_t count = 0;
    enum wire_end end = WIRE_END_MEMORY;

    chain->outside = r ? 0 : sp;
    while (r) {
        at = fp + minus_limit;
        if (at <= last) {
            /* in another range, or in none */
            end = WIRE_END_ZERO;
            if (fp == 0)
                break;
            end = WIRE_END_MEMORY;
            r = tprof_unwind_range(b, fp, TPROF_FRAME_SIZE);
            if (!r)
                break;
            end = WIRE_END_NOT_RISING;
            if (fp < last - minus_limit + 1)
                break;
            minus_limit = TPROF_FRAME_SIZE - 1 - r->start - r->size;
            last = fp - 1 + minus_limit;
            continue;
        }
        uint64_t word = tprof_arch_load_add(0, fp + TPROF_FRAME_CALLER);
        uint64_t address = tprof_arch_return_address(word);

        end = WIRE_END_TEXT;
        if (!in_text(&span->text, address) && !find_text(b, address, 0))
            break;
        chain->frame[count++] = address;
        hash = tprof_mix(hash, word);
        last = at;
        fp = tprof_arch_load_add(0, fp); /* 0 ends the chain */
        end = WIRE_END_DEPTH;
        if (count == depth)
            break;
    }
    chain->count = count;
    chain->end = end;
    return tprof_mix(hash, chain->outside ? TPROF_END_OUTSIDE : end);
}

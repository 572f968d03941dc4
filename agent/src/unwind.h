/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frame chain: who called whom, from the frame pointer upwards.
 *
 * Memory is looked at only inside the ranges that the kernel calls readable,
 * and each frame must lie above the one before. That is checked before the
 * read, so a wild frame pointer costs frames and nothing else.
 *
 * Two walks over the same chain. tprof_unwind_quick() only names it, with six
 * instructions a frame and what the loop takes: most stacks were seen before,
 * and then nothing else is needed. tprof_unwind_frames() also checks that each
 * return address lies in text, and stores them. Where the quick one gives a
 * name and all addresses are in text, the other one gives the same; only names
 * of the second enter the dictionary (stacks.h).
 *
 * Where there are several images (map.c) a stack belongs to the one that was
 * interrupted: the words on top of it are compared with that one's text, and
 * its name begins with it. Its frames may lie in any.
 */
#ifndef TPROF_UNWIND_H
#define TPROF_UNWIND_H

#include <stdatomic.h>
#include <stdint.h>

#include "arch/arch.h"
#include "compiler.h"
#include "tprof/tprof.h"
#include "tprof_wire.h"

/* Where the code of an image lies. */
struct tprof_text {
    uint64_t start, size;
    /* Addresses from (start) on that short samples may count from there: its
     * code, and behind the first image's what is no other's. */
    uint64_t reach;
    uint64_t seed; /* where names of its stacks begin; not 0 */
    uint64_t base; /* zigzag (start) minus the first image's; 0: that one */
};
#define TPROF_REACH_MAX ((uint64_t)1 << WIRE_CELL_LEAF_BITS)

/* All images: the first is our own, further ones are map.c's. */
struct tprof_image_text {
    struct tprof_text text;
    struct tprof_image_text *_Atomic next; /* NULL: no more */
};

struct tprof_bounds {
    struct tprof_image_text image;
    struct tprof_range readable[TPROF_RANGES]; /* ascending; unused: size 0 */
    uint64_t extent; /* from the first one's start to the last one's end */

    /* Grows before and after each change of the further images, so it is odd
     * meanwhile. Written by map.c; its partner is tprof_unwind_locate(). */
    _Atomic uint32_t changes;
};

/* A chain with its addresses. */
struct tprof_chain {
    uint32_t end;   /* enum wire_end: why it is no longer */
    uint32_t count; /* frames */
    uint32_t slots; /* mask of the words that are in text */
    uint64_t word[WIRE_STACK_SLOTS];
    uint64_t frame[WIRE_STACK_FRAMES_MAX]; /* return addresses, inner first */
};

/* What the quick walk compares with: the image and the range of memory that a
 * core's last stack was in. */
struct tprof_span {
    const struct tprof_bounds *bounds;
    uint64_t start; /* where there is none, only (room) is right: 0 */
    /* A stack pointer below (start + room) has its words in the range. */
    uint64_t room;
    uint64_t limit; /* a frame pointer below has its frame in the range */
    struct tprof_text text;
};

/* Makes (span) the image of (pc), the first where it is in none, and the range
 * of (sp), an empty one where there is none. Returns 1 if it was another. */
int tprof_unwind_locate(struct tprof_span *span, uint64_t pc, uint64_t sp);

/* Stores the chain at (sp), (fp), of the image in (span), as far as it is
 * sound, at most (depth) frames, and returns its name. */
uint64_t tprof_unwind_frames(const struct tprof_span *span, uint64_t sp,
                             uint64_t fp, uint32_t depth,
                             struct tprof_chain *chain);

/* Never written: in memory it is an operand, as a constant an instruction of
 * ten bytes beside each multiplication. */
extern uint64_t tprof_mix_factor;

TPROF_HOT uint64_t tprof_mix(uint64_t hash, uint64_t value)
{
    return (hash + value) * tprof_mix_factor;
}

/* A word in a name is never what a frame would be: the same address is on top
 * of the stack at a ret, and in a frame while the function runs. */
TPROF_HOT uint64_t tprof_unwind_word(uint64_t word, uint32_t slot)
{
    return slot - word;
}

#define TPROF_NO_NAME 1u /* as good as never a name */

/*
 * Returns the chain's name, as tprof_unwind_frames() does; or TPROF_NO_NAME:
 * the chain is not in (span), or leaves it.
 *
 * One comparison a frame says that the frame lies above the one before and
 * below (span->limit). Both addresses are counted from the limit: as unsigned
 * numbers those below the limit have wrapped, and so are the greatest ones, in
 * their order. Nothing else is greater than (last), which is one of them.
 *
 * At the end of the chain this walk knows what the other one would say where
 * there is no memory at all, as at the end of many kernels' chains. A frame in
 * another range is left to the other walk.
 */
TPROF_HOT uint64_t tprof_unwind_quick(const struct tprof_span *span,
                                      uint64_t sp, uint64_t fp, uint32_t depth)
{
    const struct tprof_bounds *b = span->bounds;
    uint64_t hash = span->text.seed;
    uint64_t minus_limit = -span->limit;
    uint64_t minus_text = -span->text.start;
    uint64_t size = span->text.size;
    uint32_t left = depth;

    if (__builtin_expect(sp - span->start >= span->room, 0))
        return TPROF_NO_NAME;
    /* the compiler would turn each sum into a copy and a difference */
    TPROF_IN_REGISTER(minus_limit);
    TPROF_IN_REGISTER(minus_text);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
        uint64_t word = tprof_arch_load(sp + 8 * i);

        if (__builtin_expect(word + minus_text < size, 0))
            hash = tprof_mix(hash, tprof_unwind_word(word, i));
    }
    uint64_t last = sp - 1 + minus_limit, at;
    uint64_t end = WIRE_END_ZERO;

    for (; (at = fp + minus_limit) > last; last = at) {
        hash = tprof_mix(hash, tprof_arch_load(fp + TPROF_FRAME_CALLER));
        fp = tprof_arch_load(fp);
        if (--left == 0) {
            end = WIRE_END_DEPTH;
            fp = 0; /* whatever it is */
            break;
        }
    }
    if (fp != 0) {
        end = WIRE_END_MEMORY;
        if (fp - b->readable[0].start < b->extent) {
            if (at < span->start + minus_limit)
                return TPROF_NO_NAME; /* not in the range */
            end = WIRE_END_NOT_RISING;
        }
    }
    return tprof_mix(hash, end);
}

#endif

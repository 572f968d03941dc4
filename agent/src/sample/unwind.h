/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the frame chain, from the frame pointer to the outermost caller.
 *
 * Reads only memory in the ranges that the kernel has called readable, and each
 * frame must lie above the one before. Both are checked before each read, so a
 * wild frame pointer costs frames, and nothing else.
 *
 * There are two walks over the same chain. tprof_unwind_quick() only computes
 * the name of the chain, with six instructions a frame and those of the loop:
 * most stacks were seen before, and for these the name is enough.
 * tprof_unwind_frames() also checks that each return address lies in text, and
 * stores the addresses. If the quick walk returns a name and all addresses are
 * in text, the other walk returns the same name. Only names from the second
 * walk enter the dictionary (stacks.h).
 *
 * The outermost function of many stacks has no caller, and the word in place of
 * its return address is something else. The second walk notices that and ends
 * there. The first walk does not; tprof_unwind_rootless() takes that word out
 * of the name again.
 *
 * With several images (map.c) a stack belongs to the image that was
 * interrupted. The words on top of the stack are compared with that image's
 * text, and the stack's name begins with that image. Frames may lie in any
 * image.
 */
#ifndef TPROF_UNWIND_H
#define TPROF_UNWIND_H

#include <stdatomic.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/compiler.h"
#include "tprof/tprof.h"
#include "tprof_wire.h"

/* The code of an image */
struct tprof_text {
    uint64_t start, size;
    /* Short samples can have a leaf from (start) to below (start + reach): the
     * image's code. For the first image this also includes code after it that
     * lies in no other image. */
    uint64_t reach;
    uint64_t seed; /* first value of names of the image's stacks; not 0 */
    uint64_t base; /* zigzag of (start) minus the first image's; 0: the first */
};
#define TPROF_REACH_MAX ((uint64_t)1 << WIRE_CELL_LEAF_BITS)

/* A list of images. The first is the kernel's, which contains the agent; map.c
 * adds others. */
struct tprof_image_text {
    struct tprof_text text;
    struct tprof_image_text *_Atomic next; /* NULL: no more */
};

/* Ranges of config.readable, and as many ranges of the image */
#define TPROF_READABLE (2 * TPROF_RANGES)

struct tprof_bounds {
    struct tprof_image_text image;
    struct tprof_range readable[TPROF_READABLE]; /* unused ones have size 0 */
    uint64_t extent; /* from the first (lowest) to the end of the highest */

    /* Grows before and after each change of the further images, so it is odd
     * during a change. Written by map.c; read by tprof_unwind_locate(). */
    _Atomic uint32_t changes;
};

/* Marks the name of a stack that lies in no range. The stack's record has the
 * stack pointer, and so must not be used for stacks that lie in a range. */
#define TPROF_END_OUTSIDE WIRE_END_REASONS

/* A chain with its addresses */
struct tprof_chain {
    uint32_t end;     /* enum wire_end: why the chain ends here */
    uint32_t count;   /* frames */
    uint32_t slots;   /* a bit for each of the words: it is in text */
    uint64_t outside; /* the stack pointer, if it is in no range; else 0 */
    uint64_t word[WIRE_STACK_SLOTS];
    uint64_t frame[WIRE_STACK_FRAMES_MAX]; /* return addresses, inner first */
};

/* The image of a core's last stack, and the range of memory of the last stack
 * that lay in a range. The quick walk works only inside these. */
struct tprof_span {
    const struct tprof_bounds *bounds;
    uint64_t start; /* of the range */
    /* A stack pointer from (start) to below (start + room) has its words in the
     * range. 0: no range yet. */
    uint64_t room;
    /* A frame pointer from (start) to below (limit) has its frame in the range.
     */
    uint64_t limit;
    struct tprof_text text;
    /* The base of leaves: (text.start). In memory without an image it is
     * another base, and (text) is the first image except for its last three
     * members. */
    uint64_t origin;
};

/* Returns the range in which (size) bytes at (address) may be read, or NULL. */
const struct tprof_range *tprof_unwind_range(const struct tprof_bounds *b,
                                             uint64_t address, uint64_t size);

/* Does (address) lie in the code of an image? */
int tprof_unwind_is_text(const struct tprof_bounds *b, uint64_t address);

/* Sets (span) to the image of (pc), or to the first image if (pc) is in none,
 * and to the range of (sp), if it is in one. Returns 1 if image or range have
 * changed. */
int tprof_unwind_locate(struct tprof_span *span, uint64_t pc, uint64_t sp);

/* Stores the chain that begins at (sp) and (fp) in (chain): its sound part, at
 * most (depth) frames. Returns its name. (span) is of this stack. */
uint64_t tprof_unwind_frames(const struct tprof_span *span, uint64_t sp,
                             uint64_t fp, uint32_t depth,
                             struct tprof_chain *chain);

/* A variable, because a multiplication can read it from memory. A literal of 64
 * bits would need one more instruction for each. */
extern const uint64_t tprof_mix_factor;
#define TPROF_MIX_FACTOR 0x9e3779b97f4a7c15u

TPROF_HOT uint64_t tprof_mix(uint64_t hash, uint64_t value)
{
    return (hash + value) * tprof_mix_factor;
}

/* Makes a stack word differ from a return address. The same address can be
 * either, and the two stacks must not have the same name. */
TPROF_HOT uint64_t tprof_unwind_word(uint64_t word, uint32_t slot)
{
    return slot - word;
}

#define TPROF_NO_NAME 1u /* the chance that a chain has this name is 2^-64 */

/* The outermost frame that tprof_unwind_quick() has read. */
struct tprof_outermost {
    uint64_t fp;   /* (sp - 1): no frame was read */
    uint64_t hash; /* the name up to that frame */
};

/* Returns the final name of the chain that tprof_unwind_quick() has named
 * (name): a different one if the return address of (o) lies in no text. */
uint64_t tprof_unwind_rootless(const struct tprof_span *span, uint64_t sp,
                               uint64_t name, struct tprof_outermost o);

/* tprof_unwind_quick() for a stack that is not in (span) */
uint64_t tprof_unwind_elsewhere(const struct tprof_span *span, uint64_t sp);

/*
 * Returns the chain's name, as tprof_unwind_frames() does. Returns
 * TPROF_NO_NAME if the chain is not in (span), or leaves (span). Stores the
 * outermost frame in (*o).
 *
 * One comparison checks that a frame lies above the previous frame and below
 * (span->limit). Both addresses are expressed as differences from the limit. A
 * difference is negative below the limit. Read as unsigned numbers, negative
 * differences keep their order and are greater than all others. So a single
 * unsigned comparison with the previous frame, (last), is enough.
 *
 * Many kernels' chains end where there is no memory at all. In this case this
 * walk knows how the other walk would end. A frame in another range is left to
 * the other walk.
 */
TPROF_HOT uint64_t tprof_unwind_quick(const struct tprof_span *span,
                                      uint64_t sp, uint64_t fp, uint32_t depth,
                                      struct tprof_outermost *o)
{
    const struct tprof_bounds *b = span->bounds;
    uint64_t hash = span->text.seed;
    uint64_t minus_limit = -span->limit;
    uint64_t minus_text = -span->text.start;
    uint64_t size = span->text.size;
    uint32_t left = depth;

    *o = (struct tprof_outermost){sp - 1, hash};
    if (__builtin_expect(sp - span->start >= span->room, 0))
        return tprof_unwind_elsewhere(span, sp);
    /* otherwise the compiler turns each sum into a copy and a difference */
    TPROF_ARCH_IN_REGISTER(minus_limit);
    TPROF_ARCH_IN_REGISTER(minus_text);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < WIRE_STACK_SLOTS; i++) {
        uint64_t word = tprof_arch_load(sp + 8ul * i);

        if (__builtin_expect(word + minus_text < size, 0))
            hash = tprof_mix(hash, tprof_unwind_word(word, i));
    }
    uint64_t last = o->fp + minus_limit, at;
    uint64_t end = WIRE_END_ZERO;

    for (; (at = fp + minus_limit) > last; last = at) {
        /* tprof_mix() of the return address */
        hash = tprof_arch_load_add(hash, fp + TPROF_FRAME_CALLER) *
               tprof_mix_factor;
        fp = tprof_arch_load(fp);
        if (--left == 0) {
            end = WIRE_END_DEPTH;
            fp = 0; /* its value does not matter */
            last = at;
            break;
        }
    }
    *o = (struct tprof_outermost){last - minus_limit, hash};
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

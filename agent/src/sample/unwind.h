/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the frame chain, from the frame pointer to the outermost caller.
 *
 * Reads only memory in the ranges that the kernel has called readable, and each
 * frame must lie above the one before. Both are checked before each read, so a
 * wild frame pointer costs frames, and nothing else.
 *
 * There are two walks over the same chain. tprof_unwind_quick() only computes
 * the name of the chain, with six instructions a frame and few of the loop:
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
#include <stdbool.h>
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
    /* Minus the limit: a frame pointer from (start) to below the limit has its
     * frame in the range. */
    uint64_t minus_limit;
    struct tprof_text text;
    /* The base of leaves: (text.start). In memory without an image it is
     * another base, and (text) is the first image except for its last three
     * members. */
    uint64_t origin;
    /* The link register of the interrupted code, on a CPU that has one. Written
     * by arch/ in each interrupt; 0: not known. */
    uint64_t link;
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

/* Returns (hash) with word (slot) of the stack at (sp), if the word lies in the
 * text of (size) bytes at (text). */
TPROF_HOT uint64_t tprof_unwind_hash_word(uint64_t hash, uint64_t at,
                                          uint32_t slot, uint64_t text,
                                          uint64_t size)
{
    uint64_t above = tprof_arch_load(at) - text;

    /* otherwise the compiler keeps the word, too */
    TPROF_ARCH_IN_REGISTER(above);
    if (__builtin_expect(above < size, 0))
        hash = tprof_mix(hash, tprof_unwind_word(above + text, slot));
    return hash;
}
_Static_assert(TPROF_ARCH_WORDS == 1 || TPROF_ARCH_WORDS == WIRE_STACK_SLOTS,
               "one or four");
_Static_assert(WIRE_STACK_SLOTS == 4, "as tprof_unwind_quick() has it");

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

/* The quick walk between two frames */
struct tprof_step {
    uint64_t fp;
    uint64_t last; /* the frame before, minus the limit */
    uint64_t hash;
};

/* Takes one frame into the hash. Returns false, and changes nothing, if the
 * frame is not below the limit or does not lie above (s->last). */
TPROF_HOT bool tprof_unwind_step(struct tprof_step *s, uint64_t minus_limit)
{
    uint64_t at = s->fp + minus_limit;

    if (at <= s->last)
        return false;
    /* tprof_mix() of the return address */
    s->hash = tprof_arch_load_add(s->hash, s->fp + TPROF_FRAME_CALLER) *
              tprof_mix_factor;
    s->fp = tprof_arch_load(s->fp);
    s->last = at;
    return true;
}

/* Returns the end of the chain at (s), whose frame pointer is not 0. Returns
 * WIRE_END_REASONS if it goes on in another range. */
TPROF_HOT uint64_t tprof_unwind_end(const struct tprof_span *span,
                                    const struct tprof_step *s)
{
    /* the tick has no registers left for what it has read from (span) */
    TPROF_ARCH_IN_REGISTER(span);
    const struct tprof_bounds *b = span->bounds;

    if (s->fp - b->readable[0].start >= b->extent)
        return WIRE_END_MEMORY;
    if (s->fp + span->minus_limit < span->start + span->minus_limit)
        return WIRE_END_REASONS; /* not in the range */
    return WIRE_END_NOT_RISING;
}

/*
 * Returns the chain's name, as tprof_unwind_frames() does. Returns
 * TPROF_NO_NAME if the chain is not in (span), or leaves (span). Stores the
 * outermost frame in (*o).
 *
 * One comparison checks that a frame lies above the previous frame and below
 * the limit. Both addresses are expressed as differences from the limit. A
 * difference is negative below the limit. Read as unsigned numbers, negative
 * differences keep their order and are greater than all others. So a single
 * unsigned comparison with the previous frame, (last), is enough. The depth is
 * compared once for several frames.
 *
 * Many kernels' chains end where there is no memory at all. In this case this
 * walk knows how the other walk would end. A frame in another range is left to
 * the other walk.
 */
TPROF_HOT uint64_t tprof_unwind_quick(const struct tprof_span *span,
                                      uint64_t sp, uint64_t fp, uint32_t depth,
                                      struct tprof_outermost *o)
{
    uint64_t minus_limit = span->minus_limit;

    /* otherwise the compiler turns each sum into a copy and a difference */
    TPROF_ARCH_IN_REGISTER(minus_limit);
    struct tprof_step s = {fp, sp - 1 + minus_limit, span->text.seed};
    uint64_t end = WIRE_END_ZERO;

    *o = (struct tprof_outermost){sp - 1, s.hash};
    if (__builtin_expect(sp - span->start >= span->room, 0))
        return tprof_unwind_elsewhere(span, sp);
    uint64_t text = span->text.start, size = span->text.size;
    const uint64_t *link = &span->link;

    s.hash = tprof_unwind_hash_word(s.hash, tprof_arch_word_at(sp, link, 0), 0,
                                    text, size);
    if (TPROF_ARCH_WORDS > 1) {
        s.hash = tprof_unwind_hash_word(s.hash, tprof_arch_word_at(sp, link, 1),
                                        1, text, size);
        s.hash = tprof_unwind_hash_word(s.hash, tprof_arch_word_at(sp, link, 2),
                                        2, text, size);
        s.hash = tprof_unwind_hash_word(s.hash, tprof_arch_word_at(sp, link, 3),
                                        3, text, size);
    }
    uint32_t pairs = depth / 2;

    if (__builtin_expect(pairs != 0, 1)) {
        do {
            /* each step follows one frame */
            /* NOLINTNEXTLINE(misc-redundant-expression) */
            if (!tprof_unwind_step(&s, minus_limit) ||
                !tprof_unwind_step(&s, minus_limit))
                goto ended;
        } while (--pairs != 0);
    }
    if (depth % 2 != 0 && !tprof_unwind_step(&s, minus_limit))
        goto ended;
    end = WIRE_END_DEPTH;
    s.fp = 0; /* its value does not matter */
ended:
    *o = (struct tprof_outermost){s.last - minus_limit, s.hash};
    if (__builtin_expect(s.fp != 0, 0))
        end = tprof_unwind_end(span, &s);
    if (end == WIRE_END_REASONS)
        return TPROF_NO_NAME;
    return tprof_mix(s.hash, end);
}

#endif

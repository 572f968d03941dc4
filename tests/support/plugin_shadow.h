/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The true call stack of one core, made of its call and ret instructions alone,
 * without frame pointers; and how often each stack was interrupted.
 */
#ifndef PLUGIN_SHADOW_H
#define PLUGIN_SHADOW_H

#include <stdint.h>
#include <stdio.h>

#include "plugin_symbols.h"

#define SHADOW_DEPTH 256

/* How far the running function has set up its frame. */
enum shadow_state {
    SHADOW_BARE,   /* entered; RBP is still the caller's */
    SHADOW_PUSHED, /* RBP saved, not yet set */
    SHADOW_READY,  /* RBP is its own: the chain of frames is complete */
    SHADOW_GONE,   /* RBP given back, about to return or to jump */
};

struct shadow_frame {
    uint64_t back; /* return address */
    enum shadow_state state;
};

struct shadow {
    struct shadow_frame frame[SHADOW_DEPTH];
    uint32_t depth;     /* frames above the first, which nobody called */
    uint64_t unmatched; /* returns without a call, and calls too deep */
    struct shadow_stack *seen;
};

void shadow_call(struct shadow *s, uint64_t back);
void shadow_return(struct shadow *s);
void shadow_set_state(struct shadow *s, enum shadow_state state);

/* Count (times) interrupts of this stack at (address) in its innermost
 * function. (symbols) name the frames. NULL: frames are addresses; a caller's
 * is that of the last byte of its call instruction. */
void shadow_count(struct shadow *s, const struct symbols *symbols,
                  uint64_t address, uint64_t times);

/* Prints "core C stack STATE outermost;...;innermost TIMES" for each stack. */
void shadow_print(const struct shadow *s, unsigned core, FILE *out);
void shadow_fini(struct shadow *s);

#endif

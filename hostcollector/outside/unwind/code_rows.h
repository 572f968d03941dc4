/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the instructions of a function say of the stack at one place in it: how
 * deep it is, and where the caller's RBP is. The same that unwind tables say,
 * for code that has none, such as assembly and Free Pascal's; and a judge of
 * tables. All addresses are link-time ones.
 */
#ifndef TPROF_OUTSIDE_UNWIND_CODE_ROWS_H
#define TPROF_OUTSIDE_UNWIND_CODE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/code/frame_flow.h"

struct code_rows;
struct image;

struct code_row {
    uint64_t function;     /* its first address */
    bool is_outermost;     /* nobody calls it: it clears RBP, or is: */
    bool is_interrupt;     /* nobody calls it: it returns by iret */
    bool begins_stack;     /* it moves to another stack, for good */
    struct frame_state at; /* (depth) may be FRAME_DEPTH_UNKNOWN */
};

/* Of (img), which must outlive the result. NULL if there is no memory. */
struct code_rows *code_rows_new(const struct image *img);

/* Release (c). NULL is allowed. */
void code_rows_free(struct code_rows *c);

/*
 * What is true before the instruction that has a byte at (address). False if
 * that is not known. The first question about a function interprets it.
 */
bool code_rows_find(struct code_rows *c, uint64_t address,
                    struct code_row *out);

/* Does a call instruction of the image call the function that begins at
 * (function)? Where code is not understood, the answer may be a false yes,
 * where only_call_any() may say a false no. The first question about a function
 * reads all code. */
bool code_rows_is_called(struct code_rows *c, uint64_t function);

/* Does a call end right before (address)? (*target) is what it calls; 0: that
 * is not in the instruction. */
bool code_rows_call_before(const struct image *img, uint64_t address,
                           uint64_t *target);

/* Bytes of a call instruction, with prefixes. */
#define CODE_ROWS_CALL_MAX 9u

/* Do the (n) bytes at (code) end in a call? (*distance) is from its end to what
 * it calls; 0: that is not in the instruction. */
bool code_rows_ends_in_call(const uint8_t *code, size_t n, int64_t *distance);

#endif

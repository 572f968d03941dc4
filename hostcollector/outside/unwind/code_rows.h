/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack at one place of a function, found by interpreting its instructions:
 * its depth, and the places of the return address and of
 * the caller's FP. This replaces unwind tables for
 * code without tables, such as assembly and Free Pascal's, and checks tables.
 * All addresses are link-time addresses.
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
    uint64_t function;     /* first address of the function */
    bool is_outermost;     /* has no caller, because the function clears FP */
    bool is_interrupt;     /* has no caller, because the function returns
                            * from an interrupt */
    bool begins_stack;     /* switches to another stack, for good */
    struct frame_state at; /* (depth) may be FRAME_DEPTH_UNKNOWN */
};

/* Make rows for (img), which must outlive the result. NULL if there is no
 * memory. */
struct code_rows *code_rows_new(const struct image *img);

/* Release (c). NULL is allowed. */
void code_rows_free(struct code_rows *c);

/*
 * Find the state before the instruction that contains the byte at (address).
 * Returns false if the state is not known. The first call for a function
 * interprets the function.
 */
bool code_rows_find(struct code_rows *c, uint64_t address,
                    struct code_row *out);

/* Does a call instruction of the image call the function that begins at
 * (function)? If the code is not understood, the answer may be true by mistake,
 * while only_call_any() may be false by mistake. The first call for a function
 * reads all code. */
bool code_rows_is_called(struct code_rows *c, uint64_t function);

/* Does a call instruction end directly before (address)? Stores the called
 * address in (*target); 0: the instruction does not contain it. */
bool code_rows_call_before(const struct image *img, uint64_t address,
                           uint64_t *target);

#endif

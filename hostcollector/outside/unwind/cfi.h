/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What unwind tables say of one place in the code: where the caller's frame is,
 * and where its registers are. An interpreter of call frame information in
 * .eh_frame and .debug_frame. All addresses are link-time ones. The tables are
 * not trusted: steps and memory are bounded, and what is damaged gives no row.
 *
 * Tables of Free Pascal 3.2 are left alone by nature: they have 8 bytes where
 * the format has 4, so that none of their addresses is in the code. That is as
 * well, since what they say is wrong wherever a register is pushed.
 */
#ifndef TPROF_OUTSIDE_UNWIND_CFI_H
#define TPROF_OUTSIDE_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cursor.h"

struct image;
struct cfi;

/* Registers by their numbers in DWARF. */
enum cfi_register {
    CFI_RAX,
    CFI_RDX,
    CFI_RCX,
    CFI_RBX,
    CFI_RSI,
    CFI_RDI,
    CFI_RBP,
    CFI_RSP,
    CFI_R8,
    CFI_R12 = CFI_R8 + 4,
    CFI_R15 = CFI_R8 + 7,
    CFI_PC, /* in the caller: the return address */
    CFI_REGISTERS,
};

/* Where a register of the caller is. */
enum cfi_how {
    CFI_UNTOLD,        /* nothing is said: as the calling convention has it */
    CFI_UNDEFINED,     /* lost; of CFI_PC: there is no caller */
    CFI_SAME,          /* still in the register */
    CFI_AT,            /* in memory, at the CFA plus (offset) */
    CFI_IS,            /* it is the CFA plus (offset) */
    CFI_OTHER,         /* in register (number), plus (offset) */
    CFI_AT_EXPRESSION, /* in memory, where (expression) says */
    CFI_IS_EXPRESSION, /* it is what (expression) says */
};

struct cfi_rule {
    enum cfi_how how;
    uint8_t number;
    int64_t offset;
    struct cursor expression;
};

/* What is true from (low) to below (high). */
struct cfi_row {
    uint64_t low, high;
    bool is_signal; /* the frame that a signal or an interrupt has made */
    /* The canonical frame address, which is the caller's RSP: CFI_OTHER or
     * CFI_IS_EXPRESSION. */
    struct cfi_rule cfa;
    struct cfi_rule rules[CFI_REGISTERS];
};

/*
 * Index the tables of (img), which must outlive the result. NULL if there is no
 * memory.
 */
struct cfi *cfi_new(const struct image *img);

/* Release (c). NULL is allowed. */
void cfi_free(struct cfi *c);

/* How many runs of code are described. */
size_t cfi_count(const struct cfi *c);

/* Run (i) of these, by rising address. */
void cfi_extent(const struct cfi *c, size_t i, uint64_t *low, uint64_t *high);

/* What cfi_find() has found. */
enum cfi_found {
    CFI_FOUND,
    CFI_NONE,    /* the tables do not describe this place */
    CFI_DAMAGED, /* they describe it in a way that is not understood */
};

/* The row for the code at (address), in (*out). */
enum cfi_found cfi_find(const struct cfi *c, uint64_t address,
                        struct cfi_row *out);

#endif

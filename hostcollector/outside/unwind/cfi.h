/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwind tables: the places of the caller's frame and registers, for an address
 * in the code. Interprets call frame information in .eh_frame and .debug_frame.
 * All addresses are link-time addresses.
 *
 * The tables are not trusted: steps and memory are limited, and damaged entries
 * give no row. Tables of Free Pascal 3.2 are never used: they have 8 bytes
 * where the format has 4, so none of their addresses is in the code. Even read
 * correctly, they would be wrong wherever a register is pushed.
 */
#ifndef TPROF_OUTSIDE_UNWIND_CFI_H
#define TPROF_OUTSIDE_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cpu/cpu.h"
#include "util/cursor.h"

struct image;
struct cfi;

/* The place of a caller's register. */
enum cfi_how {
    CFI_UNTOLD,        /* no rule: as the calling convention says */
    CFI_UNDEFINED,     /* lost; for the return address: there is no caller */
    CFI_SAME,          /* still in the register */
    CFI_AT,            /* in memory, at the CFA plus (offset) */
    CFI_IS,            /* its value is the CFA plus (offset) */
    CFI_OTHER,         /* in register (number), plus (offset) */
    CFI_AT_EXPRESSION, /* in memory, at the address that (expression) gives */
    CFI_IS_EXPRESSION, /* its value is the value of (expression) */
};

struct cfi_rule {
    enum cfi_how how;
    uint8_t number;
    int64_t offset;
    struct cursor expression;
};

/* Rules that hold from (low) to below (high). */
struct cfi_row {
    uint64_t low, high;
    bool is_signal; /* a frame made by a signal or an interrupt */
    bool is_signed; /* the return address is signed by the CPU */
    /* The canonical frame address (CFA), which is the caller's SP: CFI_OTHER or
     * CFI_IS_EXPRESSION. */
    struct cfi_rule cfa;
    struct cfi_rule rules[CPU_NUMBERS]; /* by register */
};

/*
 * Index the tables of (img), which must outlive the result. NULL if there is no
 * memory.
 */
struct cfi *cfi_new(const struct image *img);

/* Release (c). NULL is allowed. */
void cfi_free(struct cfi *c);

/* Number of code ranges that the tables describe. */
size_t cfi_count(const struct cfi *c);

/* Range (i), by rising address. */
void cfi_extent(const struct cfi *c, size_t i, uint64_t *low, uint64_t *high);

/* Result of cfi_find(). */
enum cfi_found {
    CFI_FOUND,
    CFI_NONE,    /* the tables do not describe this place */
    CFI_DAMAGED, /* the tables are damaged or not understood here */
};

/* Write the row for the code at (address) to (*out). */
enum cfi_found cfi_find(const struct cfi *c, uint64_t address,
                        struct cfi_row *out);

#endif

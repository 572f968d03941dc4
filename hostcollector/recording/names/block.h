/* SPDX-License-Identifier: BSD-2-Clause */
/* Layout of the data in a recording's names chunk, uncompressed: RECORDING.md,
 * "Names". Leaf. */
#ifndef TPROF_RECORDING_NAMES_BLOCK_H
#define TPROF_RECORDING_NAMES_BLOCK_H

#define NAMED_BLOCK_MAX (1u << 20) /* bytes */
#define NAMED_CHAIN_MAX 32u        /* functions inlined at one address */
#define NAMED_SUMS_MAX  80u
#define NAMED_TEXTS_MAX 4096u

/* Limits of the code and source lines in a recording. */
#define NAMED_FUNCTIONS   50u          /* only the busiest */
#define NAMED_CODE_PACKED (512u << 10) /* bytes of all these blocks, packed */
#define NAMED_CODE_MAX    (64u << 10)  /* bytes of code of a function */
#define NAMED_RUNS_MAX    16u          /* runs of code of a function */
#define NAMED_LINES_MAX   4096u        /* lines of a piece of source */

enum named_block {
    NAMED_LEAVES = 1,
    NAMED_CALLS = 2,
    NAMED_IMAGE = 3,
    NAMED_PARTIAL = 4,
    NAMED_FUNCTION = 5,
};

/* Bits in the first byte of an address. */
enum {
    NAMED_PLACE = 0x07, /* enum code_place */
    NAMED_WORDS = 0x38, /* code_exit.words */
    NAMED_WORDS_SHIFT = 3,
    NAMED_FP_KEPT = 0x40,
    NAMED_CALLED = 0x80,
};

/* Bits in the second byte. */
enum {
    NAMED_CALL_PLACE = 0x07,
    NAMED_IS_CALLED = 0x08,
    NAMED_ONLY_CALL = 0x10,
    NAMED_DWARF = 0x20,  /* the outermost function is a SYMBOL_DWARF */
    NAMED_HOLDUP = 0x40, /* enum code_holdup follows */
};

/* Flags of an image. */
enum {
    NAMED_PE = 1,
    NAMED_CODE = 2,
    NAMED_KERNEL = 4,
    NAMED_HASH = 8,
    NAMED_CPU = 16
};

#endif

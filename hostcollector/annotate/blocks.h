/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The basic blocks of a function: runs of instructions that control enters at
 * the first one alone, and leaves behind the last one alone. Pure; bytes that
 * are not trusted.
 *
 * A block begins where the function does, behind each jump and return, and
 * where a jump or call of the function leads to. A call does not end a block:
 * it comes back. Where a jump leads that goes through a register (a table of a
 * switch) is not known: what only such jumps lead to begins a block if the
 * instruction before it is a jump or a return, as is usual.
 */
#ifndef TPROF_ANNOTATE_BLOCKS_H
#define TPROF_ANNOTATE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block_insn {
    uint32_t offset; /* in the function */
    uint32_t target; /* the block that it jumps to; BLOCK_NONE */
    uint8_t size;
    bool bad; /* no instruction: one byte */
};
#define BLOCK_NONE UINT32_MAX

struct code_block {
    uint32_t first, count; /* instructions, 1 at least */
};

/* Zeroed: empty. */
struct blocks {
    struct block_insn *insns; /* by rising offset, without gaps */
    uint32_t insn_count;
    struct code_block *blocks; /* likewise */
    uint32_t block_count;
    uint32_t jumps_away; /* through a register or memory: to where? */
};

/* Blocks are not found in longer functions. */
#define BLOCKS_BYTES_MAX (1u << 20)

/*
 * Fill (out) with the blocks of the (size) bytes at (code), BLOCKS_BYTES_MAX at
 * most. Time and memory are in proportion to (size). Returns 0; -1 if there is
 * no memory. blocks_fini() must follow in both cases.
 */
int blocks_find(struct blocks *out, const uint8_t *code, size_t size);

/* Release what (b) holds. */
void blocks_fini(struct blocks *b);

/* The instruction that holds (offset); BLOCK_NONE: it is behind the last. */
uint32_t blocks_insn_at(const struct blocks *b, uint64_t offset);

/* The block that holds instruction (insn). */
uint32_t blocks_block_of(const struct blocks *b, uint32_t insn);

#endif

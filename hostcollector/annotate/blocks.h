/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine code of a function: its basic blocks, and its instructions as
 * text. Pure. The bytes of code are not trusted.
 *
 * A basic block is a run of instructions that control
 * enters only at the first and leaves only at the last. A block begins at the
 * function's first instruction, after each jump and return, and at each target
 * of the function's own jumps and calls. A call does not end a block, because
 * control comes back. The targets of a jump through a register (a switch table)
 * are unknown. Usually such a target follows a jump or a return, and begins a
 * block for that reason.
 */
#ifndef TPROF_ANNOTATE_BLOCKS_H
#define TPROF_ANNOTATE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu;

struct block_insn {
    uint32_t offset; /* in the function */
    uint32_t target; /* block that the instruction jumps to; or BLOCK_NONE */
    uint8_t size;
    bool bad; /* one byte that is no valid instruction */
};
#define BLOCK_NONE UINT32_MAX

struct code_block {
    uint32_t first, count; /* instructions, 1 at least */
};

/* Zeroed: empty. */
struct blocks {
    struct block_insn *insns; /* by rising offset, without gaps */
    uint32_t insn_count;
    struct code_block *blocks; /* by rising offset, without gaps */
    uint32_t block_count;
    /* jumps through a register or memory: unknown targets */
    uint32_t jumps_away;
};

/* Longest function whose blocks are found. */
#define BLOCKS_BYTES_MAX (1u << 20)

/*
 * Fill (out) with the blocks of the (size) bytes at (code) for (cpu),
 * BLOCKS_BYTES_MAX at most. Time and memory are in proportion to (size).
 * Returns 0; -1 if there is no memory. blocks_fini() must follow in both cases.
 */
int blocks_find(struct blocks *out, const struct cpu *cpu, const uint8_t *code,
                size_t size);

/* Release what (b) holds. */
void blocks_fini(struct blocks *b);

/* Returns the instruction that holds (offset); BLOCK_NONE if (offset) is beyond
 * the last one. */
uint32_t blocks_insn_at(const struct blocks *b, uint64_t offset);

/* Returns the block that holds instruction (insn). */
uint32_t blocks_block_of(const struct blocks *b, uint32_t insn);

/* disasm.c: disassembles one instruction with capstone, in Intel syntax (like
 * objdump -M intel). */

struct disasm;

/* Room for disasm_text(). */
#define DISASM_TEXT 208

/* Returns NULL if there is no memory. */
struct disasm *disasm_new(const struct cpu *cpu);

/* Release (d). NULL is allowed. */
void disasm_free(struct disasm *d);

/*
 * Write the instruction of the (size) bytes at (code) into (buf). The
 * instruction lies at (address). If capstone finds no instruction of just this
 * size, write the bytes: "db 0x0f, 0x0b". The text is safe to print on a
 * terminal. Returns (buf).
 */
const char *disasm_text(struct disasm *d, const uint8_t *code, size_t size,
                        uint64_t address, char buf[DISASM_TEXT]);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Disassembles one instruction with capstone, in Intel syntax (like objdump -M
 * intel). */
#ifndef TPROF_ANNOTATE_DISASM_H
#define TPROF_ANNOTATE_DISASM_H

#include <stddef.h>
#include <stdint.h>

struct disasm;

/* Room for disasm_text(). */
#define DISASM_TEXT 208

/* Returns NULL if there is no memory. */
struct disasm *disasm_new(void);

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

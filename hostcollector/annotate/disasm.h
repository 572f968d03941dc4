/* SPDX-License-Identifier: BSD-2-Clause */
/* One instruction as text, by capstone: as Intel writes it, which objdump does
 * by -M intel. */
#ifndef TPROF_ANNOTATE_DISASM_H
#define TPROF_ANNOTATE_DISASM_H

#include <stddef.h>
#include <stdint.h>

struct disasm;

/* Room for disasm_text(). */
#define DISASM_TEXT 208

/* NULL if there is no memory. */
struct disasm *disasm_new(void);

/* Release (d). NULL is allowed. */
void disasm_free(struct disasm *d);

/*
 * The instruction of the (size) bytes at (code), which is at (address), in
 * (buf); its bytes, as "db 0x0f, 0x0b", if capstone knows none that long. It is
 * harmless on a terminal. Returns (buf).
 */
const char *disasm_text(struct disasm *d, const uint8_t *code, size_t size,
                        uint64_t address, char buf[DISASM_TEXT]);

#endif

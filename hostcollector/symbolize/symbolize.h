/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run-time address -> function, file, line and the chain of inlined calls.
 * Remembers every answer, and reads the debug information of those compile
 * units only that hold an address in question.
 */
#ifndef TPROF_SYMBOLIZE_SYMBOLIZE_H
#define TPROF_SYMBOLIZE_SYMBOLIZE_H

#include <stddef.h>
#include <stdint.h>

struct image;
struct symbolizer;

/* Where a symbol's function name comes from. */
enum symbol_kind {
    SYMBOL_ADDRESS, /* nothing known: the name is "0x..." */
    SYMBOL_ELF,     /* the symbol table; file and line if they are known */
    SYMBOL_DWARF,   /* a function of its own, by debug information */
    SYMBOL_INLINED, /* inlined into (inlined_into), by debug information */
};

/*
 * All strings are demangled, valid UTF-8 and harmless on a terminal: control
 * characters come as \xNN. Equal names are equal pointers within one
 * symbolizer, so they can be compared and hashed as such.
 */
struct symbol {
    const char *function; /* never NULL */
    const char *file;     /* as the compiler was given it; NULL if unknown */
    uint32_t line;        /* 0 if unknown; in an outer frame: of the call */
    const char *home;     /* declares the function: (file), but for lines of
                             elsewhere; NULL if unknown */
    enum symbol_kind kind;
    uint64_t start, size; /* run-time extent of the function that holds the
                             code: of the outermost one in an inline chain;
                             the address itself and 1 for SYMBOL_ADDRESS */
    const struct symbol *inlined_into; /* next outer frame, NULL at the last */
};

/*
 * A symbolizer for (img), which must outlive it, with (slide) as given by
 * image_slide(). NULL if there is no memory.
 */
struct symbolizer *symbolizer_new(struct image *img, uint64_t slide);

/* Release (s) and all symbols that it handed out. NULL is allowed. */
void symbolizer_free(struct symbolizer *s);

/*
 * The innermost symbol of run-time address (pc). Never NULL: what is unknown,
 * and what there is no memory for, comes as SYMBOL_ADDRESS. The symbol lives
 * as long as (s).
 *
 * For a return address pass the address minus one, since the call is what
 * executes there, and the address itself may belong to the next line or even
 * the next function.
 */
const struct symbol *symbolize(struct symbolizer *s, uint64_t pc);

/*
 * Look up the (n) run-time addresses at (pcs) together, so that each compile
 * unit is read once and symbolize() finds them remembered. In any order, also
 * with repetitions. Addresses that were not prepared cost symbolize() one pass
 * over their compile unit each, so a report passes all of its addresses here.
 */
void symbolizer_prepare(struct symbolizer *s, const uint64_t *pcs, size_t n);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run-time address -> function, file, line and the chain of inlined calls. The
 * symbolizer remembers every answer. It reads the debug information of a
 * compile unit only if the caller passes an address in that unit.
 */
#ifndef TPROF_IMAGE_NAMES_SYMBOLIZE_H
#define TPROF_IMAGE_NAMES_SYMBOLIZE_H

#include <stddef.h>
#include <stdint.h>

struct image;
struct symbolizer;

/* Source of a symbol's function name. */
enum symbol_kind {
    SYMBOL_ADDRESS, /* unknown: the name is "0x..." */
    SYMBOL_ELF,     /* symbol table; file and line if known */
    SYMBOL_DWARF,   /* debug information: a separate function */
    SYMBOL_INLINED, /* debug information: inlined into (inlined_into) */
};

/*
 * All strings are demangled, valid UTF-8 and safe to print on a terminal:
 * control characters become \xNN. Within one symbolizer equal names are equal
 * pointers, so the pointers can be compared and hashed.
 */
struct symbol {
    const char *function; /* never NULL */
    const char *file;     /* as the compiler received it; NULL if unknown */
    uint32_t line;        /* 0 if unknown; of the call in an outer frame */
    /* The file that declares the function; NULL if unknown. Equal to (file)
     * unless the line was included from another file. */
    const char *home;
    enum symbol_kind kind;
    /* Run-time extent of the outermost function of the inline chain. For
     * SYMBOL_ADDRESS, the address and 1. */
    uint64_t start, size;
    const struct symbol *inlined_into; /* next outer frame, NULL at the last */
};

/*
 * Make a symbolizer for (img), which must outlive it. (slide) is the result of
 * image_slide(). If (img) is NULL, the answers are those added by
 * symbolizer_learn(). NULL if there is no memory.
 */
struct symbolizer *symbolizer_new(struct image *img, uint64_t slide);

/* Memory of the answers in bytes. From a limit on (by default 1 GiB), further
 * addresses get no answer. */
size_t symbolizer_bytes(const struct symbolizer *s);
void symbolizer_limit(struct symbolizer *s, size_t bytes);

/* Drop all answers, and so all symbols that were returned. */
void symbolizer_forget(struct symbolizer *s);

/* Add (answer) as the answer for (pc). Copies and escapes the strings. Returns
 * 0; -1 if there is no memory. */
int symbolizer_learn(struct symbolizer *s, uint64_t pc,
                     const struct symbol *answer);

/* Release (s) and all symbols that it returned. NULL is allowed. */
void symbolizer_free(struct symbolizer *s);

/*
 * The innermost symbol of run-time address (pc), which lives as long as (s). If
 * the address is that of a variable, the symbol has the variable's name.
 * Never NULL: if the address is unknown, or there is no memory, the symbol is a
 * SYMBOL_ADDRESS.
 *
 * For a return address, call symbolize_call().
 */
const struct symbol *symbolize(struct symbolizer *s, uint64_t pc);

/*
 * Returns the symbol of the call that returns to run-time address (back): the
 * symbol of the byte before (back), because (back) may be in the next line or
 * even in the next function.
 *
 * A kernel may put a function's address on a new thread's stack, so that the
 * thread ends in that function. Then (back) is the function's first byte, and
 * no function and no call precedes it. In this case the result is the symbol of
 * that function.
 */
const struct symbol *symbolize_call(struct symbolizer *s, uint64_t back);

/*
 * Look up the (n) run-time addresses at (pcs) together, and remember the
 * answers for symbolize(). Each compile unit is then read once. Without this
 * call, symbolize() reads a whole compile unit for each address. So a report
 * first passes all of its addresses here. The addresses may be in any order and
 * repeat.
 */
void symbolizer_prepare(struct symbolizer *s, const uint64_t *pcs, size_t n);

#endif

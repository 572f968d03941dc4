/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function, inline chain, file and line of many addresses at once, out of an
 * image's DWARF, versions 2 to 5.
 *
 * Why a reader of our own and not libdw. First, the file is not trusted: here
 * each read is bounded, a batch has a budget, and a fuzzer feeds the reader.
 * Second, Pascal and Rust: libdw's scopes name nested functions and functions
 * in types differently. Third, a report needs little: of each compile unit the
 * scopes that hold a sampled address, and one run over the line program. On an
 * ELF file of 127 MB (tests/benches/make_dwarf_elf.sh), the same answers took
 *
 *     addresses                           10,000     1,000       100   memory
 *     this reader, in one batch          0.085 s   0.051 s   0.020 s    88 MB
 *     libdw, one address at a time         4.6 s    0.80 s   0.135 s   371 MB
 *     addr2line -i -f                     1.13 s
 *
 * A kernel with 5 MB of DWARF would not notice. Without this reader the tree
 * would be 1,900 lines shorter.
 */
#ifndef TPROF_DWARF_DWARF_H
#define TPROF_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/spans.h"

struct dwarf;
struct image;

/* One function of an inline chain. */
struct dwarf_frame {
    const char *name; /* as in the DWARF; NULL if it gives none */
    bool linkage;     /* (name) is mangled: C++, Rust */
    uint64_t low;     /* lowest address of its code, or entry point */
    uint64_t size;    /* of the part that begins at (low) */
    const char *file; /* where the next outer one calls it: full path */
    uint32_t line;    /* likewise; NULL and 0 in the outermost */
    const char *home; /* file that declares it: full path, or NULL */
    struct dwarf_frame *outer;

    uint64_t die;       /* dwarf.c's own: offset of the scope in .debug_info, */
    uint64_t call_file; /* and the numbers of (file) and (home) in the unit */
    uint64_t home_file;
};

struct dwarf_target {
    uint64_t address;           /* asked */
    bool in_function;           /* asked: a symbol with size covers it */
    struct dwarf_frame *frames; /* innermost first; NULL if unknown */
    const char *file;           /* full path, or NULL */
    uint32_t line;              /* 0 if unknown */

    size_t unit; /* dwarf.c's own: number of its compile unit */
};

/*
 * Index the compile units of (img), which must outlive the result. NULL if
 * there is no DWARF or no memory.
 */
struct dwarf *dwarf_open(struct image *img);

/* Release (d) and all that it handed out. NULL is allowed. */
void dwarf_close(struct dwarf *d);

/*
 * Resolve the (n) targets at (t), and bring them into another order. What they
 * point to lives until the next call. Damaged DWARF gives fewer answers and
 * IMAGE_BAD_DEBUG.
 */
void dwarf_resolve(struct dwarf *d, struct dwarf_target *t, size_t n);

/* What a compile unit says of itself, and which code has lines. */
struct dwarf_about {
    const char *name, *producer; /* NULL: not told; live as long as the image */
    uint64_t language;           /* DW_LANG_*; 0: not told */
};

/* Units are numbered from 0 on; those without code count, too. */
size_t dwarf_unit_count(const struct dwarf *d);

struct dwarf_about dwarf_unit_about(const struct dwarf *d, size_t unit);

/* The unit that holds (address); dwarf_unit_count() if none does. */
size_t dwarf_unit_of(const struct dwarf *d, uint64_t address);

/* Range number (i) of code and its unit. False behind the last. */
bool dwarf_range(const struct dwarf *d, size_t i, struct span *out,
                 size_t *unit);

/* Add the code that (unit) has line numbers for to (out). Once for each: all
 * together may cost what reading each byte a few times costs. */
void dwarf_unit_lines(struct dwarf *d, size_t unit, struct spans *out);

#endif

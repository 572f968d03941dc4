/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds function, inline chain, file and line of many addresses at once, in an
 * image's DWARF, versions 2 to 5.
 *
 * tprof does not use libdw, for three reasons. First, the file is not trusted:
 * here each read is bounded, a batch has a budget, and a fuzzer feeds the
 * reader. Second, libdw names nested functions of Pascal and functions in types
 * of Rust differently. Third, a report needs little of each compile unit: the
 * scopes that hold a sampled address, and one run of the line program. On an
 * ELF file of 127 MB (tests/benches/make_dwarf_elf.sh), the same answers took
 *
 *     addresses                           10,000     1,000       100   memory
 *     this reader, in one batch          0.085 s   0.051 s   0.020 s    88 MB
 *     libdw, one address at a time         4.6 s    0.80 s   0.135 s   371 MB
 *     addr2line -i -f                     1.13 s
 *
 * of a mapped file. The copy (image/file/file.h) adds 0.07 s and 46 MB. For a
 * kernel with 5 MB of DWARF the difference does not matter. With libdw the tree
 * would be 1,900 lines shorter.
 */
#ifndef TPROF_IMAGE_DWARF_DWARF_H
#define TPROF_IMAGE_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/spans.h"

struct dwarf;
struct image;

/* One function of an inline chain. */
struct dwarf_frame {
    const char *name; /* as in the DWARF; NULL if missing */
    bool linkage;     /* (name) is mangled, as in C++ and Rust */
    uint64_t low;     /* lowest address of the code, or entry point */
    uint64_t size;    /* of the part that begins at (low) */
    /* The place where (outer), the next frame, calls the function: full path
     * and line. NULL and 0 in the outermost frame. */
    const char *file;
    uint32_t line;
    uint32_t discriminator; /* of that call, from the compiler */
    const char *home;       /* full path of the declaring file, or NULL */
    uint32_t home_line;     /* line of the name in (home); 0: unknown */
    struct dwarf_frame *outer;

    /* Private to dwarf/: the scope's offset in .debug_info, and the unit's
     * numbers of (file) and (home). */
    uint64_t die;
    uint64_t call_file, home_file;
};

struct dwarf_target {
    /* The address to look up. (in_function): a symbol with a size covers the
     * address. */
    uint64_t address;
    bool in_function;
    /* The answer. */
    struct dwarf_frame *frames; /* innermost first; NULL if unknown */
    const char *file;           /* full path, or NULL */
    uint32_t line;              /* 0 if unknown */
    /* Number by which the compiler distinguishes code of one line. 0: none. */
    uint32_t discriminator;

    size_t unit; /* private to dwarf/: number of its compile unit */
};

/*
 * Index the compile units of (img), which must outlive the result. NULL if
 * there is no DWARF or no memory.
 */
struct dwarf *dwarf_open(struct image *img);

/* Release (d) and everything that its results point to. NULL is allowed. */
void dwarf_close(struct dwarf *d);

/*
 * Look up the (n) targets at (t), and change their order. Everything that the
 * results point to lives until the next call. Damaged DWARF leads to fewer
 * results, and to the flaw IMAGE_BAD_DEBUG.
 */
void dwarf_resolve(struct dwarf *d, struct dwarf_target *t, size_t n);

/* Facts that a compile unit states about itself. */
struct dwarf_about {
    const char *name, *producer; /* NULL: unknown; live as long as the image */
    uint64_t language;           /* DW_LANG_*; 0: unknown */
    bool discriminated; /* dwarf_resolve() saw discriminators in its lines */
};

/* Number of units, with and without code. Unit numbers start at 0. */
size_t dwarf_unit_count(const struct dwarf *d);

struct dwarf_about dwarf_unit_about(const struct dwarf *d, size_t unit);

/* The unit that holds (address); dwarf_unit_count() if none does. */
size_t dwarf_unit_of(const struct dwarf *d, uint64_t address);

/* Returns range number (i) of code, and the unit of the range. False after the
 * last. */
bool dwarf_range(const struct dwarf *d, size_t i, struct span *out,
                 size_t *unit);

/* Add to (out) the code for which (unit) has line numbers. Call this once for
 * each unit: all calls share a budget of a few times the bytes of the file. */
void dwarf_unit_lines(struct dwarf *d, size_t unit, struct spans *out);

#endif

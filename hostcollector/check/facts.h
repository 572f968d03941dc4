/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an image holds that a profile of it can show. Text is as it is in the
 * file: escape it. Bytes are of code: parts of sections with instructions.
 */
#ifndef TPROF_CHECK_FACTS_H
#define TPROF_CHECK_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a function treats frame pointers, as its instructions say. */
enum check_frame {
    CHECK_FRAMED,  /* sets up a frame, or is the outermost: its caller is known
                    */
    CHECK_LEAF,    /* sets up none, and calls nobody */
    CHECK_BARE,    /* sets up none, and calls: callees' stacks lack it */
    CHECK_CUTTING, /* has other things in RBP: callees' stacks end there */
    CHECK_UNREAD,  /* not understood */
    CHECK_FRAMES
};

struct check_frames {
    uint64_t functions[CHECK_FRAMES];
    uint64_t bytes[CHECK_FRAMES];
    uint64_t told; /* bytes without a frame, but with a certain direct caller */
};

/* Languages, as far as a remedy differs. */
enum check_language {
    CHECK_OTHER, /* and unknown */
    CHECK_C,
    CHECK_CXX,
    CHECK_RUST,
    CHECK_PASCAL,
    CHECK_GO,
    CHECK_ASSEMBLER,
    CHECK_AGENT, /* tprof's own code, which does not sample itself */
    CHECK_LANGUAGES
};

/* What a reader calls (language). */
const char *check_language_name(enum check_language language);

/* A compile unit, or all functions of a language that belong to none. */
struct check_unit {
    const char *name;     /* NULL: no debug information */
    const char *producer; /* the compiler and its flags; may be NULL */
    enum check_language language;
    uint64_t code_bytes;
    uint64_t line_bytes; /* with a line number */
    struct check_frames frames;
};

/* A table from which stacks can be unwound. */
enum check_table {
    CHECK_EH_FRAME,
    CHECK_DEBUG_FRAME,
    CHECK_PDATA, /* of PE images */
    CHECK_TABLES
};

/* What a kernel may link in by naming it, as symbols: "tprof_vsock"; NULL
 * stands behind the last. */
extern const char *const check_capabilities[];

/* What of tprof is linked in. */
struct check_agent {
    uint64_t code_bytes;   /* its own */
    bool linked;           /* there is a tprof_anchor */
    const char *version;   /* "tprof 0.1.0"; NULL: not told */
    uint32_t wire;         /* major << 8 | minor; 0: not told */
    bool has_bounds;       /* __tprof_text_start and _end are there, */
    uint64_t text_start;   /* and say this */
    uint64_t text_size;    /* likewise */
    uint64_t text_bytes;   /* code between them */
    uint64_t memory_size;  /* of __tprof_memory; 0: none */
    bool has_note;         /* __tprof_build_id: it tells its build-id */
    uint32_t capabilities; /* bit i: check_capabilities[i] */
    bool efi;              /* tprof_init_efi() finds text and build-id itself */
};

struct check_facts {
    bool pe;    /* else ELF */
    bool moves; /* may be loaded elsewhere than linked */
    uint64_t entry;
    const uint8_t *build_id; /* NULL: none */
    size_t build_id_len;
    bool has_code; /* else debug information alone */
    bool has_symbols, has_dwarf, bad_dwarf;
    uint64_t code_bytes;
    uint64_t own_bytes;   /* the kernel's: without the agent's */
    uint64_t named_bytes; /* in functions of the symbol table or of DWARF */
    uint64_t line_bytes;  /* with a line number */
    uint64_t described;   /* in compile units */
    uint64_t functions;   /* cold parts not counted */
    uint64_t labels;      /* those without a size in the symbol table */
    uint64_t label_bytes; /* up to the next symbol each */
    bool table[CHECK_TABLES];
    uint64_t table_bytes[CHECK_TABLES];
    struct check_frames frames; /* without the agent's */
    struct check_unit *units;   /* the kernel's, falling by code_bytes */
    size_t unit_count;
    struct check_agent agent;
};

#endif

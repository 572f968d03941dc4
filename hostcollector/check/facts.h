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
enum survey_frame {
    SURVEY_FRAMED,  /* sets up a frame, or is the outermost: its caller is known
                     */
    SURVEY_LEAF,    /* sets up none, and calls nobody */
    SURVEY_BARE,    /* sets up none, and calls: callees' stacks lack it */
    SURVEY_CUTTING, /* has other things in RBP: callees' stacks end there */
    SURVEY_UNREAD,  /* not understood */
    SURVEY_FRAMES
};

struct survey_frames {
    uint64_t functions[SURVEY_FRAMES];
    uint64_t bytes[SURVEY_FRAMES];
    uint64_t told; /* bytes without a frame, but with a certain direct caller */
};

/* Languages, as far as a remedy differs. */
enum survey_language {
    SURVEY_OTHER, /* and unknown */
    SURVEY_C,
    SURVEY_CXX,
    SURVEY_RUST,
    SURVEY_PASCAL,
    SURVEY_GO,
    SURVEY_ASSEMBLER,
    SURVEY_AGENT, /* tprof's own code, which does not sample itself */
    SURVEY_LANGUAGES
};

/* A compile unit, or all functions of a language that belong to none. */
struct survey_unit {
    const char *name;     /* NULL: no debug information */
    const char *producer; /* the compiler and its flags; may be NULL */
    enum survey_language language;
    uint64_t code_bytes;
    uint64_t line_bytes; /* with a line number */
    struct survey_frames frames;
};

/* A table from which stacks can be unwound. */
enum survey_table {
    SURVEY_EH_FRAME,
    SURVEY_DEBUG_FRAME,
    SURVEY_PDATA, /* of PE images */
    SURVEY_TABLES
};

/* What of tprof is linked in. */
struct survey_agent {
    uint64_t code_bytes;  /* its own */
    bool linked;          /* there is a tprof_anchor */
    const char *version;  /* "tprof 0.1.0"; NULL: not told */
    uint32_t wire;        /* major << 8 | minor; 0: not told */
    bool has_bounds;      /* __tprof_text_start and _end are there, */
    uint64_t text_start;  /* and say this */
    uint64_t text_size;   /* likewise */
    uint64_t text_bytes;  /* code between them */
    uint64_t memory_size; /* of __tprof_memory; 0: none */
    bool has_note;        /* __tprof_build_id: it tells its build-id */
    bool vsock, debugcon, uart, kvm;
    bool efi; /* tprof_init_efi() finds text and build-id itself */
};

struct survey {
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
    bool table[SURVEY_TABLES];
    uint64_t table_bytes[SURVEY_TABLES];
    struct survey_frames frames; /* without the agent's */
    struct survey_unit *units;   /* the kernel's, falling by code_bytes */
    size_t unit_count;
    struct survey_agent agent;
};

#endif

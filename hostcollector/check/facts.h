/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The facts of an image from which collector check predicts what a profile will
 * show. Text is unchanged from the file: escape it. All counts of bytes are of
 * code, that is, of instructions.
 */
#ifndef TPROF_CHECK_FACTS_H
#define TPROF_CHECK_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu;

/* A function's use of frame pointers, as its instructions show. */
enum check_frame {
    CHECK_FRAMED,  /* sets up a frame, or is outermost */
    CHECK_LEAF,    /* sets up no frame, and calls nothing */
    CHECK_BARE,    /* sets up no frame, but calls: callees' stacks lack its
                    * caller */
    CHECK_CUTTING, /* keeps other values in FP: callees' stacks end there */
    CHECK_UNREAD,  /* its code was not understood */
    CHECK_FRAMES
};

struct check_frames {
    uint64_t functions[CHECK_FRAMES];
    uint64_t bytes[CHECK_FRAMES];
    uint64_t told; /* bytes of (bare) functions whose direct caller is
                    * certain */
    /* of these, bytes of CHECK_LEAF: their stacks are complete */
    uint64_t told_leaf;
};

/* Languages for which the advice differs. */
enum check_language {
    CHECK_OTHER, /* and unknown */
    CHECK_C,
    CHECK_CXX,
    CHECK_RUST,
    CHECK_PASCAL,
    CHECK_GO,
    CHECK_ASSEMBLER,
    CHECK_AGENT, /* code of tprof, which is never sampled */
    CHECK_LANGUAGES
};

/* Returns the usual name of (language). */
const char *check_language_name(enum check_language language);

/* A compile unit, or all functions of a language outside of compile units. */
struct check_unit {
    const char *name;     /* NULL: no debug information */
    const char *producer; /* the compiler and its flags; may be NULL */
    enum check_language language;
    uint64_t code_bytes;
    uint64_t line_bytes; /* with a line number */
    struct check_frames frames;
};

/* Functions that are worth naming: the largest ones. */
#define CHECK_NAMED 3
struct check_named {
    const char *name; /* NULL: no more */
    uint64_t bytes;
    size_t unit;
};

/* A table from which stacks can be unwound. */
enum check_table {
    CHECK_EH_FRAME,
    CHECK_DEBUG_FRAME,
    CHECK_PDATA, /* of PE images */
    CHECK_TABLES
};

/* Symbols of the parts of tprof that a kernel links by naming them, such as
 * "tprof_vsock". The list ends with NULL. */
extern const char *const check_capabilities[];

/* Risks that a kernel uses the memory of __tprof_memory, or of tprof's
 * variables, as its own. */
enum check_memory {
    CHECK_MEMORY_GOOD,
    CHECK_MEMORY_UNLOADED, /* no segment that is loaded holds it */
    CHECK_MEMORY_BEHIND,   /* it lies after a symbol for the kernel's end */
    CHECK_MEMORY_VARIABLES /* only variables of tprof lie there */
};

/* Loaders that boot an image, as bits. */
enum check_loader {
    CHECK_QEMU_PVH = 1u << 0, /* QEMU's -kernel */
    CHECK_QEMU_MULTIBOOT = 1u << 1,
    CHECK_QEMU_ELF32 = 1u << 2, /* ... after objcopy -O elf32-i386 alone */
    CHECK_GRUB_MULTIBOOT = 1u << 3,
    CHECK_GRUB_MULTIBOOT2 = 1u << 4,
    CHECK_UEFI = 1u << 5,
    CHECK_QEMU_ELF = 1u << 6, /* QEMU's -kernel, without any header */
};

/* Reasons why a loader does not load a part of a section. */
enum check_gap_why {
    CHECK_GAP_SEGMENT,  /* no segment holds it */
    CHECK_GAP_LOAD_END, /* the multiboot header ends the load before it */
    CHECK_GAP_BSS_END,  /* ... or the end of the zeroed memory */
};

/* The last (bytes) of a section. No loader loads or zeroes these bytes. */
struct check_gap {
    const char *section; /* NULL: no more */
    uint64_t bytes;
    enum check_gap_why why;
    bool agent; /* it contains a part of tprof */
};

#define CHECK_GAPS 4u
struct check_loading_facts {
    uint32_t loaders;           /* a set of enum check_loader */
    uint64_t load_end, bss_end; /* from the multiboot header; 0: missing */
    struct check_gap gaps[CHECK_GAPS]; /* gaps with parts of tprof come first */
};

/* The parts of tprof that are linked in. */
struct check_agent_facts {
    uint64_t code_bytes;      /* of tprof's code */
    bool linked;              /* the image has a tprof_anchor */
    bool has_init, has_start; /* it has tprof_init_image(), tprof_start_cpu() */
    const char *version;      /* "tprof 0.1.0"; NULL: unknown */
    uint32_t wire;            /* major << 8 | minor; 0: unknown */
    bool has_bounds;     /* it has __tprof_text_start and __tprof_text_end */
    uint64_t text_start; /* the value of __tprof_text_start */
    uint64_t text_size;  /* from there to __tprof_text_end */
    uint64_t text_bytes; /* code between these two symbols */
    /* code outside of them that runs before paging is on */
    uint64_t boot_bytes;
    uint64_t memory_size; /* of __tprof_memory; 0: none */
    enum check_memory memory;
    const char *kernel_end; /* CHECK_MEMORY_BEHIND, _VARIABLES: the kernel's end
                               symbol */
    bool has_note;          /* __tprof_build_id: the agent knows the build-id */
    uint32_t capabilities;  /* bit i: check_capabilities[i] is linked */
    bool efi; /* tprof_init_efi() finds text and build-id at run time */
};

struct check_facts {
    const struct cpu *cpu;
    bool pe;    /* else ELF */
    bool moves; /* may be loaded at another address than linked for */
    uint64_t entry;
    const uint8_t *build_id; /* NULL: none */
    size_t build_id_len;
    bool has_code; /* false: the file has debug information only */
    bool has_symbols, has_dwarf, bad_dwarf, packed_dwarf;
    bool split_dwarf;          /* some debug information is in files that tprof
                                * does not read */
    const char *split_file;    /* the first such file; NULL: nameless */
    const char *debug_path;    /* the file with the DWARF; NULL: the image */
    const char *stripped_file; /* without DWARF: the file it was stripped into,
                                  or NULL */
    uint64_t code_bytes;
    uint64_t own_bytes;   /* of the kernel, without the agent */
    uint64_t named_bytes; /* in functions of the symbol table or of DWARF */
    uint64_t line_bytes;  /* with a line number */
    uint64_t described;   /* in compile units */
    uint64_t functions;   /* without cold parts */
    uint64_t labels;      /* functions that have no size in the symbol table */
    uint64_t label_bytes; /* from each label to the next symbol */
    bool table[CHECK_TABLES];
    uint64_t table_bytes[CHECK_TABLES];
    struct check_frames frames; /* without the agent's */
    /* by language: functions without a frame that call others */
    struct check_named bare[CHECK_LANGUAGES][CHECK_NAMED];
    uint64_t runtime_bytes;   /* of these, bytes in Pascal's run-time library */
    struct check_unit *units; /* the kernel's units, largest code_bytes first */
    size_t unit_count;
    struct check_agent_facts agent;
    struct check_loading_facts loading;
};

#endif

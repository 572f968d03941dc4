/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of one function: by source line, and by basic block of its code.
 * annotate/annotate.c builds the annotation and owns all of it. Leaf.
 *
 * The interrupt that takes a sample is late: the instruction that it hits was
 * waiting for earlier instructions, which are the cause. Therefore lines and
 * blocks have sums, while an instruction only has the number of samples that
 * hit it.
 */
#ifndef TPROF_MODEL_ANNOTATION_H
#define TPROF_MODEL_ANNOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

/* Samples of a part of the function. */
struct annotated_sum {
    struct amount amount;
    double late;  /* part of amount.time: samples LATE_TICKS late or more */
    double moved; /* part of amount.time: samples of view_path.moved */
};

/* A source line that has code in the function. */
struct annotated_line {
    uint32_t number; /* 0: not known */
    struct annotated_sum sum;
};

/* Lines of one file: of the function itself, or of a function that is inlined
 * into it, directly or within another inlined function. */
struct annotated_body {
    const char *function; /* safe on a terminal, as all strings here */
    const char *file;     /* NULL: not known */
    bool inlined;
    struct annotated_line *lines; /* by number */
    size_t line_count;
    struct annotated_sum sum;
    /* Text of the lines from (text_first) on. If (text_count) is 0, the file
     * was not read. Tabulators are replaced by blanks. */
    uint32_t text_first, text_count;
    const char *const *text;
};

struct annotated_insn {
    uint64_t address; /* in the image's file */
    const char *text;
    /* index into annotation.bodies; ANNOTATED_NONE: not known */
    uint32_t body;
    uint32_t number;  /* source line; 0: not known */
    uint32_t target;  /* the block that it jumps to, or ANNOTATED_NONE */
    uint64_t samples; /* samples that hit it */
    double late;      /* part of the time of these samples: late samples */
};
#define ANNOTATED_NONE UINT32_MAX

struct annotated_block {
    uint32_t first, count; /* range of instructions */
    struct annotated_sum sum;
};

/* A run of the function's code. A function has several runs if the compiler
 * moved some of its code away, or if other functions have the same name. */
struct annotated_code {
    uint64_t address, size;
    bool unread; /* too long, or not in the file */
    struct annotated_insn *insns;
    struct annotated_block *blocks;
    uint32_t insn_count, block_count;
    /* jumps through a register or memory, whose targets are not known and may
     * be inside a block */
    uint32_t jumps_away;
};

/* A function into which the annotated function was inlined, with the samples
 * that hit the copy there. */
struct annotated_host {
    uint32_t function; /* index into the view's functions */
    struct annotated_sum sum;
};

struct annotation {
    uint32_t function; /* index into the view's functions */
    bool chosen;       /* the busiest function, because the user named none */
    /* busy samples in its code, inlined functions included */
    struct annotated_sum sum;
    uint64_t idle; /* samples in its code at which the core slept */
    struct annotated_body *bodies;
    size_t body_count;
    struct annotated_code *codes; /* by rising address */
    size_t code_count;
    struct annotated_host *hosts; /* by falling time */
    size_t host_count;
    bool without_lines; /* the image has no lines for its code */
    bool code_told;     /* some code comes from the recording, not from a
                         * file */
    bool source_told;   /* some source lines come from the recording */
};

#endif

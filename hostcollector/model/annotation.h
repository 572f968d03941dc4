/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One function and the samples in it: by source line, and by basic block of its
 * code. annotate/annotate.c builds it and owns all of it. Leaf.
 *
 * A sample is what a timer's interrupt found. The interrupt is late: the
 * instruction that it hit waits for those before it, which are the cause. So
 * lines and blocks have sums, and of an instruction it is known only whether
 * samples hit it.
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
    double late; /* of amount.time: samples that came late, LATE_TICKS */
};

/* A source line that has code in the function. */
struct annotated_line {
    uint32_t number; /* 0: not known */
    struct annotated_sum sum;
};

/* Lines of one file: those of the function itself, or of one that is inlined
 * there, by itself or within another one. */
struct annotated_body {
    const char *function; /* harmless on a terminal, as all strings here */
    const char *file;     /* NULL: not known */
    bool inlined;
    struct annotated_line *lines; /* by number */
    size_t line_count;
    struct annotated_sum sum;
    /* The text of lines (text_first) and so on; count 0: it was not read. A
     * tabulator is blanks. */
    uint32_t text_first, text_count;
    const char *const *text;
};

struct annotated_insn {
    uint64_t address; /* in the image's file */
    const char *text;
    uint32_t body;    /* of annotation.bodies; ANNOTATED_NONE: not known */
    uint32_t number;  /* of its line; 0: not known */
    uint32_t target;  /* the block that it jumps to; ANNOTATED_NONE */
    uint64_t samples; /* that hit it ... */
    double late;      /* ... of whose time this part came late */
};
#define ANNOTATED_NONE UINT32_MAX

struct annotated_block {
    uint32_t first, count; /* instructions */
    struct annotated_sum sum;
};

/* A run of the function's code. A function has several if the compiler has put
 * some of it aside, or if others have the same name. */
struct annotated_code {
    uint64_t address, size;
    bool unread; /* too long, or the file does not hold it */
    struct annotated_insn *insns;
    struct annotated_block *blocks;
    uint32_t insn_count, block_count;
    uint32_t jumps_away; /* through a register or memory: where these lead is
                            not known, and may be within a block */
};

/* A function into which this one was inlined, and where samples hit it. */
struct annotated_host {
    uint32_t function; /* of the view */
    struct annotated_sum sum;
};

struct annotation {
    uint32_t function; /* of the view */
    bool chosen;       /* since it is the busiest, and none was asked for */
    struct annotated_sum sum; /* busy samples in its code, with all that is
                                 inlined there */
    uint64_t idle;            /* samples that found the core asleep there */
    struct annotated_body *bodies;
    size_t body_count;
    struct annotated_code *codes; /* by rising address */
    size_t code_count;
    struct annotated_host *hosts; /* by falling time */
    size_t host_count;
    bool without_lines; /* no line of its code is known */
};

#endif

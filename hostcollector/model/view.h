/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile with names: functions instead of addresses, as tables and trees.
 * Every renderer reads the view beside the profile. view/view.c builds the view
 * and owns all of it. Leaf.
 */
#ifndef TPROF_MODEL_VIEW_H
#define TPROF_MODEL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"

/* Sums over samples; those of disjoint sets add up field by field. */
struct amount {
    uint64_t samples;
    uint64_t weight; /* deadlines that they cover */
    double time;     /* TSC ticks of the core's time */
    double time_sq;  /* sum of the squares, for the error of a share */
};

/* Entries 0 to VIEW_MARKS - 1 of the functions are marks: each says what is
 * missing in a stack, or what the core did. A mark's name is in brackets. */
enum view_mark {
    VIEW_UNCERTAIN, /* between a function and its caller: one may be missing */
    VIEW_IDLE,      /* innermost: the core slept here */
    VIEW_LOST,      /* outermost: the stack was lost in transport */
    VIEW_DEEPER,    /* outermost: there were more frames than asked for */
    VIEW_OTHERS,    /* anywhere: what there was no memory to tell apart */
    /* No tick came. Outermost, and has a row as a function has: */
    VIEW_LENT, /* the kernel waited by the timer; below: where that ended */
    VIEW_REST, /* the timer rested, after such a wait; nothing is below */
    VIEW_MARKS
};

struct view_function {
    const char *name; /* harmless on a terminal, as all strings here */
    const char *file; /* of (line); NULL: unknown */
    const char *home; /* the file that declares it; NULL: unknown */
    uint32_t line;    /* where most time was spent, or else in its calls */
    uint32_t image;   /* of view.images; 0 of marks */
    /* Busy samples whose stack lacks a caller above this function, since it
     * calls others without a frame. A sample counts for the innermost one. */
    uint64_t hides;
    bool nameless; /* (name) is an address */
};

/* A run of an image's code, in that image's own addresses. */
struct view_segment {
    uint64_t address, size;
    uint64_t file_offset; /* of its first byte */
};

/* An image that samples lie in. */
struct view_image {
    const char *name;   /* harmless; NULL: the kernel's */
    struct amount busy; /* samples interrupted in it, as in view.total */
    const char *path;   /* of its file, absolute; escape it. NULL: not known */
    const uint8_t *build_id;
    size_t build_id_len; /* 0: it has none, or none is known */
    bool has_hash;
    uint8_t hash[16]; /* struct image_hash */
    /* Run-time address - the file's, modulo 2^64; of an image at several
     * addresses one of them. So moved, no two images overlap. */
    uint64_t slide;
    struct view_segment *segments; /* by rising address */
    size_t segment_count;
};

/* One function in one scope; or VIEW_OTHERS, all functions of which there is no
 * row. Their (total) is not known: the sum of their (self) at least. */
struct view_row {
    uint32_t function;
    struct amount self;      /* samples with the function innermost */
    struct amount total;     /* samples with the function anywhere, once each */
    struct amount uncertain; /* of self: the caller is uncertain */
    double late; /* of self.time: samples that came LATE_TICKS late or more */
};

/* A source line of a function, and the time that was charged to it. */
struct view_line {
    uint32_t function;
    uint32_t number;    /* 0: not known */
    const char *file;   /* NULL: not known */
    double self, calls; /* at the line itself, and in what it called; idle time
                           included */
    double busy;        /* of self: busy time */
    double busy_sq;     /* of busy: sum of the samples' squares */
};

/* A node of a call tree: a function, called by the parent node's function. */
struct view_node {
    uint32_t function;
    bool inlined;         /* into the parent */
    uint32_t parent;      /* before it; 0 of the root, too */
    uint32_t child, next; /* first child, next sibling; 0: none */
    struct amount total;  /* samples whose stack has this node */
    struct amount self;   /* samples whose stack ends in this node */
};

/* Node 0 of every tree is the root and stands for no function. */
struct view_tree {
    struct view_node *nodes;
    size_t node_count;
};

/* Tables and trees of one core, or of all cores. Idle time is kept apart. */
struct view_scope {
    uint32_t core;      /* VIEW_ALL_CORES: all */
    struct amount all;  /* = busy + idle */
    struct amount busy; /* rows and tree are of these */
    struct amount idle;
    struct amount uncertain; /* of busy: the leaf's caller is uncertain */
    struct amount unseen;    /* of busy: VIEW_LENT and VIEW_REST */
    double late;             /* of busy.time, as of rows */
    struct view_row *rows;   /* by falling self, total; then by name */
    size_t row_count;
    struct view_tree tree;      /* children by falling total, then by name */
    struct view_tree idle_tree; /* likewise, of idle samples */
};
#define VIEW_ALL_CORES UINT32_MAX

/* (caller) called (callee). Each busy sample of any core counts once. */
struct view_edge {
    uint32_t caller, callee;
    struct amount amount;
    /* The next edges of the same caller, and of the same callee, by falling
     * amount; VIEW_NO_EDGE behind the last. */
    uint32_t next_of_caller, next_of_callee;
};
#define VIEW_NO_EDGE UINT32_MAX

/* A function on a path, and where it was. */
struct view_step {
    uint32_t function; /* below VIEW_MARKS: a mark, without a place */
    uint32_t image;    /* of view.images */
    uint64_t address;  /* in the image's file; a caller's lies in its call */
    const char *file;  /* of (line); NULL: unknown */
    uint32_t line;     /* 0: unknown */
    bool inlined;      /* into the step before */
};

/* An entry of the profile as functions, outermost first: the same as on its
 * branch of a tree. */
struct view_path {
    const struct view_step *steps;
    size_t count;
    bool idle;      /* the last step is VIEW_IDLE */
    bool unseen;    /* the first step is VIEW_LENT or VIEW_REST */
    bool uncertain; /* the leaf's caller is */
    struct amount amount;
    double late; /* of amount.time, as of rows */
};

struct view {
    const struct view_function *functions;
    size_t function_count;
    struct view_scope total;
    struct view_scope *cores; /* by number, those that sent or could send */
    size_t core_count;
    const struct view_line *lines; /* of all functions, in no order */
    size_t line_count;
    struct view_edge *edges; /* by falling amount, then by the names */
    size_t edge_count;
    uint32_t *calls;   /* by function: its first edge as a caller, ... */
    uint32_t *callers; /* ... and as a callee; or VIEW_NO_EDGE */

    /* Busy samples by the reason why the frame walk ended. */
    uint64_t ends[WIRE_END_REASONS + 1];
    /* Busy samples whose walk ended after a frame or less, though the stack
     * goes on: the stack, or its next frame, lies in no readable memory; or RBP
     * held no frame. */
    uint64_t unreadable;
    uint64_t unreadable_rsp; /* RSP in one of the former; 0: not told */
    uint64_t astray;
    uint64_t without_symbol; /* busy samples whose leaf has no name */

    /* The kernel's code is not known, which tells where cores sleep: what is
     * busy here may have been idle. */
    bool idle_unknown;

    /* Branches of (total.tree), rows and addresses that had no room; and the
     * busy samples in VIEW_OTHERS there. */
    uint64_t folded;
    struct amount others;

    struct view_paths *paths; /* for view_path_of() */

    struct view_image *images; /* the kernel's, then those that it loaded */
    size_t image_count;        /* at least 1 */
};

#endif

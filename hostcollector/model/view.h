/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile with names: functions instead of addresses, as tables and trees.
 * Every renderer reads the view beside the profile. view/view_build.c builds
 * the view and owns all of it. Leaf.
 */
#ifndef TPROF_MODEL_VIEW_H
#define TPROF_MODEL_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/stack.h"

/* Sums over samples. The sums of disjoint sets add up field by field. */
struct amount {
    uint64_t samples;
    uint64_t weight; /* deadlines that the samples cover */
    double time;     /* TSC ticks of the core's time */
    double time_sq;  /* sum of the squares, for the error of a share */
};

/* Add (b) to (a). */
static inline void amount_add(struct amount *a, const struct amount *b)
{
    a->samples += b->samples;
    a->weight += b->weight;
    a->time += b->time;
    a->time_sq += b->time_sq;
}

/* The first VIEW_MARKS entries of the functions are marks. A mark stands for a
 * missing part of a stack, or for a state of the core. Its name is in brackets.
 */
enum view_mark {
    /* between a function and its caller: a caller may be missing */
    VIEW_UNCERTAIN,
    VIEW_IDLE,   /* innermost: the core slept */
    VIEW_LOST,   /* outermost: the stack was lost in transport */
    VIEW_DEEPER, /* outermost: the stack exceeded the requested depth */
    VIEW_OTHERS, /* anywhere: stacks or functions that exceeded the memory */
    /* No tick came. These marks are outermost and have rows like functions. */
    VIEW_LENT, /* the kernel waited by the timer; the place is below */
    VIEW_REST, /* the timer rested after such a wait; nothing is below */
    VIEW_MARKS
};

struct view_function {
    const char *name; /* safe on a terminal, as all strings here */
    const char *file; /* file of (line); NULL: unknown */
    const char *home; /* file of the declaration; NULL: unknown */
    /* the line with most time, or else with most time in calls */
    uint32_t line;
    uint32_t image; /* index into view.images; 0 for marks */
    /* Busy samples whose stack lacks a caller above this function, because it
     * calls other functions without a frame. A sample counts for the innermost
     * such function. */
    uint64_t hides;
    /* Samples of view_path.moved that stood at the function's beginning. */
    uint64_t gave;
    bool nameless; /* (name) is an address */
};

/* A run of an image's code, at the image's own addresses. */
struct view_segment {
    uint64_t address, size;
    uint64_t file_offset; /* of its first byte */
};

/* An image that contains samples. */
struct view_image {
    const char *name;   /* safe on a terminal; NULL: the kernel */
    struct amount busy; /* samples that interrupted it, as part of view.total */
    /* absolute path of its file; escape it. NULL: unknown */
    const char *path;
    const uint8_t *build_id;
    size_t build_id_len; /* 0: none, or unknown */
    bool has_hash;
    uint8_t hash[16]; /* as in struct image_hash */
    /* Run-time address minus the file's address, modulo 2^64. If the image is
     * mapped at several addresses, one of them is used. At these addresses no
     * two images overlap. */
    uint64_t slide;
    struct view_segment *segments; /* by rising address */
    size_t segment_count;
};

/* One function in one scope, or VIEW_OTHERS: all functions without a row of
 * their own. The (total) of VIEW_OTHERS is not known; it is at least the sum of
 * their (self). */
struct view_row {
    uint32_t function;
    struct amount self;      /* the function is innermost */
    struct amount total;     /* the function is anywhere in the stack */
    struct amount uncertain; /* part of (self): the caller is uncertain */
    double late;             /* part of self.time: samples LATE_TICKS late or
                              * more */
    double moved;            /* part of self.time: samples of view_path.moved */
    /* Parts of self.time: samples directly after an instruction that switched
     * interrupts on, and samples directly after an instruction that takes long
     * (image/code/holdup.h). */
    double off, slow;
    /* (after): the instruction of most of (slow), such as "in". (off_by): the
     * caller of most of (off), or VIEW_UNCERTAIN. The answer is certain if its
     * votes are more than half of (slow) or (off). */
    const char *after;
    uint32_t off_by;
    double after_votes, off_by_votes;
};

/* A source line of a function, with its share of time. */
struct view_line {
    uint32_t function;
    uint32_t number;  /* 0: not known */
    const char *file; /* NULL: not known */
    /* time at the line itself, and in functions called from it; idle time
     * included */
    double self, calls;
    double busy;    /* part of self: busy time */
    double busy_sq; /* part of (busy): sum of the squares of the samples'
                     * times */
};

/* A node of a call tree: a function that the parent node's function called. */
struct view_node {
    uint32_t function;
    bool inlined;         /* into the parent */
    uint32_t parent;      /* index, less than its own; 0 for the root as well */
    uint32_t child, next; /* first child, next sibling; 0: none */
    struct amount total;  /* samples whose stack has this node */
    struct amount self;   /* samples whose stack ends in this node */
};

/* Node 0 of every tree is the root and not a function. */
struct view_tree {
    struct view_node *nodes;
    size_t node_count;
};

/* Properties by which samples are grouped, in the order of the words of --by.
 */
enum view_by { VIEW_BY_CORE, VIEW_BY_THREAD, VIEW_BY_IMAGE, VIEW_BYS };

/* Tables and trees of one core or of all cores. Idle time is separate. */
struct view_scope {
    /* VIEW_ALL_CORES: all. In view.threads the number of a thread in the
     * profile; 0: samples without a thread; VIEW_ALL_CORES: other threads. */
    uint32_t core;
    struct amount all;  /* = busy + idle */
    struct amount busy; /* samples of (rows) and (tree) */
    struct amount idle;
    struct amount uncertain; /* part of busy: the leaf's caller is uncertain */
    struct amount unseen;    /* part of busy: VIEW_LENT and VIEW_REST */
    /* part of busy.time: samples LATE_TICKS late or more */
    double late;
    struct view_row *rows; /* by falling self, total; then by name */
    size_t row_count;
    struct view_tree tree; /* children by falling total, then by name */
    /* idle samples; children by falling total, then by name */
    struct view_tree idle_tree;
};
#define VIEW_ALL_CORES UINT32_MAX

/* (caller) called (callee). Each busy sample of any core counts once. */
struct view_edge {
    uint32_t caller, callee;
    struct amount amount;
    /* Line of the calls. If calls from one line have more than half of
     * (amount), the result is that line. NULL: unknown. */
    const char *file;
    uint32_t line;
    double lead; /* while the view is built: time of that line minus the time of
                  * other lines */
    /* Next edge of the same caller, and next edge of the same callee, by
     * falling amount. VIEW_NO_EDGE ends the list. */
    uint32_t next_of_caller, next_of_callee;
};
#define VIEW_NO_EDGE UINT32_MAX

/* Most threads that have a scope. */
#define VIEW_THREADS 15u

/* A function on a path, with the place in it. */
struct view_step {
    uint32_t function; /* below VIEW_MARKS: a mark, without a place */
    uint32_t image;    /* index into view.images */
    uint64_t address;  /* in the image's file; for a caller, inside the call */
    const char *file;  /* of (line); NULL: unknown */
    uint32_t line;     /* 0: unknown */
    bool inlined;      /* inlined into the step before */
};

/* An entry of the profile as functions, outermost first, as on its branch of a
 * tree. */
struct view_path {
    const struct view_step *steps;
    size_t count;
    bool idle;      /* the last step is VIEW_IDLE */
    bool unseen;    /* the first step is VIEW_LENT or VIEW_REST */
    bool uncertain; /* the leaf's caller is uncertain */
    /* The samples stood at the first instruction of a function that the last
     * step had called. Their time was spent before the call
     * (image/names/displaced.h). */
    bool moved;
    struct amount amount;
    double late; /* part of amount.time: samples LATE_TICKS late or more */
};

/* The stack of a wait: functions, outermost first, as on a branch of a tree. */
struct view_wait {
    const uint32_t *functions;
    size_t count; /* 0: no stack is known */
};

/* The variable that is a lock, or has the lock inside. */
struct view_lock {
    const char *variable; /* NULL: not known */
    uint64_t offset;      /* of the lock in the variable */
};

struct view {
    const struct view_function *functions;
    size_t function_count;
    struct view_scope total;
    /* by number: cores that sent samples or were able to */
    struct view_scope *cores;
    size_t core_count;
    /* The threads with most samples, by falling time, then the other threads,
     * then samples without a thread. (thread_count) is 0 without threads. */
    struct view_scope *threads;
    size_t thread_count;
    const struct view_wait *waits;      /* by index of profile.waits */
    const struct view_wait *lock_waits; /* by index of profile.lock_waits */
    const struct view_lock *locks;      /* by index of profile.locks */
    const struct view_line *lines; /* lines of all functions, in no order */
    size_t line_count;
    struct view_edge *edges; /* by falling amount, then by the names */
    size_t edge_count;
    uint32_t *calls;   /* first edge as a caller, for each function */
    uint32_t *callers; /* first edge as a callee, for each function */

    /* Busy samples by the reason why the frame walk ended. */
    uint64_t ends[WIRE_END_REASONS + 1];
    /* Busy samples whose walk found at most one frame although the stack goes
     * on: the stack or its next frame lies outside readable memory, or FP held
     * no frame. */
    uint64_t unreadable;
    /* SP of a sample whose stack is not readable; 0: not sent */
    uint64_t unreadable_sp;
    uint64_t astray;
    uint64_t without_symbol; /* busy samples whose leaf has no name */
    uint64_t moved;          /* busy samples of view_path.moved */

    /* The code of the kernel is not known, so the view cannot tell where cores
     * sleep: busy samples may be idle ones. */
    bool idle_unknown;

    /* Branches of (total.tree), rows and addresses that exceeded the memory,
     * and the busy samples that are in VIEW_OTHERS for this reason. */
    uint64_t folded;
    struct amount others;
    /* Bytes that the view was allowed to take, and bytes that it took. If
     * branches were folded, (wanted) is what the view would have taken without
     * folding. */
    uint64_t memory, wanted;

    struct view_paths *paths; /* input of view_path_of() */

    /* the kernel first, then images that the kernel has loaded */
    struct view_image *images;
    size_t image_count; /* at least 1 */
};

#endif

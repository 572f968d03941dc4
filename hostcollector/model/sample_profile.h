/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of samples on a kernel's source lines, for a compiler. Functions and
 * lines are those of the source, before the compiler inlines. pgo/pgo.c builds
 * the profile and owns all of it. Leaf.
 */
#ifndef TPROF_MODEL_SAMPLE_PROFILE_H
#define TPROF_MODEL_SAMPLE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

/* A place in a function. The place stays the same if lines are added before the
 * function. */
struct sampled_place {
    uint32_t offset;        /* lines after the function's first, modulo 2^16 */
    uint32_t discriminator; /* separates code on the same line; 0: not needed */
};

/* A function that a line calls through a pointer. */
struct sampled_call {
    const char *name; /* as sampled_body.name */
    uint64_t count;   /* number of calls; never 0 */
};

struct sampled_line {
    struct sampled_place place;
    /* samples on the line's most sampled instruction; never 0 */
    uint64_t count;
    const struct sampled_call *calls; /* by falling count, then by name */
    size_t call_count;
};

/* A function, or a copy of a function that is inlined into another body. */
struct sampled_body {
    const char *name; /* linker's name; printable, without blanks */
    /* in the enclosing body; all zero for a function */
    struct sampled_place call;
    uint32_t depth; /* number of enclosing bodies */
    /* sum of the counts of its lines, and of the bodies in it */
    uint64_t total;
    /* times that the function was entered: the count of its first line, or else
     * of its first sampled line; 0 for an inlined body */
    uint64_t head;
    const struct sampled_line *lines; /* by rising place */
    size_t line_count;
};

/* Samples at one address. */
struct sampled_address {
    /* symbol of the function; printable, without blanks */
    const char *function;
    uint32_t local; /* number among local symbols of that name; 0: global */
    uint64_t offset, samples;
};

struct sample_profile {
    /* Functions by falling total, then by name. Each is followed by the bodies
     * inlined in it, by rising place. */
    const struct sampled_body *bodies;
    size_t body_count;
    /* Filled in place of the bodies if the user asked for addresses. */
    const struct sampled_address *addresses;
    size_t address_count;
    uint64_t samples; /* busy samples in the kernel's code */
    uint64_t placed;  /* samples among these that are in the bodies or at the
                       * addresses */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a compiler is told about a kernel: how often samples hit its source
 * lines, by the functions and lines of the source as the compiler sees them
 * before it inlines. pgo/pgo.c builds it and owns all of it. Leaf.
 */
#ifndef TPROF_MODEL_SAMPLE_PROFILE_H
#define TPROF_MODEL_SAMPLE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

/* A place in a function, which stays where it is if lines are added before the
 * function. */
struct sampled_place {
    uint32_t offset;        /* lines below the function's first, modulo 2^16 */
    uint32_t discriminator; /* tells code of one line apart; 0: none does */
};

/* A function that a line calls through a pointer. */
struct sampled_call {
    const char *name; /* as sampled_body.name */
    uint64_t count;   /* of its calls; never 0 */
};

struct sampled_line {
    struct sampled_place place;
    uint64_t count; /* of its instruction that most samples hit; never 0 */
    const struct sampled_call *calls; /* by falling count, then by name */
    size_t call_count;
};

/* A function, or the copy of one that is inlined in the body around it. */
struct sampled_body {
    const char *name;          /* for linkers; printable, without blanks */
    struct sampled_place call; /* in the body around it; zeroed of a function */
    uint32_t depth;            /* so many bodies are around it */
    uint64_t total; /* counts of its lines, and of those of bodies inside */
    uint64_t head;  /* how often a function is entered: the count of the line
                       that it begins with, or else of its first; 0 of what is
                       inlined */
    const struct sampled_line *lines; /* by place */
    size_t line_count;
};

/* Samples at one address. */
struct sampled_address {
    const char *function; /* its symbol; printable, without blanks */
    uint32_t local; /* the number among local symbols of that name; 0: global */
    uint64_t offset, samples;
};

struct sample_profile {
    /* Functions by falling total, then by name; behind each body those that are
     * inside of it, by place. */
    const struct sampled_body *bodies;
    size_t body_count;
    /* Or, if that was asked for, by address. */
    const struct sampled_address *addresses;
    size_t address_count;
    uint64_t samples; /* busy ones in the kernel's code */
    uint64_t placed;  /* of these: in the bodies or addresses */
};

#endif

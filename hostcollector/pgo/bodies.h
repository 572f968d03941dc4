/* SPDX-License-Identifier: BSD-2-Clause */
/* A sample profile in the making. Part of pgo. */
#ifndef TPROF_PGO_BODIES_H
#define TPROF_PGO_BODIES_H

#include <stddef.h>
#include <stdint.h>

#include "image/names/names.h"
#include "model/sample_profile.h"
#include "util/arena.h"
#include "util/pair_map.h"

struct dwarf_target;

/*
 * Fields that LLVM packs into a discriminator: a number that distinguishes
 * blocks of one line, and the number of copies of the code in an unrolled or
 * vectorized loop (llvm/Support/Discriminator.h). A field is a 0 bit followed
 * by the low 5 or 12 bits of the value. A single 1 bit is the value 0.
 */
#define DISCRIMINATOR_LONG 0x20u /* in a number: 12 bits, not 5 */

static inline uint32_t discriminator_base(uint32_t d)
{
    uint32_t number = d >> 1;

    if ((d & 1) != 0)
        return 0;
    return (number & DISCRIMINATOR_LONG) != 0
               ? (number >> 1 & 0xfe0) | (number & 0x1f)
               : number & 0x1f;
}

static inline uint32_t discriminator_copies(uint32_t d)
{
    uint32_t copies;

    if ((d & 1) != 0)
        d >>= 1;
    else
        d >>= (d >> 1 & DISCRIMINATOR_LONG) != 0 ? 14 : 7;
    copies = discriminator_base(d);
    return copies != 0 ? copies : 1;
}

/* A body under construction. Bodies and lines are not yet sorted. */
struct growing_body {
    struct sampled_body body;
    uint64_t samples; /* samples that hit it, or a body inlined into it */
    uint32_t parent;  /* the body around it; NO_BODY: it is a function */
    uint32_t child,
        next; /* first body inside; next body inside the same body */
};
#define NO_BODY UINT32_MAX

struct growing_line {
    struct sampled_line line;
    uint32_t body;
    uint32_t call; /* its first call; NO_CALL: none */
};

/* A call through a pointer. */
struct growing_call {
    uint32_t callee; /* the function's body */
    uint32_t next;   /* next call of the same line; NO_CALL: none */
    double share;    /* share of all calls of the callee */
};
#define NO_CALL UINT32_MAX

/* Zeroed: empty. */
struct bodies {
    struct growing_body *list;
    size_t count, room;
    struct pair_map by_place; /* name, enclosing body and place -> body */
    struct growing_line *lines;
    size_t line_count, line_room;
    struct pair_map by_line; /* body and place -> line */
    struct growing_call *calls;
    size_t call_count, call_room;
    struct names names; /* names, each kept once */
    uint64_t placed;    /* number of samples that were placed */
};

/* Add (samples), 1 or more, at (t). Addresses without a name, first line or
 * line are left out. Returns 0; -1 if there is no memory. */
int bodies_add(struct bodies *b, const struct dwarf_target *t,
               uint64_t samples);

/* Set the head of the function that begins at (t), if the function has lines.
 * Call it after all samples were added. */
void bodies_begin(struct bodies *b, const struct dwarf_target *t);

/*
 * Record that (share) of the calls of the function at (callee) are made at
 * (site). Call this after all samples were added. The call is kept only if
 * samples hit both the site's line and the function. Returns 0; -1 if there is
 * no memory.
 */
int bodies_call(struct bodies *b, const struct dwarf_target *site,
                const struct dwarf_target *callee, double share);

/* Returns the bytes of memory that (b) takes. */
size_t bodies_bytes(const struct bodies *b);

/* Copy the sorted profile to (out). Names belong to (b); the rest is in
 * (arena). Returns 0; -1 if there is no memory. */
int bodies_finish(struct bodies *b, struct arena *arena,
                  struct sample_profile *out);

/* Release what (b) holds. */
void bodies_fini(struct bodies *b);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds functions that are called through pointers, and their call sites, from
 * stacks: no branch records are needed. Part of pgo. */
#ifndef TPROF_PGO_PGO_CALLS_H
#define TPROF_PGO_PGO_CALLS_H

#include "pgo/hits.h"

/* A call through a pointer that stacks contain. */
struct pgo_call {
    uint64_t site;    /* address in the call instruction */
    uint64_t callee;  /* first address of the function */
    uint64_t samples; /* samples whose stacks contain both addresses */
};

/* Zeroed: empty. */
struct pgo_calls {
    struct pgo_call *list;
    size_t count, room;
    struct pair_map by_place; /* site and callee -> call */
    struct hits callees;      /* samples of each callee, whatever its caller */
};

/*
 * Collect the calls through pointers in the busy stacks of (p), and add both
 * addresses of each call to (h). A callee is a function whose address is stored
 * in the image's data. If a callee ends in a jump to another function, the
 * stack contains the other function, which is no callee. Returns 0; -1 if there
 * is no memory. pgo_calls_fini() must follow in both cases.
 */
int pgo_calls_gather(struct pgo_calls *out, struct hits *h,
                     const struct profile *p, const struct view *v,
                     const struct image *image);

/* Returns the share of (call) in all calls of its callee, by samples: 0 to 1.
 */
double pgo_calls_share(const struct pgo_calls *c, const struct pgo_call *call);

/* Release what (c) holds. */
void pgo_calls_fini(struct pgo_calls *c);

#endif

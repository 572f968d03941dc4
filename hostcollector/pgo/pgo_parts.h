/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of pgo_profile(), in the order of their calls. */
#ifndef TPROF_PGO_PGO_PARTS_H
#define TPROF_PGO_PGO_PARTS_H

#include <stddef.h>

#include "image/dwarf/dwarf.h"
#include "image/names/names.h"
#include "model/profile.h"
#include "model/sample_profile.h"
#include "pgo/bodies.h"
#include "pgo/hits.h"
#include "util/arena.h"
#include "util/err.h"

struct image;

/* pgo_calls.c: finds functions that are called through pointers, and their call
 * sites, from stacks: no branch records are needed. */

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
 * stack contains the other function, and the call is not found. Returns 0; -1
 * if there is no memory. pgo_calls_fini() must follow in both cases.
 */
int pgo_calls_gather(struct pgo_calls *out, struct hits *h,
                     const struct profile *p, const struct view *v,
                     const struct image *image);

/* Returns the share of (call) in all calls of its callee, by samples: 0 to 1.
 */
double pgo_calls_share(const struct pgo_calls *c, const struct pgo_call *call);

/* Release what (c) holds. */
void pgo_calls_fini(struct pgo_calls *c);

/* judge.c: refuses profiles that would mislead a compiler. */

/* Was the code that (h) hit compiled for a sample profile, by LLVM? Call this
 * after dwarf_resolve() of (d). Returns 0; -1 with (e) filled, which says what
 * to type. */
int judge_units(const struct dwarf *d, const struct hits *h, struct err *e);

/* Are (samples) enough in total? Returns 0; -1 with (e) filled, which says how
 * long to sample. */
int judge_total(const struct profile *p, uint64_t samples, struct err *e);

/* Do the functions that matter have enough samples? Returns 0; -1 with (e)
 * filled, which says how long to sample. */
int judge_samples(const struct profile *p, const struct bodies *b,
                  struct err *e);

/* pgo_addresses.c: the profile for an optimizer of linked programs: samples by
 * symbol and offset. */

/* Copy the hits of (h) that are in functions of (image) to (out), sorted.
 * Memory comes from (arena) and (names). Returns 0; -1 if there is no
 * memory. */
int pgo_addresses_finish(struct sample_profile *out, struct arena *arena,
                         struct names *names, const struct hits *h,
                         const struct image *image);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which function of one run is which of another, by name and by the file that
 * declares it. Builds may differ: addresses, and folders of files. What a
 * compiler made of one function (f.part.0, f.constprop.0) is that function
 * where the sides do not have the same of it. What is not certain stays apart,
 * and is told.
 */
#ifndef TPROF_DIFF_COMPARE_PAIRS_H
#define TPROF_DIFF_COMPARE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/view.h"
#include "util/arena.h"
#include "util/map.h"

/* A function, on both sides or on one. */
struct pair {
    const char *name;
    const char *file;   /* that declares it; NULL: not known */
    const char *joined; /* names of its parts, "f.part.0, f.isra.0"; or NULL */
    /* One side has another function of this name, which may be the same one:
     * their files have other names, or there are several. */
    bool unsure;
    bool has[2]; /* before, after: samples of its own */
};

struct pairs_sum;
struct pairs_identity;

/* Zeroed: none. */
struct pairs {
    struct arena arena;
    struct pair_map numbers; /* (hash of name, of file) -> identity */
    struct pairs_identity *list;
    size_t identities, room;
    struct pairs_sum *sums;
    size_t sum_count, sum_room;
    /* After pairs_finish(). Behind the (count) functions those of
     * pairs_know() that have no samples of their own. */
    struct pair *functions;
    size_t count, known;
    struct amount *amounts; /* as struct compare_input has them */
};

/* In run (run), which is of (side) 0 or 1, the function (name) declared in
 * (file), which may be NULL, has (amount). NULL as (name): no function is known
 * of it. Strings are copied. Returns 0; -1 if there is no memory. */
int pairs_add(struct pairs *p, uint32_t run, unsigned side, const char *name,
              const char *file, const struct amount *amount);

/* The function (name) declared in (file) is known on (side), if only in call
 * trees. Returns its number for pairs_number(); PAIRS_NONE if there is no
 * memory. */
#define PAIRS_NONE UINT32_MAX
uint32_t pairs_know(struct pairs *p, unsigned side, const char *name,
                    const char *file);

/* Bytes that (p) takes, and with pairs_finish() will take, of (runs). */
uint64_t pairs_bytes(const struct pairs *p, size_t runs);

/* All (runs) were added: fill functions and amounts. Returns 0; -1 if there is
 * no memory. */
int pairs_finish(struct pairs *p, size_t runs);

/* After pairs_finish(): the place in p->functions of the function that
 * pairs_know() has numbered. */
uint32_t pairs_number(const struct pairs *p, uint32_t known);

/* Release what (p) holds. */
void pairs_fini(struct pairs *p);

#endif

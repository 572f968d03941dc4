/* SPDX-License-Identifier: BSD-2-Clause */
/* --fail-if of `collector diff`: limits of changes. */
#ifndef TPROF_DIFF_FAIL_IF_H
#define TPROF_DIFF_FAIL_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct diff;

/* A rule: "NAME +3%", "NAME -3% of the rest", "NAME +3% per COUNTER", or
 * "work:COUNTER +3%" for the cost of all functions together for one unit. */
struct fail_if {
    const char *text; /* as typed */
    char name[512];   /* "": all functions */
    /* In points of the share, or as a part of the cost of a unit. Above 0:
     * growth; below 0: shrinking. */
    double change;
    bool of_rest;
    /* points into (text); NULL: the rule is not about units */
    const char *counter;
    size_t counter_length;
};

/* The function and the counter that a rule names. */
struct fail_if_found {
    uint32_t function,
        unit; /* indices in struct diff, as far as the rule needs them */
};

/* Parse (text), which must outlive (f).
 * Returns 0; -1 with (e) saying what to type. */
int fail_if_parse(struct fail_if *f, const char *text, struct err *e);

/*
 * Find the function and the counter of (d) that (f) names. A function matches
 * by its whole name, else by a part of its name if only one function has that
 * part. If several files have a function of the name, the one that changed most
 * is taken.
 * Returns 0; -1 with (e) filled if no function matches, or several do.
 */
int fail_if_find(const struct fail_if *f, const struct diff *d,
                 struct fail_if_found *found, struct err *e);

/* Returns true, with (e) filled, if the change in (d) is larger than (f) allows
 * with all of its 95 % interval. */
bool fail_if_holds(const struct fail_if *f, const struct diff *d,
                   const struct fail_if_found *found, struct err *e);

#endif

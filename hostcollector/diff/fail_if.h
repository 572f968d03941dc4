/* SPDX-License-Identifier: BSD-2-Clause */
/* --fail-if of `collector diff`: a change that is too much. */
#ifndef TPROF_DIFF_FAIL_IF_H
#define TPROF_DIFF_FAIL_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct diff;

/* "NAME +3%", "NAME -3% of the rest", "NAME +3% per COUNTER", and what all
 * functions together take of a unit: "work:COUNTER +3%". */
struct fail_if {
    const char *text; /* as typed */
    char name[512];   /* "": all functions */
    /* Of the share, or by its part of what a unit took; above 0: growth, below
     * 0: shrinking. */
    double change;
    bool of_rest;
    const char *counter; /* in (text); NULL: it is not about units */
    size_t counter_length;
};

/* The function and the counter that a rule names. */
struct fail_if_found {
    uint32_t function, unit; /* of struct diff; whichever the rule has */
};

/* Parse (text), which must outlive (f).
 * Returns 0; -1 with (e) saying what to type. */
int fail_if_parse(struct fail_if *f, const char *text, struct err *e);

/*
 * The function and the counter of (d) that (f) means: the one of that name, or
 * the only one with it in its name; of several of that name, in files of their
 * own, the one that changed the most. Returns 0; -1 with (e) filled: there is
 * none, or it is not clear which.
 */
int fail_if_find(const struct fail_if *f, const struct diff *d,
                 struct fail_if_found *found, struct err *e);

/* Returns true, with (e) filled, if the change in (d) is larger than (f) allows
 * with all of its 95 % interval. */
bool fail_if_holds(const struct fail_if *f, const struct diff *d,
                   const struct fail_if_found *found, struct err *e);

#endif

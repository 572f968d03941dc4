/* SPDX-License-Identifier: BSD-2-Clause */
/* --fail-if of `collector diff`: a change that is too much. */
#ifndef TPROF_CMD_FAIL_IF_H
#define TPROF_CMD_FAIL_IF_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

struct diff;

/* "NAME +3%", or "NAME -3% of the rest". */
struct fail_if {
    const char *text; /* as typed */
    char name[512];
    double change; /* of the share; above 0: growth, below 0: shrinking */
    bool of_rest;
};

/* Take (text) apart, which must outlive (f). Returns 0; -1 with (e) saying what
 * to type. */
int fail_if_parse(struct fail_if *f, const char *text, struct err *e);

/*
 * The function of (d) that (f) means, in (*function): the one of that name, or
 * the only one with it in its name; of several of that name, in files of their
 * own, the one that changed the most. Returns 0; -1 with (e) filled: there is
 * none, or it is not clear which.
 */
int fail_if_find(const struct fail_if *f, const struct diff *d,
                 uint32_t *function, struct err *e);

/* Has (function) of (d) changed by more than (f) allows, with all of its 95 %
 * interval? Then (e) says so. */
bool fail_if_holds(const struct fail_if *f, const struct diff *d,
                   uint32_t function, struct err *e);

#endif

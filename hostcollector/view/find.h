/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds functions by what a user has typed. Leaf. */
#ifndef TPROF_VIEW_FIND_H
#define TPROF_VIEW_FIND_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

/* How well (asked) fits the function (name): 2: that is its name, 1: a part of
 * it, 0: neither. */
unsigned find_fit(const char *name, const char *asked);

/* Likewise of function (i) of a view's (functions). A mark has no parts. */
unsigned find_fit_of(const struct view_function *functions, size_t i,
                     const char *asked);

/* The row over all cores of (v) whose function fits (asked) best, of several
 * that with most time; NULL: none fits. */
const struct view_row *find_row(const struct view *v, const char *asked);

/* Room for find_near(). */
#define FIND_NEAR 200

/* Text for behind "there is no function (asked)": ": near are push, pull", or
 * nothing. (count) is of (functions). Returns (buf). */
const char *find_near(char buf[FIND_NEAR],
                      const struct view_function *functions, size_t count,
                      const char *asked);

#endif

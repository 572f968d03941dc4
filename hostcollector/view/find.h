/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds functions by names that a user typed. Leaf. */
#ifndef TPROF_VIEW_FIND_H
#define TPROF_VIEW_FIND_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

/*
 * Compare the name (asked) with the function (name).
 * Returns 2 if they are equal; 1 if (asked) is a part of (name); 0 if neither.
 */
unsigned find_fit(const char *name, const char *asked);

/* Compare (asked) with function (i) of a view's (functions), as find_fit()
 * does. A mark must be equal: a part of its name does not count. */
unsigned find_fit_of(const struct view_function *functions, size_t i,
                     const char *asked);

/* Returns the row over all cores of (v) whose function fits (asked) best. If
 * several fit equally well, returns the row with the most time. NULL if none
 * fits. */
const struct view_row *find_row(const struct view *v, const char *asked);

/* Room for find_near(). */
#define FIND_NEAR 200

/* Write text that follows "there is no function (asked)": ": near are push,
 * pull", or nothing. (count) is the number of (functions). Returns (buf). */
const char *find_near(char buf[FIND_NEAR],
                      const struct view_function *functions, size_t count,
                      const char *asked);

#endif

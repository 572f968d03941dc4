/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that keeps values below RSP, where an interrupt on the same stack
 * destroys them. */
#ifndef TPROF_CHECK_RED_ZONE_H
#define TPROF_CHECK_RED_ZONE_H

#include <stdbool.h>
#include <stddef.h>

#include "check/facts.h"

struct image;

#define RED_ZONE_NAMED 3u
#define RED_ZONE_NAMES 200u

/* Zeroed: no such code. */
struct red_zone {
    size_t units;
    char names[RED_ZONE_NAMES]; /* "a.c, b.c", harmless on a terminal */
};

/* Does (producer) say that the compiler may keep values below RSP in code of
 * (language)? Others than gcc do not tell. NULL is allowed.
 *
 * gcc does so in functions that call nobody. Whether one has a frame says
 * nothing: without optimization, or if a variable is in memory, functions with
 * a frame do it, too. */
bool red_zone_is_allowed(enum check_language language, const char *producer);

/* Count the unit (name) in (z), and name it if it is one of the first. */
void red_zone_add(struct red_zone *z, const char *name);

/* Add (units), which another one has, and names (names). */
void red_zone_join(struct red_zone *z, size_t units, const char *names);

/* Add the units of (img) to (z) that have code and whose compiler may do that;
 * as far as there is memory. */
void red_zone_look(struct red_zone *z, struct image *img);

#endif

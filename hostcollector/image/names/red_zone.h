/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that keeps values below SP, where an interrupt on the same stack
 * destroys them. */
#ifndef TPROF_IMAGE_NAMES_RED_ZONE_H
#define TPROF_IMAGE_NAMES_RED_ZONE_H

#include <stdbool.h>
#include <stddef.h>

struct image;

#define RED_ZONE_NAMED 3u
#define RED_ZONE_NAMES 200u

/* Zeroed: no such code. */
struct red_zone {
    size_t units;
    char names[RED_ZONE_NAMES]; /* "a.c, b.c", safe to print on a terminal */
};

/*
 * Returns true if (producer) shows that the compiler may keep values below SP
 * in C or C++ code. (is_c): the code is C or C++. Only gcc shows this.
 * (producer) may be NULL.
 *
 * Only functions that call no other function keep values there. Such a function
 * may have a frame nevertheless: without optimization, or with a variable in
 * memory.
 */
bool red_zone_is_allowed(bool is_c, const char *producer);

/* Count the unit (name) in (z), and name it if it is one of the first. */
void red_zone_add(struct red_zone *z, const char *name);

/* Add the number (units) and the names (names) of another struct red_zone to
 * (z). */
void red_zone_join(struct red_zone *z, size_t units, const char *names);

/* Add to (z) the units of (img) that have code and may have a red zone. Units
 * are left out if there is no memory. */
void red_zone_look(struct red_zone *z, struct image *img);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names: of functions that are longer than their column, and of scopes. */
#ifndef TPROF_RENDER_NAME_H
#define TPROF_RENDER_NAME_H

#include <stddef.h>

#include "model/view.h"

/* Room for the short form of a name. */
#define NAME_SHORT 512

/*
 * (name) in at most (width) columns, from 8 to TEXT_COLUMNS. A longer name of
 * C++ or Rust loses, one after the other until it fits: modules in its type
 * arguments, its parameters, its type arguments, its trait, and its own
 * modules, which become "..". The image's name behind it stays, unless that
 * takes most of (width).
 *
 * Returns (name) or (buf).
 */
const char *name_short(char buf[NAME_SHORT], const char *name, size_t width);

/* "all cores" or "core N" for (scope) of (v), in (buf), of 24 bytes at least.
 * Returns (buf). */
const char *name_of_scope(char *buf, size_t size, const struct view *v,
                          const struct view_scope *scope);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Names: of functions that are longer than their column, and of scopes. */
#ifndef TPROF_REPORT_NAME_H
#define TPROF_REPORT_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

struct report;

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

/* Room for name_of_path(). */
#define NAME_PATH 1024

/*
 * The functions of (tree) below node (root) down to (node), outermost first, as
 * "a > b > c" in (buf), each shortened to (width). Outer ones that have no room
 * become "..". Returns (buf).
 */
const char *name_of_path(char buf[NAME_PATH], const struct view *v,
                         const struct view_tree *tree, uint32_t root,
                         uint32_t node, size_t width);

/* "all cores" or "core N" for (scope) of (v), in (buf), of 24 bytes at least.
 * Returns (buf). */
const char *name_of_scope(char *buf, size_t size, const struct view *v,
                          const struct view_scope *scope);

/* What the image at (path) is called, in (buf): a file by its name, one that
 * lies where build-ids are looked up by the beginning of its own. NULL: it is
 * not known. Returns (buf). */
const char *name_of_image(char *buf, size_t size, const char *path);

/* "web1, app.elf", or the image alone: what (r) is of, in (buf). Returns (buf).
 */
const char *name_of_report(char *buf, size_t size, const struct report *r);

/* Room for the names below. Each function writes the name into (buf), with
 * control characters escaped, and returns it. */
#define NAME_PLAIN 160

/* The guest of (r): its name, or the name of its file. */
const char *name_of_guest(char buf[NAME_PLAIN], const struct report *r);

/* "core 2", or "web1 core 2" if the report has several guests. */
const char *name_of_core(char buf[NAME_PLAIN], const struct report *r,
                         size_t core);

/* The name of the file of image (i) of the view. */
const char *name_of_view_image(char buf[NAME_PLAIN], const struct report *r,
                               uint32_t i);

/* The path of the file of image (i) as it is, or its name without a path. */
const char *name_of_file(char buf[NAME_PLAIN], const struct report *r,
                         uint32_t i);

#endif

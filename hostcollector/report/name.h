/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in reports: functions shortened to their column, scopes, images,
 * guests. */
#ifndef TPROF_REPORT_NAME_H
#define TPROF_REPORT_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "model/view.h"

struct report;

/* Room for the short form of a name. */
#define NAME_SHORT 512

/*
 * Shorten (name) to at most (width) columns, from 8 to TEXT_COLUMNS. A longer
 * name of C++ or Rust loses parts until it fits, in this order: modules in its
 * type arguments, its parameters, its type arguments, its trait, and its own
 * modules, which become "..". An " [image]" at the end is kept, unless it
 * takes most of (width).
 *
 * Returns (name) or (buf).
 */
const char *name_short(char buf[NAME_SHORT], const char *name, size_t width);

/* Room for name_of_path(). */
#define NAME_PATH 1024

/*
 * Write the functions of (tree) from below node (root) down to (node) into
 * (buf), outermost first, as "a > b > c". Each name is shortened to (width).
 * Outer names without room become "..". Returns (buf).
 */
const char *name_of_path(char buf[NAME_PATH], const struct view *v,
                         const struct view_tree *tree, uint32_t root,
                         uint32_t node, size_t width);

/* Write "all cores" or "core N" for (scope) of (v) into (buf), which has at
 * least 24 bytes. Returns (buf). */
const char *name_of_scope(char *buf, size_t size, const struct view *v,
                          const struct view_scope *scope);

/*
 * Write the name of the image file at (path) into (buf): its file name; or, in
 * a folder .build-id, the beginning of its build-id. (path) may be NULL if the
 * image is unknown. Returns (buf).
 */
const char *name_of_image(char *buf, size_t size, const char *path);

/* Write the guest and the image of (r) into (buf): "web1, app.elf", or the
 * image alone. Returns (buf). */
const char *name_of_report(char *buf, size_t size, const struct report *r);

/* Room for the names below. Each function writes the name into (buf), with
 * control characters escaped, and returns it. */
#define NAME_PLAIN 160

/* Returns the name of the guest of (r), or the name of its file. */
const char *name_of_guest(char buf[NAME_PLAIN], const struct report *r);

/* Returns "core 2", or "web1 core 2" if the report has several guests. */
const char *name_of_core(char buf[NAME_PLAIN], const struct report *r,
                         size_t core);

struct profile;

/* Write the name of thread (number) of (p), and its id if other threads have
 * the same name. Write "no thread" for 0, and "other threads" for
 * VIEW_ALL_CORES. */
const char *name_of_thread(char buf[NAME_PLAIN], const struct profile *p,
                           uint32_t number);

/* Returns the kernel's name of requests of kind (kind), or else "kind 3". */
const char *name_of_request(char buf[NAME_PLAIN], const struct profile *p,
                            size_t kind);

/* Returns the kernel's name of lock number (lock) of the profile, or the lock's
 * symbol, or its address. */
const char *name_of_lock(char buf[NAME_PLAIN], const struct report *r,
                         size_t lock);

/* Returns the file name of image (i) of the view. */
const char *name_of_view_image(char buf[NAME_PLAIN], const struct report *r,
                               uint32_t i);

/* Returns the path of the file of image (i), not escaped; or the image's name
 * if it has no path. */
const char *name_of_file(char buf[NAME_PLAIN], const struct report *r,
                         uint32_t i);

#endif

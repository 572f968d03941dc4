/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of formats that `collector report -o` writes. */
#ifndef TPROF_EXPORT_FORMATS_H
#define TPROF_EXPORT_FORMATS_H

struct render_ops;

/* The format called (name); NULL if no format has that name. */
const struct render_ops *format_by_name(const char *name);

/* The format whose suffix (path) has, the longest suffix if several fit; NULL
 * if (path) has the suffix of no format. */
const struct render_ops *format_by_path(const char *path);

/* Room for format_names(). */
#define FORMAT_NAMES 512

/* The names of all formats with commas between them, for a message: "txt,
 * folded". Returns (buf). */
const char *format_names(char buf[FORMAT_NAMES]);

#endif

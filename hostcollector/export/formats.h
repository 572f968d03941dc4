/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that `collector report -o` writes. */
#ifndef TPROF_EXPORT_FORMATS_H
#define TPROF_EXPORT_FORMATS_H

struct render_ops;

/* The format with this name. NULL if there is none. */
const struct render_ops *format_by_name(const char *name);

/* The format whose suffix (path) ends in; the longest suffix if several fit.
 * NULL if none fits. */
const struct render_ops *format_by_path(const char *path);

/* Room for format_names(). */
#define FORMAT_NAMES 512

/* Write the names of all formats into (buf), for a message: "txt, folded".
 * Returns (buf). */
const char *format_names(char buf[FORMAT_NAMES]);

#endif

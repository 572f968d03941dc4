/* SPDX-License-Identifier: BSD-2-Clause */
/* A report as a window for stores, and the names of what these keep. */
#ifndef TPROF_RENDER_WINDOW_H
#define TPROF_RENDER_WINDOW_H

#include "model/window.h"
#include "render/render.h"

/* Fill (w) from (r), which has an origin. */
void window_of(struct window *w, const struct report *r);

/* The (size) bytes at (bytes) in hexadecimal digits, in the 2 * (size) + 1
 * bytes at (buf). Returns (buf). */
char *window_hex(char *buf, const uint8_t *bytes, size_t size);

/*
 * A number for the functions, files and lines of (path), with their images:
 * the same in all guests and at all times. 64 bits of a SHA-256, since a guest
 * that could choose another one's number would put its names there.
 */
uint64_t window_stack(const struct report *r, const struct view_path *path);

/* Writes the struct window of a report, as it is in memory: for a process of
 * the same program. */
extern const struct render_ops render_window;

#endif

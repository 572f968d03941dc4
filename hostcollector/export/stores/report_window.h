/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a report as a window for stores. */
#ifndef TPROF_EXPORT_STORES_REPORT_WINDOW_H
#define TPROF_EXPORT_STORES_REPORT_WINDOW_H

#include "export/stores/window.h"
#include "report/render.h"

/* Fill (w) from (r), which has an origin. */
void window_of(struct window *w, const struct report *r);

/* Write the (size) bytes at (bytes) in hexadecimal digits to (buf), of 2 *
 * (size) + 1 bytes. Returns (buf). */
char *window_hex(char *buf, const uint8_t *bytes, size_t size);

/* Writes the struct window of a report byte for byte, for another process of
 * this program. */
extern const struct render_ops render_window;

#endif

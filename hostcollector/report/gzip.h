/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses bytes while they are written to a file. */
#ifndef TPROF_REPORT_GZIP_H
#define TPROF_REPORT_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip;

/* Begin a gzip stream that is written to (out). NULL if there is no memory. */
struct gzip *gzip_new(FILE *out);

/* Write (size) bytes. The caller checks ferror(out) at the end. */
void gzip_write(struct gzip *z, const void *bytes, size_t size);

/* Write the remaining bytes, and release (z). */
void gzip_end(struct gzip *z);

#endif

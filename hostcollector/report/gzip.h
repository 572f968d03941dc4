/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes compressed on their way into a file. */
#ifndef TPROF_REPORT_GZIP_H
#define TPROF_REPORT_GZIP_H

#include <stddef.h>
#include <stdio.h>

struct gzip;

/* A gzip stream that is written to (out). NULL if there is no memory. */
struct gzip *gzip_new(FILE *out);

/* Write (size) bytes. The caller asks ferror(out) in the end. */
void gzip_write(struct gzip *z, const void *bytes, size_t size);

/* Write what remains, and release (z). */
void gzip_end(struct gzip *z);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of data in an HTML page: numbers and texts, deflated, then in
 * base64. */
#ifndef TPROF_REPORT_HTML_HTML_PACK_H
#define TPROF_REPORT_HTML_HTML_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pack;

/* Begin a block in (out): a script element that no browser runs. (part) names
 * its contents. NULL if there is no memory. */
struct pack *pack_begin(FILE *out, const char *part);

/* Write the rest, and release (p). Returns 0; -1 if there was no memory. */
int pack_end(struct pack *p);

void pack_raw(struct pack *p, const void *bytes, size_t size);

/* Write (n) as LEB128. */
void pack_number(struct pack *p, uint64_t n);

/* Write (length), then (text). */
void pack_text(struct pack *p, const char *text, size_t length);

/* A column of numbers. It is filled twice: first to count, then to write. */
struct column {
    struct pack *to; /* NULL: count only */
    uint64_t count, bytes;
};

/* Add the next number to (c). */
void column_add(struct column *c, uint64_t n);

/* Adds all numbers to a column. Must add the same numbers on each call. */
typedef void column_fill(struct column *c, const void *context);

/* Write the number of numbers, then their size in bytes, then the numbers as
 * LEB128. */
void pack_column(struct pack *p, column_fill *fill, const void *context);

#endif

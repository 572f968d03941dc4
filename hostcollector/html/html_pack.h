/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers -> deflate -> base64: a block of data in an HTML page. */
#ifndef TPROF_HTML_HTML_PACK_H
#define TPROF_HTML_HTML_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pack;

/* A block that goes to (out), between the tags of a script element that no
 * browser runs. (part) says what is in it. NULL if there is no memory. */
struct pack *pack_begin(FILE *out, const char *part);

/* Write the rest, and release (p). Returns 0; -1 if there was no memory. */
int pack_end(struct pack *p);

void pack_raw(struct pack *p, const void *bytes, size_t size);

/* (n) as LEB128. */
void pack_number(struct pack *p, uint64_t n);

/* Its length, then (text). */
void pack_text(struct pack *p, const char *text, size_t length);

/* A column of numbers is counted first, and then written. */
struct column {
    struct pack *to; /* NULL: it is counted */
    uint64_t count, bytes;
};

/* The next number of (c). */
void column_add(struct column *c, uint64_t n);

/* Adds all numbers to a column, the same ones each time. */
typedef void column_fill(struct column *c, const void *context);

/* How many numbers, how many bytes, then the numbers as LEB128. */
void pack_column(struct pack *p, column_fill *fill, const void *context);

#endif

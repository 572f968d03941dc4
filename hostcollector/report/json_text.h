/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings and numbers as JSON has them, for every format that is JSON. Leaf. */
#ifndef TPROF_REPORT_JSON_TEXT_H
#define TPROF_REPORT_JSON_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Write (s) to (out) in quotes; NULL as null. What text_escape() would escape
 * is escaped likewise, so that the string is harmless wherever it is shown. It
 * may also stand in a script of an HTML page, since '<' is written as \u003c.
 */
void json_string(FILE *out, const char *s);

/* Write (n), from 0 to 1000 exact to 12 digits behind the point, else to 15 in
 * all; what is no number as null. */
void json_number(FILE *out, double n);

/* Write a comma if (*first) is not set, and clear (*first): between the
 * elements of a list. */
static inline void json_comma(FILE *out, bool *first)
{
    if (!*first)
        (void)putc(',', out);
    *first = false;
}

#endif

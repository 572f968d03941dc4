/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes strings and numbers for all formats that are JSON. Leaf. */
#ifndef TPROF_REPORT_JSON_TEXT_H
#define TPROF_REPORT_JSON_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Write (s) to (out) in quotes; NULL as null. Characters that text_escape()
 * escapes are escaped, so the string is safe in every display. '<' is written
 * as \u003c, so the string may also stand in a script of an HTML page.
 */
void json_string(FILE *out, const char *s);

/* Write (n). Numbers from 0 to 1000 have 12 exact decimal places, others 15
 * digits. Infinities and NaN are written as null. */
void json_number(FILE *out, double n);

/* Write a comma unless (*first) is set. Then clear (*first). Call this before
 * each element of a list. */
static inline void json_comma(FILE *out, bool *first)
{
    if (!*first)
        (void)putc(',', out);
    *first = false;
}

#endif

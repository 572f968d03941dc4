/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes strings and numbers for all formats that are JSON. */
#include "report/json_text.h"

#include <math.h>

#include "util/text.h"

void json_string(FILE *out, const char *s)
{
    if (s == NULL) {
        (void)fputs("null", out);
        return;
    }
    (void)putc('"', out);
    while (*s != '\0') {
        size_t n = text_character(s);

        if (n == 0)
            (void)fprintf(out, "\\\\x%02x", (unsigned)(unsigned char)*s);
        else if (*s == '"' || *s == '\\')
            (void)fprintf(out, "\\%c", *s);
        else if (*s == '<')
            (void)fputs("\\u003c", out);
        else
            (void)fwrite(s, 1, n, out);
        s += n != 0 ? n : 1;
    }
    (void)putc('"', out);
}

/* Write (n), up to SMALL, without printf(), which would take most of the time
 * of a large report. */
#define SMALL  1000
#define DIGITS 12
#define SCALE  1e12

static void write_small(FILE *out, double n)
{
    uint64_t scaled = (uint64_t)llround(n * SCALE);
    unsigned digits = DIGITS;

    for (; digits > 0 && scaled % 10 == 0; digits--)
        scaled /= 10;
    text_decimal(out, scaled, digits);
}

void json_number(FILE *out, double n)
{
    if (n >= 0 && n < SMALL)
        write_small(out, n);
    else if (isfinite(n))
        (void)fprintf(out, "%.15g", n);
    else
        (void)fputs("null", out);
}

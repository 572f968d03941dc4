/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/amount.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SECONDS_MAX    1e11 /* 3000 years: their milliseconds fit any integer */
#define SIZE_MAX_BYTES ((double)(1ull << 60))
#define AMOUNT_WORD    40 /* bytes of a number with its unit */

struct unit {
    const char *name;
    double factor;
};

static const struct unit percents[] = {{"%", 1}, {NULL, 0}};
static const struct unit times[] = {{"s", 1},     {"ms", 1e-3}, {"us", 1e-6},
                                    {"ns", 1e-9}, {"m", 60},    {"min", 60},
                                    {"h", 3600},  {"d", 86400}, {NULL, 0}};
static const struct unit sizes[] = {
    {"K", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30},
    {"T", 0x1p40},   {"KiB", 0x1p10}, {"MiB", 0x1p20},
    {"GiB", 0x1p30}, {"TiB", 0x1p40}, {NULL, 0}};
static const struct unit counts[] = {{"k", 1e3}, {"M", 1e6}, {NULL, 0}};

/* Read the (length) bytes at (text), with or without one of (units). Returns a
 * number below 0 if the text is anything else. The text must begin with
 * a digit or a point and a digit: no sign, no "inf". */
static double read_amount(const char *text, size_t length,
                          const struct unit *units)
{
    char word[AMOUNT_WORD] = "", *end;

    const char *digit = text + (text[0] == '.' && length > 1);

    if (length >= sizeof word || *digit < '0' || *digit > '9')
        return -1;
    memcpy(word, text, length);
    double amount = strtod(word, &end);

    if (end[0] == '\0')
        return amount;
    for (; units->name != NULL; units++)
        if (strcasecmp(end, units->name) == 0)
            return amount * units->factor;
    return -1;
}

double amount_read_time(const char *text, size_t length)
{
    double s = read_amount(text, length, times);

    return s <= SECONDS_MAX ? s : -1;
}

double amount_read_size(const char *text, size_t length)
{
    double size = read_amount(text, length, sizes);

    return size <= SIZE_MAX_BYTES ? size : -1;
}

double amount_read_count(const char *text, size_t length)
{
    return read_amount(text, length, counts);
}

int amount_percent(const char *option, const char *text, double *amount,
                   struct err *e)
{
    *amount = read_amount(text, strlen(text), percents);
    if (*amount > 0 && *amount <= 100)
        return 0;
    return err_set(e, "--%s: '%s' is not percent, more than 0 and up to 100",
                   option, text);
}

int amount_time(const char *option, const char *text, double *amount,
                struct err *e)
{
    *amount = amount_read_time(text, strlen(text));
    if (*amount > 0 && *amount <= AMOUNT_TIME_MAX)
        return 0;
    return err_set(e,
                   "--%s: '%s' is no time; type it as 500ms, 10s, 30m, 12h or "
                   "7d",
                   option, text);
}

int amount_size(const char *option, const char *text, uint64_t *amount,
                struct err *e)
{
    double size = amount_read_size(text, strlen(text));

    *amount = size >= 1 ? (uint64_t)size : 0;
    if (*amount != 0)
        return 0;
    return err_set(e, "--%s: '%s' is no size; type it as 500M, 1G or 2T",
                   option, text);
}

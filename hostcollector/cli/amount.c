/* SPDX-License-Identifier: BSD-2-Clause */
/* A number, and at most one letter behind it. */
#include "cli/amount.h"

#include <stdlib.h>

#define TIME_MAX       1e9 /* seconds: 30 years */
#define SIZE_MAX_BYTES ((double)(1ull << 60))

struct unit {
    char letter;
    double factor;
};

/* (text) in units of which the first one needs no letter; below 0: it is no
 * such number. Digits come first: no sign, no "inf". */
static double read_amount(const char *text, const struct unit *units, size_t n)
{
    char *end;
    double amount = strtod(text, &end);

    if (text[0] < '0' || text[0] > '9')
        return -1;
    if (end[0] == '\0')
        return amount;
    for (size_t i = 0; i < n; i++)
        if (end[0] == units[i].letter && end[1] == '\0')
            return amount * units[i].factor;
    return -1;
}

int amount_percent(const char *option, const char *text, double *amount,
                   struct err *e)
{
    static const struct unit units[] = {{'%', 1}};

    *amount = read_amount(text, units, 1);
    if (*amount > 0 && *amount <= 100)
        return 0;
    return err_set(e, "--%s: '%s' is not percent, more than 0 and up to 100",
                   option, text);
}

int amount_time(const char *option, const char *text, double *amount,
                struct err *e)
{
    static const struct unit units[] = {
        {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};

    *amount = read_amount(text, units, sizeof units / sizeof units[0]);
    if (*amount > 0 && *amount <= TIME_MAX)
        return 0;
    return err_set(e, "--%s: '%s' is no time; type it as 10s, 30m, 12h or 7d",
                   option, text);
}

int amount_size(const char *option, const char *text, uint64_t *amount,
                struct err *e)
{
    static const struct unit units[] = {{'K', 1ull << 10},
                                        {'M', 1ull << 20},
                                        {'G', 1ull << 30},
                                        {'T', 1ull << 40}};
    double size = read_amount(text, units, sizeof units / sizeof units[0]);

    *amount = size >= 1 && size <= SIZE_MAX_BYTES ? (uint64_t)size : 0;
    if (*amount != 0)
        return 0;
    return err_set(e, "--%s: '%s' is no size; type it as 500M, 1G or 2T",
                   option, text);
}

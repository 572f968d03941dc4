/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a point in time that a user typed. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/amount.h"

#define SECONDS_MAX 1e11 /* 3000 years: their milliseconds fit any integer */

/* The number at (text); (*end) is set to the text after it. The text must begin
 * with a digit: no sign, no "inf". */
static bool read_number(const char *text, double *n, char **end)
{
    if (text[0] < '0' || text[0] > '9')
        return false;
    *n = strtod(text, end);
    return true;
}

/* Read "90m": this long before (now_ms). */
static bool read_ago(const char *text, uint64_t now_ms, uint64_t *ms)
{
    double ago = amount_read_time(text, strlen(text));

    /* the user may have meant hours by -90 */
    if (ago < 0 || text[strspn(text, "0123456789.")] == '\0')
        return false;
    *ms = ago * 1000 < (double)now_ms ? now_ms - (uint64_t)(ago * 1000) : 0;
    return true;
}

/* Read a number of seconds like 1700000000. */
static bool read_seconds(const char *text, uint64_t *ms)
{
    double s;
    char *end;

    if (!read_number(text, &s, &end) || *end != '\0' || !(s <= SECONDS_MAX))
        return false;
    *ms = (uint64_t)(s * 1000);
    return true;
}

/* Move (*text) after the (mark) and a number of (digits) digits. */
static bool read_part(const char **text, char mark, size_t digits, int *n)
{
    const char *at = *text;

    if (mark != '\0' && *at++ != mark)
        return false;
    if (strspn(at, "0123456789") != digits)
        return false;
    *n = (int)strtol(at, NULL, 10);
    *text = at + digits;
    return true;
}

/* Read a time like 2026-11-24T10:00:30Z. */
static bool read_calendar(const char *text, uint64_t *ms)
{
    struct tm said = {.tm_isdst = -1};
    time_t t;

    if (!read_part(&text, '\0', 4, &said.tm_year) ||
        !read_part(&text, '-', 2, &said.tm_mon) ||
        !read_part(&text, '-', 2, &said.tm_mday) ||
        !read_part(&text, 'T', 2, &said.tm_hour) ||
        !read_part(&text, ':', 2, &said.tm_min) ||
        (*text == ':' && !read_part(&text, ':', 2, &said.tm_sec)))
        return false;
    bool utc = *text == 'Z';

    said.tm_year -= 1900;
    said.tm_mon--;
    struct tm real = said;

    t = utc ? timegm(&real) : mktime(&real);
    /* refuses the 31st of February; clock changes may skip an hour */
    if (text[utc] != '\0' || t < 0 || said.tm_hour > 23 || said.tm_min > 59 ||
        said.tm_sec > 59 || real.tm_mon != said.tm_mon ||
        real.tm_mday != said.tm_mday)
        return false;
    *ms = (uint64_t)t * 1000;
    return true;
}

/* Read "today": the last midnight of local time. */
static bool read_today(uint64_t now_ms, uint64_t *ms)
{
    time_t now = (time_t)(now_ms / 1000), midnight;
    struct tm local;

    if (localtime_r(&now, &local) == NULL)
        return false;
    local.tm_hour = local.tm_min = local.tm_sec = 0;
    local.tm_isdst = -1;
    midnight = mktime(&local);
    *ms = (uint64_t)(midnight < 0 ? 0 : midnight) * 1000;
    return true;
}

int when_parse(const char *option, const char *text, uint64_t now_ms,
               uint64_t *ms, struct err *e)
{
    bool good = text[0] == '-'               ? read_ago(text + 1, now_ms, ms)
                : text[0] == '@'             ? read_seconds(text + 1, ms)
                : strcmp(text, "today") == 0 ? read_today(now_ms, ms)
                                             : read_calendar(text, ms);

    return good ? 0
                : err_set(e,
                          "--%s: '%s' is no time; type it as -1h, -90m, "
                          "today, 2026-11-24T10:00 or @1700000000",
                          option, text);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of options that many commands share, by their types. */
#include "cli/option_kinds.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard/peer.h"
#include "guard/sandbox.h"
#include "model/core_set.h"

#define CORE_MAX   65535
#define MEMORY_MAX (1ull << 38) /* entries have 32-bit numbers */

static int read_flag(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    (void)row, (void)value, (void)e;
    *(bool *)field = true;
    return OPTION_READ;
}

static int read_last(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    (void)row, (void)value, (void)e;
    *(bool *)field = true;
    return OPTION_LAST;
}

static int read_help(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    (void)field, (void)row, (void)value, (void)e;
    return OPTION_HELP;
}

int option_read_text(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    (void)row, (void)e;
    memcpy(field, &value, sizeof value);
    return OPTION_READ;
}

/* A number of seconds at (text), which ends in (stop). -1 if it is none. */
static double seconds(const char *text, const char **stop)
{
    char *end;
    double s = strtod(text, &end);

    *stop = end;
    return end == text || !isfinite(s) || s < 0 || s > 1e9 ? -1 : s;
}

static int read_count(void *field, const struct option_row *row,
                      const char *value, struct err *e)
{
    char *end;

    errno = 0;
    long n = strtol(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || n < (long)row->min ||
        n > (long)row->max)
        return err_set(e, "--%s: '%s' is not a number from %u to %u", row->name,
                       value, row->min, row->max);

    uint32_t count = (uint32_t)n;
    memcpy(field, &count, sizeof count);
    return 0;
}

/* A core's number at (*text), which moves behind it. -1: there is none. */
static long core_number(const char **text)
{
    char *end;
    bool digit = **text >= '0' && **text <= '9';
    long n = digit ? strtol(*text, &end, 10) : -1;

    if (!digit || n > CORE_MAX)
        return -1;
    *text = end;
    return n;
}

/* Numbers and spans of them, with commas between: 0,2-3. They are added to what
 * was given before. */
static int read_cores(void *field, const struct option_row *row,
                      const char *value, struct err *e)
{
    struct core_set *set = field;
    const char *at = value;

    for (;; at++) {
        long first = core_number(&at), last = first;

        if (*at == '-') {
            at++;
            last = core_number(&at);
        }
        if (first < 0 || last < first || (*at != '\0' && *at != ','))
            return err_set(e,
                           "--%s: '%s' is no list of cores from 0 to %d: type "
                           "it as 3, or 0,2-5",
                           row->name, value, CORE_MAX);
        if (set->count == CORE_SET_SPANS)
            return err_set(e,
                           "--%s: more than %u parts; type neighbours as "
                           "2-5",
                           row->name, CORE_SET_SPANS);
        set->spans[set->count].first = (uint32_t)first;
        set->spans[set->count++].last = (uint32_t)last;
        if (*at == '\0')
            return 0;
    }
}

/* The factor that a letter of a size stands for; 0: none. */
static uint64_t unit_of(const char *letter)
{
    switch (letter[0]) {
    case '\0':
        return 1;
    case 'K':
    case 'k':
        return 1ull << 10;
    case 'M':
    case 'm':
        return 1ull << 20;
    case 'G':
    case 'g':
        return 1ull << 30;
    default:
        return 0;
    }
}

int option_read_size(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    char *end;

    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    uint64_t unit = end[0] == '\0' || end[1] == '\0' ? unit_of(end) : 0;

    if (value[0] < '0' || value[0] > '9' || errno != 0 || unit == 0 ||
        n > MEMORY_MAX / unit || n * unit < OPTION_MEMORY_MIN)
        return err_set(e,
                       "--%s: '%s' is not a size from 16M to 256G; type it as "
                       "512M or 4G",
                       row->name, value);

    uint64_t size = n * unit;
    memcpy(field, &size, sizeof size);
    return 0;
}

static int read_seconds(void *field, const struct option_row *row,
                        const char *value, struct err *e)
{
    const char *stop;
    double s = seconds(value, &stop);

    if (s < 0 || *stop != '\0')
        return err_set(e, "--%s: '%s' is not a number of seconds", row->name,
                       value);
    if (s <= 0 && row->min > 0)
        return err_set(e, "--%s: more than %s seconds, please", row->name,
                       value);
    memcpy(field, &s, sizeof s);
    return 0;
}

static int read_span(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    struct time_span *span = field;
    const char *dots = strstr(value, "..");
    const char *stop = value;
    bool good = dots != NULL;

    if (good && dots != value) {
        /* strtod would read the first dot of "2..5" as well */
        char first[32] = "";

        if ((size_t)(dots - value) < sizeof first)
            memcpy(first, value, (size_t)(dots - value));
        span->from_s = seconds(first, &stop);
        good = span->from_s >= 0 && *stop == '\0';
    }
    if (good && dots[2] != '\0') {
        span->to_s = seconds(dots + 2, &stop);
        good = span->to_s >= 0 && *stop == '\0';
        if (good && span->to_s <= span->from_s)
            return err_set(e, "--%s: '%s' ends before it begins", row->name,
                           value);
    }
    if (!good)
        return err_set(e,
                       "--%s: '%s' is not a span of seconds; type it as "
                       "2..5, 2.. or ..5",
                       row->name, value);
    return 0;
}

static int read_choice(void *field, const struct option_row *row,
                       const char *value, struct err *e)
{
    const char *word = row->argument;

    for (uint32_t i = 0; *word != '\0'; i++) {
        size_t len = strcspn(word, "|");

        if (strlen(value) == len && memcmp(value, word, len) == 0) {
            memcpy(field, &i, sizeof i);
            return 0;
        }
        word += len + (word[len] == '|');
    }
    return err_set(e, "--%s: '%s' is none of %s", row->name, value,
                   row->argument);
}

static int read_sandbox(void *field, const struct option_row *row,
                        const char *value, struct err *e)
{
    for (size_t i = 0; i < SANDBOX_MODES; i++) {
        if (strcmp(value, sandbox_words[i]) == 0) {
            enum sandbox_mode mode = (enum sandbox_mode)i;

            memcpy(field, &mode, sizeof mode);
            return OPTION_READ;
        }
    }
    return err_set(e, "--%s: '%s' is none of auto, required, off", row->name,
                   value);
}

static int read_peer(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    if (peer_parse(field, value))
        return OPTION_READ;
    return err_set(e,
                   "--%s: '%s' is neither a user's number, as 'id -u NAME' "
                   "tells, nor any",
                   row->name, value);
}

int option_words_add(struct option_words *w, unsigned max, const char *word)
{
    if (w->count == max || w->count == OPTION_WORDS)
        return -1;
    w->list[w->count++] = word;
    return 0;
}

static void argument_words(const struct option_row *row,
                           char text[OPTION_CHOICES])
{
    (void)snprintf(text, OPTION_CHOICES, "%s", row->argument);
}

static void sandbox_choices(const struct option_row *row,
                            char text[OPTION_CHOICES])
{
    (void)row;
    (void)snprintf(text, OPTION_CHOICES, "auto required off");
}

const struct option_kind option_flag = {.read = read_flag};
const struct option_kind option_last = {.read = read_last};
const struct option_kind option_text = {.read = option_read_text};
const struct option_kind option_count = {.read = read_count};
const struct option_kind option_seconds = {.read = read_seconds};
const struct option_kind option_span = {.read = read_span};
const struct option_kind option_size = {.read = option_read_size};
const struct option_kind option_choice = {.read = read_choice,
                                          .choices = argument_words};
const struct option_kind option_cores = {.read = read_cores};
const struct option_kind option_peer = {.read = read_peer};

static const struct option_kind option_sandbox = {.read = read_sandbox,
                                                  .choices = sandbox_choices};
static const struct option_kind option_help = {.read = read_help};

const struct option_row sandbox_rows[] = {
    {"sandbox", 0, "MODE", &option_sandbox, 0, 0, 0,
     "required: end where the kernel lacks a part of it; off: trust guests and "
     "files (default: auto, tell what is lacking)"},
    {.name = NULL}};

const struct option_row help_rows[] = {
    {"help", 'h', NULL, &option_help, 0, 0, 0, "this text"}, {.name = NULL}};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads arguments of options that several commands share, by type. */
#include "cli/option_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/amount.h"
#include "guard/peer.h"
#include "guard/sandbox.h"
#include "model/core_set.h"
#include "util/text.h"

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

static int read_count(void *field, const struct option_row *row,
                      const char *value, struct err *e)
{
    double n = amount_read_count(value, strlen(value));
    uint32_t count = n >= 0 && n <= row->max ? (uint32_t)n : 0;

    if (count != n || count < row->min)
        return err_set(e, "--%s: '%s' is not a number from %u to %u", row->name,
                       value, row->min, row->max);
    memcpy(field, &count, sizeof count);
    return 0;
}

/* Read a core's number at (*text), and move (*text) after it. -1 if there is
 * none. */
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

/* Read numbers and ranges, separated by commas: 0,2-3 or 0,2..3, as times are
 * typed. They are added to
 * earlier ones. */
static int read_cores(void *field, const struct option_row *row,
                      const char *value, struct err *e)
{
    struct core_set *set = field;
    const char *at = value;

    for (;; at++) {
        long first = core_number(&at), last = first;

        size_t mark = at[0] == '-' ? 1 : at[0] == '.' && at[1] == '.' ? 2 : 0;

        if (mark != 0) {
            at += mark;
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

int option_read_size(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    double n = amount_read_size(value, strlen(value));
    uint64_t size = n >= 0 ? (uint64_t)n : 0;

    if (size < OPTION_MEMORY_MIN || size > MEMORY_MAX)
        return err_set(e,
                       "--%s: '%s' is not a size from 16M to 256G; type it as "
                       "512M or 4G",
                       row->name, value);
    memcpy(field, &size, sizeof size);
    return 0;
}

static int read_seconds(void *field, const struct option_row *row,
                        const char *value, struct err *e)
{
    double s = amount_read_time(value, strlen(value));

    if (s < 0 || s > AMOUNT_TIME_MAX)
        return err_set(e, "--%s: '%s' is no time; type it as 500ms, 10s or 2m",
                       row->name, value);
    if (s <= 0 && row->min > 0)
        return err_set(e, "--%s: more than %s seconds, please", row->name,
                       value);
    memcpy(field, &s, sizeof s);
    return 0;
}

/* Read 2..5, 2.., ..5 or 500ms..2s. */
static int read_span(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    struct time_span *span = field;
    const char *dots = strstr(value, "..");
    bool good = dots != NULL;

    if (good && dots != value)
        span->from_s = amount_read_time(value, (size_t)(dots - value));
    if (good && dots[2] != '\0')
        span->to_s = amount_read_time(dots + 2, strlen(dots + 2));
    if (!good || span->from_s < 0 || span->to_s < 0 ||
        span->from_s > AMOUNT_TIME_MAX || span->to_s > AMOUNT_TIME_MAX)
        return err_set(e,
                       "--%s: '%s' is not a span of time; type it as 2..5, "
                       "2.., ..5 or 500ms..2s",
                       row->name, value);
    if (dots[2] != '\0' && span->to_s <= span->from_s)
        return err_set(e, "--%s: '%s' ends before it begins", row->name, value);
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
    char near[TEXT_NEAR];

    return err_set(e, "--%s: '%s' is none of %s%s", row->name, value,
                   row->argument, text_near_guess(near, value, row->argument));
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
    char near[TEXT_NEAR];

    return err_set(e, "--%s: '%s' is none of auto, required, off%s", row->name,
                   value, text_near_guess(near, value, "auto required off"));
}

static int read_peer(void *field, const struct option_row *row,
                     const char *value, struct err *e)
{
    if (peer_parse(field, value))
        return OPTION_READ;
    return err_set(e,
                   "--%s: '%s' is not a user's number. Type the number that "
                   "'id -u NAME' prints, or any",
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
     "required: fail where a part is missing; off: trust all"},
    {.name = NULL}};

const struct option_row help_rows[] = {
    {"help", 'h', NULL, &option_help, 0, 0, 0, "this text"}, {.name = NULL}};

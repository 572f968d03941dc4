/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses options by their table, and guesses what a mistyped one meant. */
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_table.h"
#include "cli/stray_argument.h"
#include "export/formats.h"
#include "guest/labels.h"
#include "report/render.h"

#define DEFAULT_MEMORY    (1ull << 30)
#define DEFAULT_PAGE_CODE 10u
#define WRITE_PAGES                                                            \
    (COMMAND_LIVE | COMMAND_RUN | COMMAND_REPORT | COMMAND_ANNOTATE)
#define CORE_MAX   65535
#define MEMORY_MAX (1ull << 38) /* entries have 32-bit numbers */

static int refuse_option(const char *word, size_t len, enum command_bit command,
                         struct err *e)
{
    const char *name = option_command(command);
    const struct option_row *row = NULL;
    char guess[64] = "";

    if (word[0] == '-' && word[1] == '-')
        row = option_nearest(word + 2, len - 2, command);
    if (row != NULL)
        (void)snprintf(guess, sizeof guess, " did you mean --%s?", row->name);
    return err_set(e, "no option '%.*s';%s 'collector%s --help' lists all",
                   (int)len, word, guess, name);
}

/* A number of seconds at (text), which ends in (stop). -1 if it is none. */
static double seconds(const char *text, const char **stop)
{
    char *end;
    double s = strtod(text, &end);

    *stop = end;
    return end == text || !isfinite(s) || s < 0 || s > 1e9 ? -1 : s;
}

static int set_count(struct options *o, const struct option_row *row,
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
    memcpy((char *)o + row->offset, &count, sizeof count);
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
static int set_cores(struct options *o, const struct option_row *row,
                     const char *value, struct err *e)
{
    struct core_set *set = &o->cores;
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

static int set_size(struct options *o, const struct option_row *row,
                    const char *value, struct err *e)
{
    char *end;

    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    uint64_t unit = end[0] == '\0' || end[1] == '\0' ? unit_of(end) : 0;

    if (value[0] < '0' || value[0] > '9' || errno != 0 || unit == 0 ||
        n > MEMORY_MAX / unit || n * unit < OPTIONS_MEMORY_MIN)
        return err_set(e,
                       "--%s: '%s' is not a size from 16M to 256G; type it as "
                       "512M or 4G",
                       row->name, value);

    uint64_t size = n * unit;
    memcpy((char *)o + row->offset, &size, sizeof size);
    return 0;
}

/* A size, which begins with a digit, or the file that has a guest's memory. */
static int set_memory(struct options *o, const struct option_row *row,
                      const char *value, struct err *e)
{
    if (strchr("-0123456789", value[0]) != NULL || value[1] == '\0')
        return set_size(o, row, value, e);
    if (o->input != NULL)
        return err_set(e, "one guest at a time: '%s' or '%s'?", o->input,
                       value);
    o->input = value;
    o->input_is_memory = true;
    return 0;
}

static int set_seconds(struct options *o, const struct option_row *row,
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
    memcpy((char *)o + row->offset, &s, sizeof s);
    return 0;
}

static int set_span(struct options *o, const char *value, struct err *e)
{
    const char *dots = strstr(value, "..");
    const char *stop = value;
    bool good = dots != NULL;

    if (good && dots != value) {
        /* strtod would read the first dot of "2..5" as well */
        char first[32] = "";

        if ((size_t)(dots - value) < sizeof first)
            memcpy(first, value, (size_t)(dots - value));
        o->from_s = seconds(first, &stop);
        good = o->from_s >= 0 && *stop == '\0';
    }
    if (good && dots[2] != '\0') {
        o->to_s = seconds(dots + 2, &stop);
        good = o->to_s >= 0 && *stop == '\0';
        if (good && o->to_s <= o->from_s)
            return err_set(e, "--time: '%s' ends before it begins", value);
    }
    if (!good)
        return err_set(e,
                       "--time: '%s' is not a span of seconds; type it as "
                       "2..5, 2.. or ..5",
                       value);
    return 0;
}

static int set_choice(struct options *o, const struct option_row *row,
                      const char *value, struct err *e)
{
    const char *word = row->argument;

    for (uint32_t i = 0; *word != '\0'; i++) {
        size_t len = strcspn(word, "|");

        if (strlen(value) == len && memcmp(value, word, len) == 0) {
            memcpy((char *)o + row->offset, &i, sizeof i);
            return 0;
        }
        word += len + (word[len] == '|');
    }
    return err_set(e, "--%s: '%s' is none of %s", row->name, value,
                   row->argument);
}

static int set_sandbox(struct options *o, const char *value, struct err *e)
{
    for (size_t i = 0; i < SANDBOX_MODES; i++) {
        if (strcmp(value, sandbox_words[i]) == 0) {
            o->sandbox = (enum sandbox_mode)i;
            return 0;
        }
    }
    return err_set(e, "--sandbox: '%s' is none of auto, required, off", value);
}

static bool is_format(const char *name)
{
    return strcmp(name, "tprof") == 0 || format_by_name(name) != NULL;
}

/* FILE, FORMAT:FILE or FILE:FORMAT. */
static int add_output(struct options *o, const char *value, struct err *e)
{
    const char *first = strchr(value, ':'), *last = strrchr(value, ':');
    unsigned i = o->output_count;

    if (i == OPTIONS_OUTPUTS)
        return err_set(e, "-o: more than %d files", OPTIONS_OUTPUTS);
    o->outputs[i] = value;
    o->output_count++;
    if (first == NULL)
        return 0;
    char *copy = o->output_names[i] = strdup(value);

    if (copy == NULL)
        return err_set(e, "out of memory");
    copy[first - value] = '\0';
    if (is_format(copy)) {
        o->output_formats[i] = copy;
        o->outputs[i] = first + 1;
    } else if (is_format(last + 1)) {
        copy[first - value] = ':';
        copy[last - value] = '\0';
        o->output_formats[i] = last + 1;
        o->outputs[i] = copy;
    }
    return o->outputs[i][0] != '\0'
               ? 0
               : err_set(e, "-o %s: into which file?", value);
}

/* One more recording of collector diff, or folder of collector push. */
static int add_input(struct options *o, const char *word, struct err *e)
{
    if (o->input_count == OPTIONS_INPUTS)
        return err_set(e, "more than %d recordings", OPTIONS_INPUTS);
    o->inputs[o->input_count++] = word;
    return 0;
}

/* The "--" between before and after. */
static int divide_inputs(struct options *o, struct err *e)
{
    if (o->before_count != 0 || o->input_count == 0)
        return err_set(e, "one -- divides the recordings: type collector diff "
                          "BEFORE... -- AFTER...");
    o->before_count = o->input_count;
    return 0;
}

static int add_exclude(struct options *o, const char *value, struct err *e)
{
    if (value[0] == '\0')
        return err_set(e, "--exclude: which function?");
    if (o->exclude_count == EXCLUDE_NAMES)
        return err_set(e, "--exclude: more than %d names", EXCLUDE_NAMES);
    o->exclude[o->exclude_count++] = value;
    return 0;
}

static int add_symbols(struct options *o, const char *value, struct err *e)
{
    if (o->symbols_count == OPTIONS_SYMBOLS)
        return err_set(e, "--symbols: more than %d folders", OPTIONS_SYMBOLS);
    o->symbols[o->symbols_count++] = value;
    return 0;
}

static int add_fail_if(struct options *o, const char *value, struct err *e)
{
    if (o->fail_if_count == OPTIONS_FAIL_IF)
        return err_set(e, "--fail-if: more than %d changes", OPTIONS_FAIL_IF);
    return fail_if_parse(&o->fail_if[o->fail_if_count++], value, e);
}

static int add_label(struct options *o, const char *value, struct err *e)
{
    if (o->label_count == ORIGIN_LABELS)
        return err_set(e, "--label: more than %u", ORIGIN_LABELS);
    if (!labels_read(&o->labels[o->label_count], value))
        return err_set(e, "--label: '%s' is not like zone=a", value);
    o->label_count++;
    return 0;
}

static int set_option(struct options *o, const struct option_row *row,
                      const char *value, struct err *e)
{
    switch (row->kind) {
    case OPTION_FLAG: /* has no value */
        return 0;
    case OPTION_TEXT:
    case OPTION_KIND:
    case OPTION_FORMAT:
        memcpy((char *)o + row->offset, &value, sizeof value);
        return 0;
    case OPTION_COUNT:
        return set_count(o, row, value, e);
    case OPTION_SECONDS:
        return set_seconds(o, row, value, e);
    case OPTION_CHOICE:
        return set_choice(o, row, value, e);
    case OPTION_SIZE:
        return set_size(o, row, value, e);
    case OPTION_MEMORY:
        return set_memory(o, row, value, e);
    case OPTION_SPAN:
        return set_span(o, value, e);
    case OPTION_CORES:
        return set_cores(o, row, value, e);
    case OPTION_OUTPUT:
        return add_output(o, value, e);
    case OPTION_EXCLUDE:
        return add_exclude(o, value, e);
    case OPTION_SYMBOLS:
        return add_symbols(o, value, e);
    case OPTION_FAIL_IF:
        return add_fail_if(o, value, e);
    case OPTION_GUEST:
        return guests_option(&o->guests, row->name, value, e);
    case OPTION_GUESTS:
        return guests_read(&o->guests, value, e);
    case OPTION_PEER:
        if (peer_parse(&o->peers, value))
            return 0;
        return err_set(e,
                       "--peer: '%s' is neither a user's number, as 'id -u "
                       "NAME' tells, nor any",
                       value);
    case OPTION_INPUT:
        return add_input(o, value, e);
    case OPTION_LABEL:
        return add_label(o, value, e);
    case OPTION_SANDBOX:
        return set_sandbox(o, value, e);
    }
    return 0;
}

/* The word (i), an argument of the option (row) before it. NULL with (e)
 * filled: it is not there, or another option is. */
static const char *argument_of(const struct option_row *row,
                               enum command_bit command, int argc, char **argv,
                               int i, struct err *e)
{
    const char *option = argv[i - 1];
    const char *word = i < argc ? argv[i] : NULL;
    bool is_option = word != NULL && word[0] == '-' &&
                     option_find(word, strcspn(word, "="), command) != NULL;

    if (word != NULL && !is_option)
        return word;
    (void)err_set(e, "%s wants %s after it%s%s%s", option, row->argument,
                  is_option ? ", not the option " : "", is_option ? word : "",
                  is_option ? " (a file of that name is ./-...)" : "");
    return NULL;
}

/* Take the option at argv[*i], and its argument, which moves (*i). */
static int take_option(struct options *o, enum command_bit command, int argc,
                       char **argv, int *i, struct err *e)
{
    const char *word = argv[*i];
    bool is_long = word[1] == '-';
    size_t len = is_long ? strcspn(word, "=") : 2;
    const struct option_row *row = option_find(word, len, command);

    if (row == NULL)
        return refuse_option(word, is_long ? len : strlen(word), command, e);

    const char *value = word[len] == '\0' ? NULL : word + len + is_long;
    if (row->kind == OPTION_FLAG) {
        *(bool *)((char *)o + row->offset) = true;
        return value == NULL ? 0
                             : err_set(e, "--%s takes no argument", row->name);
    }
    if (value == NULL) {
        value = argument_of(row, command, argc, argv, ++*i, e);
        if (value == NULL)
            return -1;
    }
    return set_option(o, row, value, e);
}

/* (word) is no option. FUNCTION stands before the recording. */
static int take_word(struct options *o, enum command_bit command,
                     const char *word, struct err *e)
{
    if (command == COMMAND_CHECK)
        return guests_option(&o->guests, "elf", word, e);
    if (command == COMMAND_DIFF || command == COMMAND_PUSH ||
        command == COMMAND_COMPACT)
        return add_input(o, word, e);
    if (command != COMMAND_REPORT && command != COMMAND_TOP &&
        command != COMMAND_ANNOTATE && command != COMMAND_PGO &&
        command != COMMAND_STACKS)
        return stray_argument_error(word, command, e);
    if (command == COMMAND_ANNOTATE && o->function == NULL) {
        o->function = o->input;
        o->input = word;
        return 0;
    }
    if (o->input != NULL)
        return err_set(e, "one recording at a time: '%s' or '%s'?", o->input,
                       word);
    o->input = word;
    return 0;
}

int options_parse(struct options *o, enum command_bit command, int argc,
                  char **argv, struct err *e)
{
    *o = (struct options){
        .wait_s = -1,
        .memory = DEFAULT_MEMORY,
        .page_code = (command & WRITE_PAGES) != 0 ? DEFAULT_PAGE_CODE : 0};
    for (int i = 0; i < argc && !o->help && !o->version && !o->sandbox_report;
         i++) {
        const char *word = argv[i];

        if (command == COMMAND_DIFF && strcmp(word, "--") == 0) {
            if (divide_inputs(o, e) != 0)
                return -1;
        } else if (word[0] == '-' && word[1] != '\0') {
            if (take_option(o, command, argc, argv, &i, e) != 0)
                return -1;
        } else if (take_word(o, command, word, e) != 0) {
            return -1;
        }
    }
    return o->help ? 0 : guests_finish(&o->guests, e);
}

void options_fini(struct options *o)
{
    for (unsigned i = 0; i < o->output_count; i++)
        free(o->output_names[i]);
    guests_fini(&o->guests);
}

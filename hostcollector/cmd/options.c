/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses options by their table, and guesses what a mistyped one meant. */
#include "cmd/options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "source/source.h"

enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char * */
    OPTION_COUNT,   /* uint32_t or int32_t from min to max */
    OPTION_SECONDS, /* double; more than 0 with a min of 1 */
    OPTION_SPAN,    /* from_s and to_s */
    OPTION_OUTPUT,  /* one more of outputs */
    OPTION_FORMAT,  /* const char *; its help ends with the list of formats */
    OPTION_GUEST,   /* a word for guests_option() */
    OPTION_GUESTS,  /* a file for guests_read() */
};

struct option_row {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* NULL: takes none */
    unsigned commands;    /* enum command_bit */
    enum option_kind kind;
    size_t offset; /* in struct options */
    uint32_t min, max;
    const char *help; /* further lines after \n */
};

#define DEFAULT_WAIT_S 10
#define LEFT_WIDTH     28 /* of an option with its argument, in --help */

#define LIVE   COMMAND_LIVE
#define RECORD COMMAND_RECORD
#define REPORT COMMAND_REPORT
#define BRIDGE COMMAND_BRIDGE
#define CHECK  COMMAND_CHECK
#define AT(m)  offsetof(struct options, m)

static const struct option_row rows[] = {
    {"guests", 0, "FILE", LIVE | RECORD, OPTION_GUESTS, 0, 0, 0,
     "guests from a file, one a line: --vsock 3 --elf app.elf"},
    {"name", 0, "NAME", LIVE | RECORD, OPTION_GUEST, 0, 0, 0,
     "what the guest before it is called in reports and files"},
    {"input", 0, "FILE", LIVE | REPORT, OPTION_TEXT, AT(input), 0, 0,
     "a recording, or bytes captured from a one-way channel"},
    {"elf", 0, "FILE", CHECK, OPTION_GUEST, 0, 0, 0,
     "the image to look at, and again for another"},
    {"elf", 0, "FILE", LIVE | RECORD | REPORT, OPTION_GUEST, 0, 0, 0,
     "the guest's image with symbols, and again for each that it\n"
     "loads, in any order (a recording knows its own)"},
    {"duration", 'd', "SECONDS", LIVE | RECORD, OPTION_SECONDS, AT(duration_s),
     1, 0, "stop after so long (default: at Ctrl-C or the guest's end)"},
    {"wait", 0, "SECONDS", LIVE | RECORD, OPTION_SECONDS, AT(wait_s), 0, 0,
     "how long to wait for a guest that left to come back\n"
     "(default: 10)"},
    {"force-vsock", 0, NULL, LIVE | RECORD, OPTION_FLAG, AT(force_vsock), 0, 0,
     "use vsock though there is no /dev/vhost-vsock here: in a\n"
     "container on a host that has it"},
    {"privileged", 0, NULL, LIVE | RECORD, OPTION_FLAG, AT(privileged), 0, 0,
     "connect by vsock from a port below 1024, for guests that want\n"
     "that (TPROF_DEVICE_PRIVILEGED); takes CAP_NET_BIND_SERVICE"},
    {"rate", 0, "HZ", LIVE | RECORD, OPTION_COUNT, AT(rate_hz), 1, 50000,
     "samples a second and core, 1 to 50000 (default: the guest's\n"
     "config, else 997)"},
    {"depth", 0, "N", LIVE | RECORD, OPTION_COUNT, AT(depth), 1, 127,
     "callers to record, 1 to 127 (default: the guest's, else 64)"},
    {"output", 'o', "FILE", LIVE | RECORD | REPORT, OPTION_OUTPUT, 0, 0, 0,
     "write FILE, in the format that its suffix names; - is standard\n"
     "output; may be given more than once"},
    {"format", 0, "F", LIVE | RECORD | REPORT, OPTION_FORMAT, AT(format), 0, 0,
     "write this format, whatever the file's suffix; without -o to\n"
     "standard output instead of the report. One of\n"},
    {"core", 0, "N", LIVE | REPORT, OPTION_COUNT, AT(core), 0, 65535,
     "only this core"},
    {"time", 0, "A..B", LIVE | REPORT, OPTION_SPAN, 0, 0, 0,
     "only from second A to second B; either may be left out"},
    {"top", 0, "N", LIVE | REPORT, OPTION_COUNT, AT(top), 1, 1000000,
     "functions in each table (default: 6 a core, 20 in all)"},
    {"all", 0, NULL, CHECK, OPTION_FLAG, AT(all), 0, 0,
     "every compile unit (default: the 20 largest)"},
    {"all", 0, NULL, LIVE | REPORT, OPTION_FLAG, AT(all), 0, 0,
     "every function and every branch of the call trees"},
    {"vhost-user", 0, "SOCKET", BRIDGE, OPTION_TEXT, AT(vhost_user), 0, 0,
     "where QEMU connects: -chardev socket,path=SOCKET"},
    {"uds", 0, "PATH", BRIDGE, OPTION_TEXT, AT(uds), 0, 0,
     "where everybody else connects"},
    {"cid", 0, "N", BRIDGE, OPTION_COUNT, AT(cid), 3, UINT32_MAX - 1,
     "the CID that the guest gets, 3 or more (default: 3)"},
    {"help", 'h', NULL, LIVE | RECORD | REPORT | BRIDGE | CHECK, OPTION_FLAG,
     AT(help), 0, 0, "this text"},
};

#define ROWS (SOURCE_KINDS + sizeof rows / sizeof rows[0])

/* Row (i) of all: sources come first. */
static const struct option_row *row_at(size_t i)
{
    static struct option_row sources[SOURCE_KINDS];

    if (i >= SOURCE_KINDS)
        return &rows[i - SOURCE_KINDS];
    sources[i] = (struct option_row){.name = source_kinds[i].name,
                                     .argument = source_kinds[i].argument,
                                     .commands = LIVE | RECORD,
                                     .kind = OPTION_GUEST,
                                     .help = source_kinds[i].help};
    return &sources[i];
}

static const char *command_name(enum command_bit command)
{
    return command == RECORD   ? " record"
           : command == REPORT ? " report"
           : command == BRIDGE ? " bridge"
           : command == CHECK  ? " check"
                               : "";
}

/* Edits that lead from (a) to (b), a NUL-terminated name of under 16 bytes. */
static unsigned distance(const char *a, size_t len, const char *b)
{
    unsigned row[16];
    size_t width = strlen(b);

    for (size_t j = 0; j <= width; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= len; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= width; j++) {
            unsigned replace = diagonal + (a[i - 1] != b[j - 1]);
            unsigned shift = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);

            diagonal = row[j];
            row[j] = replace < shift ? replace : shift;
        }
    }
    return row[width];
}

/* The option of (command) nearest to (name), NULL if none is near. */
static const struct option_row *nearest_row(const char *name, size_t len,
                                            unsigned command)
{
    const struct option_row *best = NULL;
    unsigned best_distance = 3;

    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = row_at(i);
        /* a beginning counts as one slip: --dur */
        bool begins = len >= 2 && strncmp(row->name, name, len) == 0;
        unsigned d = begins ? 1 : distance(name, len, row->name);

        if ((row->commands & command) != 0 && d < best_distance) {
            best = row;
            best_distance = d;
        }
    }
    return best;
}

static int refuse_option(const char *word, size_t len, enum command_bit command,
                         struct err *e)
{
    const char *name = command_name(command);
    const struct option_row *row = NULL;
    char guess[64] = "";

    if (word[0] == '-' && word[1] == '-')
        row = nearest_row(word + 2, len - 2, command);
    if (row != NULL)
        (void)snprintf(guess, sizeof guess, " did you mean --%s?", row->name);
    return err_set(e, "no option '%.*s';%s 'collector%s --help' lists all",
                   (int)len, word, guess, name);
}

/* The row that (word) names, up to (len) bytes of it; NULL: unknown. */
static const struct option_row *find_row(const char *word, size_t len,
                                         unsigned command)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = row_at(i);
        bool is_long = word[1] == '-' && strlen(row->name) == len - 2 &&
                       strncmp(row->name, word + 2, len - 2) == 0;
        bool is_short = len == 2 && row->letter != 0 && word[1] == row->letter;

        if ((row->commands & command) != 0 && (is_long || is_short))
            return row;
    }
    return NULL;
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

static int set_seconds(struct options *o, const struct option_row *row,
                       const char *value, struct err *e)
{
    const char *stop;
    double s = seconds(value, &stop);

    if (s < 0 || (s <= 0 && row->min > 0) || *stop != '\0')
        return err_set(e, "--%s: '%s' is not a number of seconds", row->name,
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
        good = o->to_s > o->from_s && *stop == '\0';
    }
    if (!good)
        return err_set(e,
                       "--time: '%s' is not a span of seconds; type it as "
                       "2..5, 2.. or ..5",
                       value);
    return 0;
}

static int set_option(struct options *o, const struct option_row *row,
                      const char *value, struct err *e)
{
    switch (row->kind) {
    case OPTION_FLAG: /* has no value */
        return 0;
    case OPTION_TEXT:
    case OPTION_FORMAT:
        memcpy((char *)o + row->offset, &value, sizeof value);
        return 0;
    case OPTION_COUNT:
        return set_count(o, row, value, e);
    case OPTION_SECONDS:
        return set_seconds(o, row, value, e);
    case OPTION_SPAN:
        return set_span(o, value, e);
    case OPTION_OUTPUT:
        if (o->output_count == OPTIONS_OUTPUTS)
            return err_set(e, "-o: more than %d files", OPTIONS_OUTPUTS);
        o->outputs[o->output_count++] = value;
        return 0;
    case OPTION_GUEST:
        return guests_option(&o->guests, row->name, value, e);
    case OPTION_GUESTS:
        return guests_read(&o->guests, value, e);
    }
    return 0;
}

/* Take the option at argv[*i], and its argument, which moves (*i). */
static int take_option(struct options *o, enum command_bit command, int argc,
                       char **argv, int *i, struct err *e)
{
    const char *word = argv[*i];
    bool is_long = word[1] == '-';
    size_t len = is_long ? strcspn(word, "=") : 2;
    const struct option_row *row = find_row(word, len, command);

    if (row == NULL)
        return refuse_option(word, is_long ? len : strlen(word), command, e);

    const char *value = word[len] == '\0' ? NULL : word + len + is_long;
    if (row->kind == OPTION_FLAG) {
        *(bool *)((char *)o + row->offset) = true;
        return value == NULL ? 0
                             : err_set(e, "--%s takes no argument", row->name);
    }
    if (value == NULL) {
        if (++*i == argc)
            return err_set(e, "--%s wants %s after it", row->name,
                           row->argument);
        value = argv[*i];
    }
    return set_option(o, row, value, e);
}

int options_parse(struct options *o, enum command_bit command, int argc,
                  char **argv, struct err *e)
{
    *o = (struct options){.core = -1, .wait_s = DEFAULT_WAIT_S};
    for (int i = 0; i < argc && !o->help; i++) {
        const char *word = argv[i];

        if (word[0] == '-' && word[1] != '\0') {
            if (take_option(o, command, argc, argv, &i, e) != 0)
                return -1;
        } else if (command == CHECK) {
            if (guests_option(&o->guests, "elf", word, e) != 0)
                return -1;
        } else if (command != REPORT) {
            return err_set(e,
                           "what is '%s'? 'collector%s --help' tells what to "
                           "type",
                           word, command_name(command));
        } else if (o->input != NULL) {
            return err_set(e, "one recording at a time: '%s' or '%s'?",
                           o->input, word);
        } else {
            o->input = word;
        }
    }
    return guests_finish(&o->guests, e);
}

void options_fini(struct options *o)
{
    guests_fini(&o->guests);
}

/* The lines of (help), each behind LEFT_WIDTH columns but for the first. */
static void write_help(FILE *out, const char *help)
{
    for (;;) {
        int len = (int)strcspn(help, "\n");

        (void)fprintf(out, "%.*s", len, help);
        if (help[len] == '\0')
            return;
        help += len + 1;
        (void)fprintf(out, "\n  %-*s", LEFT_WIDTH, "");
    }
}

void options_help(FILE *out, enum command_bit command)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = row_at(i);
        char left[40], names[RENDER_NAMES];

        if ((row->commands & command) == 0)
            continue;
        (void)snprintf(left, sizeof left, "%c%c%c --%s %s",
                       row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
                       row->letter ? ',' : ' ', row->name,
                       row->argument ? row->argument : "");
        (void)fprintf(out, "  %-*s", LEFT_WIDTH, left);
        write_help(out, row->help);
        if (row->kind == OPTION_FORMAT)
            (void)fprintf(out, "tprof recording, %s",
                          render_names(names, true));
        (void)putc('\n', out);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines options that several commands share. */
#include "session/session_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/text_style.h"
#include "guest/source/source.h"
#include "view/exclude.h"

#define AT(m)        offsetof(struct options, m)
#define FROM(m)      offsetof(struct guest_config, m)
#define SHOWN(m)     offsetof(struct shown, m)
#define OUTPUT(m)    offsetof(struct output_config, m)
#define SELECTION(m) offsetof(struct selection, m)

static int read_guest(void *field, const struct option_row *row,
                      const char *value, struct err *e)
{
    return guests_option(field, row->name, value, e);
}

static int read_guests(void *field, const struct option_row *row,
                       const char *value, struct err *e)
{
    (void)row;
    return guests_read(field, value, e);
}

static int read_exclude(void *field, const struct option_row *row,
                        const char *value, struct err *e)
{
    if (value[0] == '\0')
        return err_set(e, "--%s: which function?", row->name);
    return option_words_add(field, EXCLUDE_NAMES, value) == 0
               ? OPTION_READ
               : err_set(e, "--%s: more than %d names", row->name,
                         EXCLUDE_NAMES);
}

static int read_symbols(void *field, const struct option_row *row,
                        const char *value, struct err *e)
{
    struct guest_config *c = field;

    if (c->symbols_count == GUEST_SYMBOLS)
        return err_set(e, "--%s: more than %d folders", row->name,
                       GUEST_SYMBOLS);
    c->symbols[c->symbols_count++] = value;
    return OPTION_READ;
}

/* Read a size, which begins with a digit, or a file with a guest's memory. */
static int read_memory(void *field, const struct option_row *row,
                       const char *value, struct err *e)
{
    struct guest_config *c = field;

    if (strchr("-0123456789", value[0]) != NULL || value[1] == '\0')
        return option_read_size(&c->memory, row, value, e);
    if (c->input != NULL)
        return err_set(e, "one guest at a time: '%s' or '%s'?", c->input,
                       value);
    c->input = value;
    c->input_is_memory = true;
    return OPTION_READ;
}

const char *session_default_recording(bool quiet)
{
    if (access(SESSION_RECORDING, F_OK) != 0)
        return NULL;
    if (!quiet)
        (void)fputs("reading " SESSION_RECORDING "\n", stderr);
    return SESSION_RECORDING;
}

int session_recordings_add(struct option_words *recordings, const char *word,
                           struct err *e)
{
    return option_words_add(recordings, OPTION_WORDS, word) == 0
               ? OPTION_READ
               : err_set(e, "more than %d recordings", OPTION_WORDS);
}

int session_recording_word(void *config, const char *word, struct err *e)
{
    struct options *o = config;

    if (o->from.input != NULL)
        return err_set(e, "one recording at a time: '%s' or '%s'?",
                       o->from.input, word);
    o->from.input = word;
    return OPTION_READ;
}

const struct option_kind option_guest = {.read = read_guest};
const struct option_kind option_guests = {.read = read_guests};
static const struct option_kind option_exclude = {.read = read_exclude};
static const struct option_kind option_symbols = {.read = read_symbols};
static const struct option_kind option_memory = {.read = read_memory};

/* Row (i) of the sources. Sources without an agent are included if
 * (outside). */
static const struct option_row *source_row(struct option_row *rows, size_t i,
                                           bool outside)
{
    for (size_t n = 0; n < SOURCE_KINDS; n++) {
        const struct source_kind *kind = &source_kinds[n];

        if ((!outside && kind->need == SOURCE_NEEDS_SAMPLER) || i-- != 0)
            continue;
        rows[n] = (struct option_row){.name = kind->name,
                                      .argument = kind->argument,
                                      .kind = &option_guest,
                                      .offset = FROM(guests),
                                      .help = kind->help};
        return &rows[n];
    }
    return NULL;
}

const struct option_row *session_source(size_t i)
{
    static struct option_row rows[SOURCE_KINDS];

    return source_row(rows, i, true);
}

const struct option_row *session_source_with_agent(size_t i)
{
    static struct option_row rows[SOURCE_KINDS];

    return source_row(rows, i, false);
}

const struct option_row guests_file_rows[] = {
    {"guests", 0, "FILE", &option_guests, FROM(guests), 0, 0,
     "guests from FILE, one a line: --vsock 3 --elf app.elf"},
    {.name = NULL}};

const struct option_row guest_name_rows[] = {
    {"name", 0, "NAME", &option_guest, FROM(guests), 0, 0,
     "name of the preceding guest, in reports and file names"},
    {.name = NULL}};

const struct option_row input_rows[] = {
    {"input", 0, "FILE", &option_text, FROM(input), 0, 0,
     "a recording, or bytes from a one-way channel"},
    {.name = NULL}};

const struct option_row elf_rows[] = {
    {"elf", 0, "FILE", &option_guest, FROM(guests), 0, 0,
     "the kernel's ELF file; repeat it for each loaded program"},
    {.name = NULL}};

const struct option_row recorded_elf_rows[] = {
    {"elf", 0, "FILE", &option_guest, FROM(guests), 0, 0,
     "the kernel's ELF file (default: what the recording names)"},
    {.name = NULL}};

const struct option_row symbols_rows[] = {
    {"symbols", 0, "DIR", &option_symbols, 0, 0, 0,
     "a folder of images by build-id, or a file of nm's symbols"},
    {.name = NULL}};

const struct option_row source_rows[] = {
    {"source", 0, "DIR", &option_text, FROM(sources), 0, 0,
     "the folder of source files (default: where compiled)"},
    {.name = NULL}};

const struct option_row duration_rows[] = {
    {"duration", 'd', "SECONDS", &option_seconds, AT(duration_s), 1, 0,
     "stop after this time, such as 10s (default: at Ctrl-C)"},
    {.name = NULL}};

const struct option_row wait_rows[] = {
    {"wait", 0, "SECONDS", &option_seconds, FROM(wait_s), 0, 0,
     "time to wait (default: no limit; 10s for a guest that left)"},
    {.name = NULL}};

const struct option_row connect_rows[] = {
    {"force-vsock", 0, NULL, &option_flag, FROM(force_vsock), 0, 0,
     "use vsock even if /dev/vhost-vsock is missing"},
    {"privileged", 0, NULL, &option_flag, FROM(privileged), 0, 0,
     "connect from a vsock port below 1024"},
    {"peer", 0, "UID", &option_peer, FROM(peers), 0, 0,
     "trust sockets of user UID, or any (default: you and root)"},
    {.name = NULL}};

const struct option_row rate_rows[] = {
    {"rate", 0, "HZ", &option_count, FROM(rate_hz), 1, 100000,
     "samples a second on each core (default: guest's, else 997)"},
    {.name = NULL}};

const struct option_row depth_rows[] = {
    {"depth", 0, "N", &option_count, FROM(depth), 1, 127,
     "callers to record, 1 to 127 (default: the guest's, else 64)"},
    {.name = NULL}};

const struct option_row unwind_rows[] = {
    {"unwind", 0, "auto|tables|fp", &option_choice, FROM(unwind), 0, 0,
     "how to find callers without an agent (default: auto)"},
    {.name = NULL}};

const struct option_row output_rows[] = {
    {"output", 'o', "FILE", &option_output, 0, 0, 0,
     "write FILE in the format of its suffix; - is standard output"},
    {"format", 0, "F", &option_format, OUTPUT(format), 0, 0,
     "format of FILE, or without -o of standard output:"},
    {.name = NULL}};

const struct option_row markdown_rows[] = {
    {"markdown", 0, NULL, &option_markdown, OUTPUT(format), 0, 0,
     "--format md, for an issue or a pull request"},
    {.name = NULL}};

const struct option_row force_rows[] = {
    {"force", 0, NULL, &option_flag, OUTPUT(force), 0, 0,
     "overwrite existing files, even if tprof did not write them"},
    {"quiet", 'q', NULL, &option_flag, OUTPUT(quiet), 0, 0,
     "do not name the files that were read or written"},
    {.name = NULL}};

const struct option_row core_rows[] = {
    {"core", 0, "LIST", &option_cores, SELECTION(cores), 0, 0,
     "count samples of these cores only: 3, or 0,2-5"},
    {.name = NULL}};

const struct option_row time_rows[] = {
    {"time", 0, "A..B", &option_span, SELECTION(time), 0, 0,
     "count samples of this time only: 2..5, 2.., or ..500ms"},
    {"exclude", 0, "NAME", &option_exclude, SELECTION(exclude), 0, 0,
     "leave out samples with function NAME in their stack"},
    {.name = NULL}};

const struct option_row dead_memory_rows[] = {
    {"memory", 0, "FILE|SIZE", &option_memory, 0, 0, 0,
     "memory of a dead guest; or SIZE: the limit (default: 1G)"},
    {.name = NULL}};

const struct option_row memory_rows[] = {
    {"memory", 0, "SIZE", &option_size, FROM(memory), 0, 0,
     "memory for guests and reports, such as 512M (default: 1G)"},
    {.name = NULL}};

const struct option_row report_rows[] = {
    {"top", 0, "N", &option_count, SHOWN(top), 1, 1000000,
     "functions shown (default: 8; in a pipe, all of 1 % or more)"},
    {"annotate", 0, "N", &option_count, SHOWN(page_code), 0, OPTIONS_PAGE_CODE,
     "show code of the N busiest functions in pages (default: 10)"},
    {"all", 0, NULL, &option_flag, SHOWN(all), 0, 0,
     "show every function, branch and core, and --details"},
    {"details", 0, NULL, &option_flag, SHOWN(details), 0, 0,
     "show ranges, losses, lateness, cost and each core"},
    {"function", 0, "NAME", &option_text, SHOWN(function), 0, 0,
     "show lines, callers and callees of function NAME"},
    {"inverted", 0, NULL, &option_flag, SHOWN(inverted), 0, 0,
     "show trees inside out: callers below their functions"},
    {"callers-of", 0, "NAME", &option_text, SHOWN(callers_of), 0, 0,
     "show these trees for functions with NAME in their names"},
    {"raw", 0, NULL, &option_flag, SHOWN(raw), 0, 0,
     "under QEMU's TCG: every sample where it stood"},
    {"sort", 0, "self|total|late|name", &option_choice, SHOWN(sort), 0, 0,
     "order of functions (default: self)"},
    {"idle", 0, NULL, &option_flag, SHOWN(idle), 0, 0,
     "show where cores wait: tables and trees of idle time"},
    {"latency", 0, NULL, &option_flag, SHOWN(latency), 0, 0,
     "sort functions by how long they keep other cores waiting"},
    {"by", 0, "core|thread|image", &option_choice, SHOWN(by), 0, 0,
     "show a column for each core (default), thread or image"},
    {"thread", 0, "NAME", &option_text, SHOWN(thread), 0, 0,
     "count only samples of threads with NAME in their names"},
    {"request", 0, "KIND", &option_text, SHOWN(request), 0, 0,
     "count only samples of requests with KIND in their names"},
    {.name = NULL}};

const struct option_row of_rows[] = {
    {"of", 0, "busy|all", &option_choice, SHOWN(of), 0, 0,
     "count percentages of busy time (default) or of all time"},
    {.name = NULL}};

const struct option_row text_rows[] = {
    {"color", 0, "auto|always|never", &option_choice, OUTPUT(colour), 0, 0,
     "colour in text (default: auto, on terminals)"},
    {"width", 0, "N", &option_count, OUTPUT(columns), TEXT_STYLE_COLUMNS_MIN,
     TEXT_STYLE_COLUMNS_MAX,
     "columns of text, 40 to 400 (default: those of the terminal)"},
    {.name = NULL}};

const struct option_row pager_rows[] = {
    {"no-pager", 0, NULL, &option_flag, SHOWN(no_pager), 0, 0,
     "print to the terminal without a pager"},
    {.name = NULL}};

const struct option_row names_rows[] = {
    {"no-names", 0, NULL, &option_flag, AT(no_names), 0, 0,
     "leave names out of recordings; reports then need the image"},
    {"no-code", 0, NULL, &option_flag, AT(no_code), 0, 0,
     "leave code and source lines out of recordings"},
    {.name = NULL}};

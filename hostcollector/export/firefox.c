/* SPDX-License-Identifier: BSD-2-Clause */
/* Files for profiler.firefox.com: a processed profile of version 46. */
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"
#include "export/export_rows.h"
#include "export/export_stacks.h"
#include "report/json_object.h"
#include "util/text.h"

/*
 * Newer versions of the Firefox Profiler upgrade the format when they load it.
 * Its source describes the format: src/types/profile.ts and docs-developer/.
 *
 * A guest is a process. A core is a thread, and has the samples that belong to
 * no thread of the kernel. Each thread has tables of functions, frames (a
 * function at a line), stacks (a frame below another stack), and columns with a
 * row for each sample. The weight of a sample is its time.
 */

#define VERSION        46
#define GECKO_VERSION  29
#define NS_PER_MS      1e6
#define MS_DIGITS      6 /* of nanoseconds in a millisecond */
#define CATEGORY_OTHER 0 /* indices of meta.categories */
#define CATEGORY_IDLE  1

struct document {
    uint32_t next_pid;
    bool first; /* no thread was written yet */
    bool begun; /* (meta) was written */
};

/* A track: a core, or a thread of the kernel. */
struct thread {
    const struct report *report;
    const struct export_tracks *tracks;
    size_t track;
    struct export_stacks tables;
};

static void begin(struct render *to)
{
    struct document *d = calloc(1, sizeof *d);

    to->state = d;
    to->no_memory = d == NULL;
    if (d != NULL)
        d->first = true;
}

static void write_category(FILE *out, const char *name, const char *color)
{
    struct json_object o = json_begin(out);

    json_text(&o, "name", name);
    json_text(&o, "color", color);
    (void)fputs("[\"Other\"]", json_member(&o, "subcategories"));
    json_end(&o);
}

/* Write (meta) once. The first guest gives the time of the start. */
static void write_meta(struct render *to, const struct report *r)
{
    struct document *d = to->state;
    char name[NAME_PLAIN];

    if (d->begun)
        return;
    d->begun = true;
    (void)fputs("{\"meta\":", to->out);
    struct json_object o = json_begin(to->out);

    json_count(&o, "preprocessedProfileVersion", VERSION);
    json_count(&o, "version", GECKO_VERSION);
    json_text(&o, "product", name_of_guest(name, r));
    json_text(&o, "importedFrom", "tprof");
    json_real(&o, "interval",
              (double)export_ns(r->profile, (double)r->profile->period_tsc) /
                  NS_PER_MS);
    json_real(&o, "startTime", r->profile->wall_start * 1e3);
    json_count(&o, "processType", 0);
    json_count(&o, "stackwalk", 1);
    json_flag(&o, "debug", false);
    json_flag(&o, "symbolicated", true);
    json_flag(&o, "usesOnlyOneStackType", true);
    json_flag(&o, "sourceCodeIsNotOnSearchfox", true);
    (void)fputs("[]", json_member(&o, "markerSchema"));
    FILE *out = json_member(&o, "categories");

    (void)putc('[', out);
    write_category(out, "Other", "grey");
    (void)putc(',', out);
    write_category(out, "Idle", "transparent");
    (void)putc(']', out);
    json_end(&o);
    (void)fputs(",\n\"libs\":[],\n\"threads\":[", to->out);
}

/* A column of a table. Tables are objects of columns of the same length. */
struct column {
    const char *key;
    /* Value of row (i). NULL, or a value below 0: (none) is written instead. */
    int64_t (*value)(const struct thread *t, size_t i);
    const char *none;
};

static void write_column(FILE *out, const struct column *c,
                         const struct thread *t, size_t rows)
{
    (void)putc('[', out);
    for (size_t i = 0; i < rows; i++) {
        int64_t v = c->value != NULL ? c->value(t, i) : -1;

        if (i != 0)
            (void)putc(',', out);
        if (v < 0)
            (void)fputs(c->none, out);
        else
            text_decimal(out, (uint64_t)v, 0);
    }
    (void)putc(']', out);
}

#define WRITE_TABLE(o, key, t, rows, columns)                                  \
    write_table(o, key, t, rows, columns, sizeof(columns) / sizeof(columns)[0])

static void write_table(struct json_object *o, const char *key,
                        const struct thread *t, size_t rows,
                        const struct column *columns, size_t count)
{
    struct json_object in = json_inner(o, key);

    json_count(&in, "length", rows);
    for (size_t i = 0; i < count; i++)
        write_column(json_member(&in, columns[i].key), &columns[i], t, rows);
    json_end(&in);
}

static int64_t frame_address(const struct thread *t, size_t i)
{
    return t->tables.frames[i].function < VIEW_MARKS
               ? 0
               : (int64_t)(t->tables.frames[i].address & INT64_MAX);
}

static int64_t frame_depth(const struct thread *t, size_t i)
{
    return t->tables.frames[i].depth;
}

static int64_t frame_function(const struct thread *t, size_t i)
{
    return t->tables.frames[i].function;
}

static int64_t frame_line(const struct thread *t, size_t i)
{
    return t->tables.frames[i].line != 0 ? (int64_t)t->tables.frames[i].line
                                         : -1;
}

static int64_t frame_category(const struct thread *t, size_t i)
{
    return t->tables.frames[i].function == VIEW_IDLE ? CATEGORY_IDLE
                                                     : CATEGORY_OTHER;
}

static const struct column frame_table[] = {
    {"address", frame_address, "null"},   {"inlineDepth", frame_depth, "null"},
    {"func", frame_function, "null"},     {"line", frame_line, "null"},
    {"category", frame_category, "null"}, {"subcategory", NULL, "0"},
    {"nativeSymbol", NULL, "null"},       {"innerWindowID", NULL, "null"},
    {"implementation", NULL, "null"},     {"column", NULL, "null"},
};

static int64_t stack_frame(const struct thread *t, size_t i)
{
    return t->tables.stacks[i].frame;
}

static int64_t stack_prefix(const struct thread *t, size_t i)
{
    return t->tables.stacks[i].prefix == EXPORT_NO_STACK
               ? -1
               : (int64_t)t->tables.stacks[i].prefix;
}

static int64_t stack_category(const struct thread *t, size_t i)
{
    return frame_category(t, t->tables.stacks[i].frame);
}

static const struct column stack_table[] = {
    {"frame", stack_frame, "null"},
    {"prefix", stack_prefix, "null"},
    {"category", stack_category, "null"},
    {"subcategory", NULL, "0"},
};

/* Strings: names of functions, then their files, then names of images. */
static int64_t function_name(const struct thread *t, size_t i)
{
    (void)t;
    return (int64_t)i;
}

static int64_t function_file(const struct thread *t, size_t i)
{
    const struct view *v = t->report->view;

    return v->functions[i].file != NULL ? (int64_t)(v->function_count + i) : -1;
}

static int64_t function_image(const struct thread *t, size_t i)
{
    return i < VIEW_MARKS ? -1 : (int64_t)t->report->view->functions[i].image;
}

static int64_t image_name(const struct thread *t, size_t i)
{
    return (int64_t)(2 * t->report->view->function_count + i);
}

/* A function without an image has resource -1. */
static const struct column function_table[] = {
    {"name", function_name, "null"},    {"fileName", function_file, "null"},
    {"resource", function_image, "-1"}, {"isJS", NULL, "false"},
    {"relevantForJS", NULL, "false"},   {"lineNumber", NULL, "null"},
    {"columnNumber", NULL, "null"},
};

#define LIBRARY "1" /* a type of resources */

static const struct column image_table[] = {
    {"name", image_name, "null"},
    {"lib", NULL, "null"},
    {"host", NULL, "null"},
    {"type", NULL, LIBRARY},
};

static void write_strings(struct json_object *o, const struct thread *t)
{
    const struct view *v = t->report->view;
    FILE *out = json_member(o, "stringArray");
    char name[NAME_PLAIN];
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < v->function_count; i++) {
        json_comma(out, &first);
        json_string(out, v->functions[i].name);
    }
    for (size_t i = 0; i < v->function_count; i++) {
        json_comma(out, &first);
        json_string(out,
                    v->functions[i].file != NULL ? v->functions[i].file : "");
    }
    for (uint32_t i = 0; i < v->image_count; i++) {
        json_comma(out, &first);
        json_string(out, name_of_view_image(name, t->report, i));
    }
    (void)putc(']', out);
}

enum sample_column { STACK, TIME, WEIGHT };

/* Write a column of the samples, which are read once for each column. */
static uint64_t sample_column(struct json_object *o, const char *key,
                              const struct thread *t, struct render *to,
                              enum sample_column which)
{
    FILE *out = json_member(o, key);
    struct export_rows rows;
    uint64_t count = 0;

    export_tracks_rows(&rows, to, t->tracks, t->track);
    (void)putc('[', out);
    while (!to->no_memory && export_rows_next(&rows)) {
        if (count++ != 0)
            (void)putc(',', out);
        if (which == STACK)
            text_decimal(out, export_stacks_of(&t->tables, &rows), 0);
        else
            text_decimal(out, which == TIME ? rows.ns : rows.length_ns,
                         MS_DIGITS);
    }
    (void)putc(']', out);
    export_rows_fini(&rows);
    return count;
}

static void write_samples(struct json_object *o, const struct thread *t,
                          struct render *to)
{
    struct json_object in = json_inner(o, "samples");

    json_text(&in, "weightType", "tracing-ms");
    (void)sample_column(&in, "stack", t, to, STACK);
    (void)sample_column(&in, "time", t, to, TIME);
    json_count(&in, "length", sample_column(&in, "weight", t, to, WEIGHT));
    json_end(&in);
}

static void write_thread(struct render *to, const struct thread *t,
                         uint32_t pid)
{
    struct document *d = to->state;
    const struct view *v = t->report->view;
    char name[NAME_PLAIN];

    (void)fputs(d->first ? "\n" : ",\n", to->out);
    d->first = false;
    struct json_object o = json_begin(to->out);

    json_text(&o, "name", export_tracks_name(name, t->tracks, t->track));
    json_text(&o, "processName", name_of_guest(name, t->report));
    json_text(&o, "processType", "default");
    (void)fprintf(json_member(&o, "pid"), "\"%" PRIu32 "\"", pid);
    json_count(&o, "tid", export_tid(pid, t->track));
    json_flag(&o, "isMainThread", false);
    json_count(&o, "processStartupTime", 0);
    (void)fputs("null", json_member(&o, "processShutdownTime"));
    json_count(&o, "registerTime", 0);
    (void)fputs("null", json_member(&o, "unregisterTime"));
    (void)fputs("[]", json_member(&o, "pausedRanges"));
    write_samples(&o, t, to);
    WRITE_TABLE(&o, "stackTable", t, t->tables.stack_count, stack_table);
    WRITE_TABLE(&o, "frameTable", t, t->tables.frame_count, frame_table);
    WRITE_TABLE(&o, "funcTable", t, v->function_count, function_table);
    WRITE_TABLE(&o, "resourceTable", t, v->image_count, image_table);
    (void)fputs("{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
                "\"functionSize\":[]}",
                json_member(&o, "nativeSymbols"));
    (void)fputs("{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],"
                "\"name\":[],\"phase\":[],\"startTime\":[]}",
                json_member(&o, "markers"));
    write_strings(&o, t);
    json_end(&o);
}

static void write_track(struct render *to, const struct export_tracks *tracks,
                        size_t track, uint32_t pid)
{
    struct thread t = {
        .report = tracks->report, .tracks = tracks, .track = track};

    export_stacks_track(&t.tables, to, tracks, track);
    if (!to->no_memory)
        write_thread(to, &t, pid);
    export_stacks_fini(&t.tables);
}

static void write_firefox(struct render *to, const struct report *r)
{
    struct document *d = to->state;
    struct export_tracks tracks;

    if (to->no_memory)
        return;
    write_meta(to, r);
    export_tracks_init(&tracks, to, r);
    uint32_t pid = export_pid(&d->next_pid, tracks.count);

    for (size_t i = 0; i < tracks.count && !to->no_memory; i++)
        if (export_tracks_has(&tracks, i))
            write_track(to, &tracks, i, pid);
    export_tracks_fini(&tracks);
}

static void end(struct render *to)
{
    const struct document *d = to->state;

    if (d != NULL && d->begun)
        (void)fputs("]}\n", to->out);
    free(to->state);
}

const struct render_ops render_firefox = {
    .name = "firefox",
    .suffix = "firefox.json",
    .begin = begin,
    .write = write_firefox,
    .end = end,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For profiler.firefox.com: a processed profile of version 46, which newer
 * versions of the Firefox Profiler upgrade when they load it. The format is in
 * that project's src/types/profile.ts and docs-developer/.
 *
 * A core is a thread, a guest is a process. Each thread has tables of its own:
 * functions, frames (a function at a line), stacks (a frame below another
 * stack), and columns with a row for each sample, whose weight is its time.
 */
#include "render/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "render/export.h"
#include "render/export_rows.h"
#include "render/json_object.h"
#include "util/map.h"
#include "util/text.h"
#include "util/vec.h"

#define VERSION        46
#define GECKO_VERSION  29
#define NS_PER_MS      1e6
#define MS_DIGITS      6 /* of nanoseconds in a millisecond */
#define NO_STACK       UINT32_MAX
#define CATEGORY_OTHER 0 /* indices of meta.categories */
#define CATEGORY_IDLE  1

struct document {
    uint32_t next_pid;
    bool first; /* no thread is there */
    bool begun; /* (meta) is */
};

struct place {
    uint32_t function, line;
    uint64_t address;
    uint32_t depth; /* of inlining: 0 is the function that has the code */
};

struct node {
    uint32_t prefix, frame;
};

/* The tables of a thread. */
struct thread {
    const struct report *report;
    size_t core;
    struct map by_frame, by_stack;
    struct place *frames;
    size_t frame_count, frame_room;
    struct node *stacks;
    size_t stack_count, stack_room;
    uint32_t *entries; /* the stack of each */
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

/* What is said once: the first guest tells when it was. */
static void write_meta(struct render *to, const struct report *r)
{
    struct document *d = to->state;
    char name[EXPORT_NAME];

    if (d->begun)
        return;
    d->begun = true;
    (void)fputs("{\"meta\":", to->out);
    struct json_object o = json_begin(to->out);

    json_count(&o, "preprocessedProfileVersion", VERSION);
    json_count(&o, "version", GECKO_VERSION);
    json_text(&o, "product", export_guest(name, r));
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

/* The number of (frame) in its table. */
static uint32_t frame_of(struct thread *t, const struct place *frame)
{
    uint32_t *number =
        map_put(&t->by_frame, (uint64_t)frame->function << 32 | frame->line,
                frame->address);

    if (number == NULL || vec_grow(&t->frames, &t->frame_room, t->frame_count,
                                   sizeof *t->frames) != 0)
        return NO_STACK;
    if (*number == MAP_NOTHING) {
        *number = (uint32_t)t->frame_count;
        t->frames[t->frame_count++] = *frame;
    }
    return *number;
}

/* The stack of (frame) below (prefix), or NO_STACK without memory. */
static uint32_t stack_of(struct thread *t, uint32_t prefix, uint32_t frame)
{
    uint32_t *number = map_put(&t->by_stack, prefix, frame);

    if (number == NULL || vec_grow(&t->stacks, &t->stack_room, t->stack_count,
                                   sizeof *t->stacks) != 0)
        return NO_STACK;
    if (*number == MAP_NOTHING) {
        *number = (uint32_t)t->stack_count;
        t->stacks[t->stack_count++] = (struct node){prefix, frame};
    }
    return *number;
}

static uint32_t add_path(struct thread *t, const struct view_path *path)
{
    uint32_t stack = NO_STACK, depth = 0;

    for (size_t i = 0; i < path->count; i++) {
        const struct view_step *step = &path->steps[i];

        depth = step->inlined && i > 0 ? depth + 1 : 0;
        uint32_t frame = frame_of(t, &(struct place){step->function, step->line,
                                                     step->address, depth});

        stack = frame == NO_STACK ? NO_STACK : stack_of(t, stack, frame);
        if (stack == NO_STACK)
            break;
    }
    return stack;
}

static void lay_stacks(struct thread *t, struct render *to)
{
    struct export_cursor c = {.core = t->core};

    t->entries = calloc(t->report->profile->cores[t->core].entry_count + 1,
                        sizeof *t->entries);
    to->no_memory |= t->entries == NULL;
    while (!to->no_memory && export_next(to, t->report, &c)) {
        t->entries[c.entry] = add_path(t, &c.path);
        to->no_memory |= t->entries[c.entry] == NO_STACK;
    }
}

/* Tables are objects of columns, all of the same length. */
typedef int64_t (*value_function)(const struct thread *t, size_t i);

/* A column of (count) values; those below 0 are null. */
static void column(struct json_object *o, const char *key,
                   const struct thread *t, size_t count, value_function value)
{
    FILE *out = json_member(o, key);

    (void)putc('[', out);
    for (size_t i = 0; i < count; i++) {
        int64_t v = value(t, i);

        if (i != 0)
            (void)putc(',', out);
        if (v < 0)
            (void)fputs("null", out);
        else
            text_decimal(out, (uint64_t)v, 0);
    }
    (void)putc(']', out);
}

/* A column of (count) times (value). */
static void constant(struct json_object *o, const char *key, size_t count,
                     const char *value)
{
    FILE *out = json_member(o, key);

    (void)putc('[', out);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, i != 0 ? ",%s" : "%s", value);
    (void)putc(']', out);
}

static int64_t frame_address(const struct thread *t, size_t i)
{
    return t->frames[i].function < VIEW_MARKS
               ? 0
               : (int64_t)(t->frames[i].address & INT64_MAX);
}

static int64_t frame_depth(const struct thread *t, size_t i)
{
    return t->frames[i].depth;
}

static int64_t frame_function(const struct thread *t, size_t i)
{
    return t->frames[i].function;
}

static int64_t frame_line(const struct thread *t, size_t i)
{
    return t->frames[i].line != 0 ? (int64_t)t->frames[i].line : -1;
}

static int64_t frame_category(const struct thread *t, size_t i)
{
    return t->frames[i].function == VIEW_IDLE ? CATEGORY_IDLE : CATEGORY_OTHER;
}

static void write_frames(struct json_object *o, const struct thread *t)
{
    struct json_object in = json_inner(o, "frameTable");
    size_t n = t->frame_count;

    json_count(&in, "length", n);
    column(&in, "address", t, n, frame_address);
    column(&in, "inlineDepth", t, n, frame_depth);
    column(&in, "func", t, n, frame_function);
    column(&in, "line", t, n, frame_line);
    column(&in, "category", t, n, frame_category);
    constant(&in, "subcategory", n, "0");
    constant(&in, "nativeSymbol", n, "null");
    constant(&in, "innerWindowID", n, "null");
    constant(&in, "implementation", n, "null");
    constant(&in, "column", n, "null");
    json_end(&in);
}

static int64_t stack_frame(const struct thread *t, size_t i)
{
    return t->stacks[i].frame;
}

static int64_t stack_prefix(const struct thread *t, size_t i)
{
    return t->stacks[i].prefix == NO_STACK ? -1 : (int64_t)t->stacks[i].prefix;
}

static int64_t stack_category(const struct thread *t, size_t i)
{
    return frame_category(t, t->stacks[i].frame);
}

static void write_stacks(struct json_object *o, const struct thread *t)
{
    struct json_object in = json_inner(o, "stackTable");
    size_t n = t->stack_count;

    json_count(&in, "length", n);
    column(&in, "frame", t, n, stack_frame);
    column(&in, "prefix", t, n, stack_prefix);
    column(&in, "category", t, n, stack_category);
    constant(&in, "subcategory", n, "0");
    json_end(&in);
}

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
static void write_resources(struct json_object *o, const struct thread *t)
{
    FILE *out = json_member(o, "resource");

    (void)putc('[', out);
    for (size_t i = 0; i < t->report->view->function_count; i++)
        (void)fprintf(out, i != 0 ? ",%" PRId64 : "%" PRId64,
                      function_image(t, i));
    (void)putc(']', out);
}

static void write_functions(struct json_object *o, const struct thread *t)
{
    struct json_object in = json_inner(o, "funcTable");
    size_t n = t->report->view->function_count;

    json_count(&in, "length", n);
    column(&in, "name", t, n, function_name);
    column(&in, "fileName", t, n, function_file);
    write_resources(&in, t);
    constant(&in, "isJS", n, "false");
    constant(&in, "relevantForJS", n, "false");
    constant(&in, "lineNumber", n, "null");
    constant(&in, "columnNumber", n, "null");
    json_end(&in);
}

static void write_images(struct json_object *o, const struct thread *t)
{
    struct json_object in = json_inner(o, "resourceTable");
    size_t n = t->report->view->image_count;

    json_count(&in, "length", n);
    column(&in, "name", t, n, image_name);
    constant(&in, "lib", n, "null");
    constant(&in, "host", n, "null");
    constant(&in, "type", n, "1"); /* a library */
    json_end(&in);
}

static void write_strings(struct json_object *o, const struct thread *t)
{
    const struct view *v = t->report->view;
    FILE *out = json_member(o, "stringArray");
    char name[EXPORT_NAME];
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
        json_string(out, export_image(name, t->report, i));
    }
    (void)putc(']', out);
}

enum sample_column { STACK, TIME, WEIGHT };

/* A column of the samples, which are read once for each. */
static uint64_t sample_column(struct json_object *o, const char *key,
                              const struct thread *t, struct render *to,
                              enum sample_column which)
{
    FILE *out = json_member(o, key);
    struct export_rows rows;
    uint64_t count = 0;

    export_rows_init(&rows, to, t->report, t->core);
    (void)putc('[', out);
    while (!to->no_memory && export_rows_next(&rows)) {
        if (count++ != 0)
            (void)putc(',', out);
        if (which == STACK)
            text_decimal(out, t->entries[rows.entry], 0);
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
    char name[EXPORT_NAME];

    (void)fputs(d->first ? "\n" : ",\n", to->out);
    d->first = false;
    struct json_object o = json_begin(to->out);

    json_text(&o, "name", export_core(name, t->report, t->core));
    json_text(&o, "processName", export_guest(name, t->report));
    json_text(&o, "processType", "default");
    (void)fprintf(json_member(&o, "pid"), "\"%" PRIu32 "\"", pid);
    json_count(&o, "tid", export_tid(pid, t->core));
    json_flag(&o, "isMainThread", false);
    json_count(&o, "processStartupTime", 0);
    (void)fputs("null", json_member(&o, "processShutdownTime"));
    json_count(&o, "registerTime", 0);
    (void)fputs("null", json_member(&o, "unregisterTime"));
    (void)fputs("[]", json_member(&o, "pausedRanges"));
    write_samples(&o, t, to);
    write_stacks(&o, t);
    write_frames(&o, t);
    write_functions(&o, t);
    write_images(&o, t);
    (void)fputs("{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
                "\"functionSize\":[]}",
                json_member(&o, "nativeSymbols"));
    (void)fputs("{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],"
                "\"name\":[],\"phase\":[],\"startTime\":[]}",
                json_member(&o, "markers"));
    write_strings(&o, t);
    json_end(&o);
}

static void write_core(struct render *to, const struct report *r, size_t core,
                       uint32_t pid)
{
    struct thread t = {.report = r, .core = core};

    lay_stacks(&t, to);
    if (!to->no_memory)
        write_thread(to, &t, pid);
    map_fini(&t.by_frame);
    map_fini(&t.by_stack);
    free(t.frames);
    free(t.stacks);
    free(t.entries);
}

static void write_firefox(struct render *to, const struct report *r)
{
    struct document *d = to->state;

    if (to->no_memory)
        return;
    write_meta(to, r);
    uint32_t pid = export_pid(&d->next_pid, r->profile->core_count);

    for (size_t i = 0; i < r->profile->core_count; i++)
        if (r->profile->cores[i].total.samples != 0)
            write_core(to, r, i, pid);
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
    .what = "for the Firefox Profiler",
    .begin = begin,
    .write = write_firefox,
    .end = end,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Files for pprof: a gzipped Profile of google/pprof, proto/profile.proto. */
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/proto.h"
#include "report/gzip.h"
#include "util/pair_map.h"
#include "view/view_build.h"

/*
 * A Profile's fields may come in any order. So each string, function, location
 * and sample is written when it first appears, and only its number is kept.
 *
 * A location is an address with all functions that are inlined there. Marks are
 * locations without an address. Numbers go on from guest to guest.
 */

/* Field numbers, by message. */
enum profile_field {
    SAMPLE_TYPE = 1,
    SAMPLE = 2,
    MAPPING = 3,
    LOCATION = 4,
    FUNCTION = 5,
    STRING_TABLE = 6,
    TIME_NANOS = 9,
    DURATION_NANOS = 10,
    PERIOD_TYPE = 11,
    PERIOD = 12,
    COMMENT = 13,
    DEFAULT_SAMPLE_TYPE = 14
};
enum value_type_field { TYPE = 1, UNIT = 2 };
enum sample_field { LOCATION_ID = 1, VALUE = 2, LABEL = 3 };
enum label_field { KEY = 1, STR = 2, NUM = 3, NUM_UNIT = 4 };
enum mapping_field {
    MAPPING_ID = 1,
    MEMORY_START = 2,
    MEMORY_LIMIT = 3,
    FILE_OFFSET = 4,
    FILENAME = 5,
    BUILD_ID = 6,
    HAS_FUNCTIONS = 7,
    HAS_FILENAMES = 8,
    HAS_LINE_NUMBERS = 9,
    HAS_INLINE_FRAMES = 10
};
enum location_field { ID = 1, MAPPING_OF = 2, ADDRESS = 3, LINE = 4 };
enum line_field { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum function_field { FUNCTION_ID = 1, NAME = 2, FUNCTION_FILE = 4 };

/* Image number of steps without an image. */
#define NO_IMAGE UINT64_MAX

struct pprof {
    struct gzip *gzip;
    struct proto top, message, inner, packed; /* under construction */
    /* numbers written so far */
    uint64_t strings, functions, locations, mappings;
    uint64_t core_key, guest_key, thread_key,
        request_key; /* strings; 0: not written */
    double begun;    /* the first guest, seconds since 1970; 0: unknown */
    double duration; /* the longest, seconds */
    uint64_t period; /* the last */
    bool typed;

    /* Of one guest. */
    const struct report *report;
    uint64_t guest; /* its name, a string */
    /* Names, by thread and by 1 + kind of requests; 0: not written. */
    uint64_t *threads, *requests;
    uint64_t first_mapping;
    struct pair_map by_function,
        by_address; /* numbers minus those before this guest */
};

static void write_top(struct pprof *p)
{
    gzip_write(p->gzip, p->top.bytes, p->top.size);
    p->top.size = 0;
}

/* Write p->message as field (number) of the Profile. */
static void write_message(struct pprof *p, uint32_t number)
{
    proto_message(&p->top, number, &p->message);
    write_top(p);
}

/* The number of string (s). Writes the string when it is first used. */
static uint64_t string(struct pprof *p, const char *s)
{
    proto_bytes(&p->top, STRING_TABLE, s, strlen(s));
    write_top(p);
    return p->strings++;
}

static void value_type(struct pprof *p, uint32_t field, const char *type,
                       const char *unit)
{
    proto_uint(&p->message, TYPE, string(p, type));
    proto_uint(&p->message, UNIT, string(p, unit));
    write_message(p, field);
}

static void begin(struct render *to)
{
    struct pprof *p = calloc(1, sizeof *p);

    to->state = p;
    to->no_memory = p == NULL || (p->gzip = gzip_new(to->out)) == NULL;
    if (to->no_memory)
        return;
    (void)string(p, ""); /* number 0 */
    p->core_key = string(p, "core");
    p->guest_key = string(p, "guest");
}

/* Write the types of values. The first guest decides on the unit of time. */
static void write_types(struct pprof *p, const char *unit)
{
    if (p->typed)
        return;
    p->typed = true;
    value_type(p, SAMPLE_TYPE, "samples", "count");
    value_type(p, SAMPLE_TYPE, "cpu", unit);
    value_type(p, PERIOD_TYPE, "cpu", unit);
    proto_uint(&p->top, DEFAULT_SAMPLE_TYPE, string(p, "cpu"));
    write_top(p);
}

static uint64_t build_id(struct pprof *p, const struct view_image *image)
{
    char text[2 * GUEST_BUILD_ID_MAX + 1] = "";

    for (size_t i = 0; i < image->build_id_len && i < GUEST_BUILD_ID_MAX; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", image->build_id[i]);
    return string(p, text);
}

/* Write a mapping for each run of an image's code. All names are in the file,
 * so pprof need not look for them. */
static void write_mappings(struct pprof *p, const struct report *r)
{
    char name[NAME_PLAIN];

    p->first_mapping = p->mappings + 1;
    for (uint32_t i = 0; i < r->view->image_count; i++) {
        const struct view_image *image = &r->view->images[i];
        uint64_t file = string(p, name_of_file(name, r, i));
        uint64_t id = build_id(p, image);

        for (size_t j = 0; j < image->segment_count; j++) {
            const struct view_segment *s = &image->segments[j];
            uint64_t start = s->address + image->slide;

            proto_uint(&p->message, MAPPING_ID, ++p->mappings);
            proto_uint(&p->message, MEMORY_START, start);
            proto_uint(&p->message, MEMORY_LIMIT, start + s->size);
            proto_uint(&p->message, FILE_OFFSET, s->file_offset);
            proto_uint(&p->message, FILENAME, file);
            proto_uint(&p->message, BUILD_ID, id);
            for (uint32_t has = HAS_FUNCTIONS; has <= HAS_INLINE_FRAMES; has++)
                proto_uint(&p->message, has, 1);
            write_message(p, MAPPING);
        }
    }
}

/* The mapping of (step); 0: none. */
static uint64_t mapping_of(const struct pprof *p, const struct view_step *step)
{
    uint64_t number = p->first_mapping;

    for (uint32_t i = 0; i <= step->image; i++) {
        const struct view_image *image = &p->report->view->images[i];

        for (size_t j = 0; j < image->segment_count; j++, number++)
            if (i == step->image && step->address - image->segments[j].address <
                                        image->segments[j].size)
                return number;
    }
    return 0;
}

/* Returns the number of (a, b). If the pair is new, (*count) has grown by this
 * call. */
static uint64_t number_of(struct pprof *p, struct pair_map *map, uint64_t a,
                          uint64_t b, uint64_t *count)
{
    uint32_t *number = map_put(map, a, b);

    p->top.no_memory |= number == NULL;
    if (number == NULL)
        return 1;
    if (*number == MAP_NOTHING)
        *number = (uint32_t)++ * count;
    return *number;
}

static uint64_t function_of(struct pprof *p, uint32_t function)
{
    const struct view_function *f = &p->report->view->functions[function];
    uint64_t before = p->functions;
    uint64_t number = number_of(p, &p->by_function, function, 0, &p->functions);

    if (p->functions != before) {
        struct proto *m = &p->inner;

        proto_uint(m, FUNCTION_ID, number);
        proto_uint(m, NAME, string(p, f->name));
        if (f->file != NULL)
            proto_uint(m, FUNCTION_FILE, string(p, f->file));
        proto_message(&p->top, FUNCTION, m);
        write_top(p);
    }
    return number;
}

/* The location of the (count) steps from (steps) on, each inlined into the step
 * before it. The innermost line comes first. */
static uint64_t location_of(struct pprof *p, const struct view_step *steps,
                            size_t count)
{
    bool mark = steps->function < VIEW_MARKS;
    uint64_t before = p->locations;
    uint64_t number = mark ? number_of(p, &p->by_address, NO_IMAGE,
                                       steps->function, &p->locations)
                           : number_of(p, &p->by_address, steps->image,
                                       steps->address, &p->locations);

    if (p->locations == before)
        return number;
    proto_uint(&p->message, ID, number);
    if (!mark) {
        proto_uint(&p->message, MAPPING_OF, mapping_of(p, steps));
        proto_uint(&p->message, ADDRESS,
                   steps->address +
                       p->report->view->images[steps->image].slide);
    }
    while (count-- > 0) {
        uint64_t function = function_of(p, steps[count].function);

        proto_uint(&p->inner, LINE_FUNCTION, function);
        proto_uint(&p->inner, LINE_NUMBER, steps[count].line);
        proto_message(&p->message, LINE, &p->inner);
    }
    write_message(p, LOCATION);
    return number;
}

/* The number of the name of (thread), which is not 0. */
static uint64_t thread_name(struct pprof *p, uint32_t thread)
{
    char name[NAME_PLAIN];

    if (p->thread_key == 0)
        p->thread_key = string(p, "thread");
    if (p->threads[thread] == 0)
        p->threads[thread] =
            string(p, name_of_thread(name, p->report->profile, thread));
    return p->threads[thread];
}

/* The number of the name of (request), which is not 0. */
static uint64_t request_name(struct pprof *p, uint32_t request)
{
    char name[NAME_PLAIN];

    if (p->request_key == 0)
        p->request_key = string(p, "request");
    if (p->requests[request] == 0)
        p->requests[request] =
            string(p, name_of_request(name, p->report->profile, request - 1));
    return p->requests[request];
}

/* Add the label (key) with the text (value), a string, to the sample. */
static void put_label(struct pprof *p, uint64_t key, uint64_t value)
{
    proto_uint(&p->inner, KEY, key);
    proto_uint(&p->inner, STR, value);
    proto_message(&p->message, LABEL, &p->inner);
}

static void write_sample(struct pprof *p, uint32_t core, uint32_t thread,
                         uint32_t request, const struct view_path *path)
{
    struct proto locations = p->packed;
    uint64_t name = thread != 0 ? thread_name(p, thread) : 0;
    uint64_t kind = request != 0 ? request_name(p, request) : 0;

    for (size_t end = path->count, i = end; i-- > 0;) {
        if (path->steps[i].inlined && i > 0)
            continue;
        proto_packed(&locations, location_of(p, &path->steps[i], end - i));
        end = i;
    }
    proto_message(&p->message, LOCATION_ID, &locations);
    proto_packed(&locations, path->amount.samples);
    proto_packed(&locations, export_ns(p->report->profile, path->amount.time));
    proto_message(&p->message, VALUE, &locations);
    proto_uint(&p->inner, KEY, p->core_key);
    proto_uint(&p->inner, NUM, core);
    /* the unit that pprof assumes; without a unit it would drop core 0 */
    proto_uint(&p->inner, NUM_UNIT, p->core_key);
    proto_message(&p->message, LABEL, &p->inner);
    put_label(p, p->guest_key, p->guest);
    if (name != 0)
        put_label(p, p->thread_key, name);
    if (kind != 0)
        put_label(p, p->request_key, kind);
    p->packed = locations;
    write_message(p, SAMPLE);
}

static void write_core(struct render *to, size_t core)
{
    struct pprof *p = to->state;
    struct export_cursor c = {.core = core};

    while (export_next(to, p->report, &c))
        write_sample(p, p->report->profile->cores[core].core,
                     view_thread_of(p->report->view, core, c.entry),
                     view_request_of(p->report->view, core, c.entry), &c.path);
}

/* Write the remarks. */
static void write_remarks(struct pprof *p, const struct remarks *remarks)
{
    for (size_t i = 0; i < remarks->count; i++) {
        proto_uint(&p->top, COMMENT, string(p, remarks->list[i].text));
        write_top(p);
    }
}

static void write_pprof(struct render *to, const struct report *r)
{
    struct pprof *p = to->state;
    char name[NAME_PLAIN];

    if (to->no_memory)
        return;
    write_types(p, export_unit(r->profile));
    p->threads = calloc(r->profile->thread_count + 1, sizeof *p->threads);
    p->requests = calloc(UINT8_MAX + 1, sizeof *p->requests);
    to->no_memory = p->threads == NULL || p->requests == NULL;
    if (to->no_memory)
        goto done;
    p->report = r;
    p->guest = string(p, name_of_guest(name, r));
    write_mappings(p, r);
    write_remarks(p, r->remarks);
    for (size_t i = 0; i < r->profile->core_count; i++)
        write_core(to, i);
    map_fini(&p->by_function);
    map_fini(&p->by_address);
    if (r->profile->wall_start > 0 &&
        (p->begun <= 0 || r->profile->wall_start < p->begun))
        p->begun = r->profile->wall_start;
    if (r->profile->duration_s > p->duration)
        p->duration = r->profile->duration_s;
    p->period = export_ns(r->profile, (double)r->profile->period_tsc);
done:
    free(p->threads);
    free(p->requests);
}

static void end(struct render *to)
{
    struct pprof *p = to->state;

    if (p == NULL)
        return;
    if (p->gzip != NULL) {
        proto_uint(&p->top, TIME_NANOS, (uint64_t)(p->begun * 1e9));
        proto_uint(&p->top, DURATION_NANOS, (uint64_t)(p->duration * 1e9));
        proto_uint(&p->top, PERIOD, p->period);
        write_top(p);
        to->no_memory |= p->top.no_memory;
        gzip_end(p->gzip);
    }
    proto_fini(&p->top);
    proto_fini(&p->message);
    proto_fini(&p->inner);
    proto_fini(&p->packed);
    free(p);
}

const struct render_ops render_pprof = {
    .name = "pprof",
    .suffix = "pb.gz",
    .begin = begin,
    .write = write_pprof,
    .end = end,
};

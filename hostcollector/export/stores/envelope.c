/* SPDX-License-Identifier: BSD-2-Clause */
/* A pprof file in the message of a store, with labels. */
#include "export/stores/store_formats.h"

#include <stdlib.h>
#include <string.h>

#include "export/proto.h"
#include "export/stores/report_window.h"
#include "model/origin.h"
#include "report/base64.h"
#include "report/json_text.h"

/* The profile's name in both stores. */
#define PROFILE_NAME "process_cpu"

/* Field numbers, by message: push/v1/push.proto and types/v1/types.proto. */
enum push_request_field { SERIES = 1 };
enum raw_series_field { LABELS = 1, SAMPLES = 2 };
enum raw_sample_field { RAW_PROFILE = 1, SAMPLE_ID = 2 };
enum label_pair_field { NAME = 1, VALUE = 2 };

struct envelope {
    struct render pprof;
    char *bytes;
    size_t size;
    const struct origin *origin; /* lives as long as the process */
    struct window window;
};

static void begin(struct render *to)
{
    struct envelope *v = calloc(1, sizeof *v);

    to->state = v;
    to->no_memory =
        v == NULL ||
        (v->pprof.out = open_memstream(&v->bytes, &v->size)) == NULL;
    if (!to->no_memory)
        render_pprof.begin(&v->pprof);
}

static void write_report(struct render *to, const struct report *r)
{
    struct envelope *v = to->state;

    if (to->no_memory)
        return;
    v->origin = r->origin;
    window_of(&v->window, r);
    render_pprof.write(&v->pprof, r);
}

/* Finish the pprof file: its bytes are in (v->bytes). Returns (v); NULL if
 * there is none. */
static struct envelope *seal(struct render *to)
{
    struct envelope *v = to->state;

    if (v == NULL || v->pprof.out == NULL)
        return NULL;
    render_pprof.end(&v->pprof);
    to->no_memory |= fclose(v->pprof.out) != 0 || v->pprof.no_memory;
    return to->no_memory || v->origin == NULL ? NULL : v;
}

static void discard(struct render *to)
{
    struct envelope *v = to->state;

    if (v != NULL)
        free(v->bytes);
    free(v);
}

typedef void add_label(void *to, const char *key, const char *value);

/* Add all labels; the user's labels come last. */
static void add_labels(const struct envelope *v, add_label *add, void *to)
{
    const struct origin *o = v->origin;
    char build[2 * GUEST_BUILD_ID_MAX + 1];

    add(to, "__name__", PROFILE_NAME);
    add(to, "service_name", origin_service(o));
    add(to, "guest", o->guest);
    add(to, "host", o->host);
    if (v->window.build_id_len != 0)
        add(to, "build",
            window_hex(build, v->window.build_id, v->window.build_id_len));
    for (unsigned i = 0; i < o->label_count; i++)
        add(to, o->labels[i].key, o->labels[i].value);
}

static void push_label(void *to, const char *key, const char *value)
{
    struct proto *series = to, label = {0};

    proto_bytes(&label, NAME, key, strlen(key));
    proto_bytes(&label, VALUE, value, strlen(value));
    proto_message(series, LABELS, &label);
    proto_fini(&label);
}

static void write_push(FILE *out, const struct envelope *v, bool *no_memory)
{
    struct proto request = {0}, series = {0}, sample = {0};
    char id[WINDOW_HEX];

    add_labels(v, push_label, &series);
    proto_bytes(&sample, RAW_PROFILE, v->bytes, v->size);
    proto_bytes(&sample, SAMPLE_ID, window_hex(id, v->window.id, WINDOW_ID),
                WINDOW_HEX - 1);
    proto_message(&series, SAMPLES, &sample);
    proto_message(&request, SERIES, &series);
    (void)fwrite(request.bytes, 1, request.size, out);
    *no_memory |= request.no_memory;
    proto_fini(&request);
    proto_fini(&series);
    proto_fini(&sample);
}

static void end_push(struct render *to)
{
    const struct envelope *v = seal(to);

    if (v != NULL)
        write_push(to->out, v, &to->no_memory);
    discard(to);
}

struct json_labels {
    FILE *out;
    bool first;
};

static void json_label(void *to, const char *key, const char *value)
{
    struct json_labels *labels = to;

    json_comma(labels->out, &labels->first);
    (void)fputs("{\"name\":", labels->out);
    json_string(labels->out, key);
    (void)fputs(",\"value\":", labels->out);
    json_string(labels->out, value);
    (void)putc('}', labels->out);
}

static void end_parca(struct render *to)
{
    const struct envelope *v = seal(to);
    struct json_labels labels = {.out = to->out, .first = true};

    if (v != NULL) {
        (void)fputs("{\"series\":[{\"labels\":{\"labels\":[", to->out);
        add_labels(v, json_label, &labels);
        (void)fputs("]},\"samples\":[{\"rawProfile\":\"", to->out);
        base64_write(to->out, (const uint8_t *)v->bytes, v->size);
        (void)fputs("\"}]}]}", to->out);
    }
    discard(to);
}

const struct render_ops render_pyroscope_push = {
    .name = "pyroscope-push",
    .suffix = "push.pb",
    .begin = begin,
    .write = write_report,
    .end = end_push,
};

const struct render_ops render_parca = {
    .name = "parca",
    .suffix = "parca.json",
    .begin = begin,
    .write = write_report,
    .end = end_parca,
};

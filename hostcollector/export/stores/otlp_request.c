/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenTelemetry's profiles: a gzipped ExportProfilesServiceRequest. */
#include "export/stores/store_formats.h"

#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "export/stores/otlp_parts.h"
#include "export/stores/report_window.h"
#include "model/origin.h"
#include "report/gzip.h"
#include "util/pair_map.h"
#include "util/vec.h"

/* Fields by message. */
static const struct {
    struct otlp_field resources, dictionary;
} request_field = {{1, "resourceProfiles"}, {2, "dictionary"}};
static const struct {
    struct otlp_field resource, scopes;
} resource_profiles_field = {{1, "resource"}, {2, "scopeProfiles"}};
static const struct {
    struct otlp_field scope, profiles;
} scope_profiles_field = {{1, "scope"}, {2, "profiles"}};
static const struct otlp_field resource_attributes = {1, "attributes"};
static const struct {
    struct otlp_field name, version;
} scope_field = {{1, "name"}, {2, "version"}};
static const struct {
    struct otlp_field sample_type, samples, time, duration, period_type, period,
        id;
} profile_field = {{1, "sampleType"},   {2, "samples"},    {3, "timeUnixNano"},
                   {4, "durationNano"}, {5, "periodType"}, {6, "period"},
                   {7, "profileId"}};
static const struct {
    struct otlp_field stack, attributes, values;
} sample_field = {{1, "stackIndex"}, {2, "attributeIndices"}, {4, "values"}};
static const struct {
    struct otlp_field type, unit;
} value_type_field = {{1, "typeStrindex"}, {2, "unitStrindex"}};
static const struct {
    struct otlp_field key, value;
} key_value_field = {{1, "key"}, {2, "value"}};
static const struct otlp_field string_value = {1, "stringValue"};

/* Samples of one core and stack. */
struct stack_sum {
    uint32_t stack;
    uint64_t samples, ns;
};

struct otlp {
    struct otlp_tables tables;
    struct gzip *gzip;
    struct otlp_message resources;
    struct otlp_message times, counts; /* a guest's samples, in two profiles */
};

static struct otlp_message message(const struct otlp *o)
{
    return (struct otlp_message){.json = o->tables.json};
}

static void write_sample(struct otlp *o, struct otlp_message *samples,
                         uint32_t stack, uint32_t core, uint64_t value)
{
    struct otlp_message m = message(o);

    otlp_int(&m, &sample_field.stack, stack);
    otlp_ints(&m, &sample_field.attributes, &core, 1);
    otlp_one_long(&m, &sample_field.values, value);
    otlp_add(samples, &profile_field.samples, &m, false);
}

/* Write the samples of a core. Entries with the same stack are added up. */
static void write_core(struct render *to, size_t core)
{
    struct otlp *o = to->state;
    struct export_cursor c = {.core = core};
    struct pair_map by_stack = {0};
    struct stack_sum *sums = NULL;
    size_t count = 0, room = 0;

    while (!o->tables.no_memory && export_next(to, o->tables.report, &c)) {
        uint32_t stack = otlp_number_of_stack(&o->tables, &c.path);
        uint32_t *at = map_put(&by_stack, stack, 0);

        if (at == NULL || vec_grow(&sums, &room, count, sizeof *sums) != 0) {
            o->tables.no_memory = true;
            break;
        }
        if (*at == MAP_NOTHING) {
            *at = (uint32_t)count;
            sums[count++] = (struct stack_sum){.stack = stack};
        }
        sums[*at].samples += c.path.amount.samples;
        sums[*at].ns +=
            export_ns(o->tables.report->profile, c.path.amount.time);
    }
    uint32_t number = count == 0
                          ? 0
                          : otlp_number_of_attribute(
                                &o->tables, "cpu.logical_number", NULL,
                                o->tables.report->profile->cores[core].core);

    for (size_t i = 0; i < count; i++) {
        write_sample(o, &o->times, sums[i].stack, number, sums[i].ns);
        write_sample(o, &o->counts, sums[i].stack, number, sums[i].samples);
    }
    free(sums);
    map_fini(&by_stack);
}

static void write_type(struct otlp *o, struct otlp_message *profile,
                       const struct otlp_field *f, const char *type,
                       const char *unit)
{
    struct otlp_message m = message(o);

    otlp_int(&m, &value_type_field.type,
             otlp_number_of_string(&o->tables, type));
    otlp_int(&m, &value_type_field.unit,
             otlp_number_of_string(&o->tables, unit));
    otlp_inner(profile, f, &m);
}

/* Add a profile of (samples) to (list). The two profiles of a window differ in
 * their ids, by which a receiver may drop a profile it has. */
static void write_profile(struct otlp *o, struct otlp_message *list,
                          const struct window *w, bool counts)
{
    const char *unit = export_unit(o->tables.report->profile);
    struct otlp_message m = message(o);
    uint8_t id[WINDOW_ID];

    memcpy(id, w->id, sizeof id);
    id[WINDOW_ID - 1] ^= counts;
    write_type(o, &m, &profile_field.sample_type, counts ? "samples" : "cpu",
               counts ? "count" : unit);
    otlp_list(&m, &profile_field.samples, counts ? &o->counts : &o->times);
    otlp_fixed(&m, &profile_field.time, w->from_ns);
    otlp_long(&m, &profile_field.duration, w->length_ns);
    write_type(o, &m, &profile_field.period_type, "cpu", unit);
    otlp_long(&m, &profile_field.period, w->period_ns);
    otlp_id(&m, &profile_field.id, id, sizeof id);
    otlp_add(list, &scope_profiles_field.profiles, &m, false);
}

static void add_label(struct otlp *o, struct otlp_message *list,
                      const char *key, const char *text)
{
    struct otlp_message m = message(o), value = message(o);

    otlp_text(&m, &key_value_field.key, key);
    otlp_text(&value, &string_value, text);
    otlp_inner(&m, &key_value_field.value, &value);
    otlp_add(list, &resource_attributes, &m, false);
}

/* Does an earlier label have the key of the user's label (i)? */
static bool is_taken(const struct origin *origin, unsigned i)
{
    const char *key = origin->labels[i].key;

    for (unsigned j = 0; j < i; j++)
        if (strcmp(origin->labels[j].key, key) == 0)
            return true;
    return strcmp(key, "guest") == 0;
}

static void write_resource(struct otlp *o, struct otlp_message *to,
                           const struct window *w)
{
    const struct origin *origin = o->tables.report->origin;
    char build[2 * GUEST_BUILD_ID_MAX + 1];
    struct otlp_message m = message(o), list = message(o);

    add_label(o, &list, "service.name", origin_service(origin));
    add_label(o, &list, "guest", origin->guest);
    add_label(o, &list, "host.name", origin->host);
    if (w->build_id_len != 0)
        add_label(o, &list, "process.executable.build_id.gnu",
                  window_hex(build, w->build_id, w->build_id_len));
    for (unsigned i = 0; i < origin->label_count; i++)
        if (!is_taken(origin, i))
            add_label(o, &list, origin->labels[i].key, origin->labels[i].value);
    otlp_list(&m, &resource_attributes, &list);
    otlp_inner(to, &resource_profiles_field.resource, &m);
}

static void write_otlp(struct render *to, const struct report *r)
{
    struct otlp *o = to->state;
    struct window w;

    if (to->no_memory)
        return;
    otlp_tables_guest(&o->tables, r);
    window_of(&w, r);
    o->times = o->counts = message(o);
    for (size_t i = 0; i < r->profile->core_count; i++)
        write_core(to, i);
    struct otlp_message resource = message(o), scopes = message(o),
                        scope = message(o), name = message(o),
                        profiles = message(o);

    write_resource(o, &resource, &w);
    otlp_text(&name, &scope_field.name, "tprof");
    otlp_text(&name, &scope_field.version, COLLECTOR_VERSION);
    otlp_inner(&scope, &scope_profiles_field.scope, &name);
    write_profile(o, &profiles, &w, false);
    write_profile(o, &profiles, &w, true);
    otlp_list(&scope, &scope_profiles_field.profiles, &profiles);
    otlp_add(&scopes, &resource_profiles_field.scopes, &scope, false);
    otlp_list(&resource, &resource_profiles_field.scopes, &scopes);
    otlp_add(&o->resources, &request_field.resources, &resource, false);
    to->no_memory |= o->tables.no_memory;
}

static void begin(struct render *to, bool json)
{
    struct otlp *o = calloc(1, sizeof *o);

    to->state = o;
    to->no_memory = o == NULL || (o->gzip = gzip_new(to->out)) == NULL;
    if (to->no_memory)
        return;
    otlp_tables_init(&o->tables, json);
    o->resources = message(o);
}

static void begin_proto(struct render *to)
{
    begin(to, false);
}

static void begin_json(struct render *to)
{
    begin(to, true);
}

static void write_request(struct render *to, struct otlp *o)
{
    struct otlp_message request = message(o), dictionary = message(o);

    otlp_list(&request, &request_field.resources, &o->resources);
    otlp_tables_write(&o->tables, &dictionary);
    otlp_inner(&request, &request_field.dictionary, &dictionary);
    to->no_memory |= o->tables.no_memory || request.out.no_memory;
    if (o->tables.json)
        gzip_write(o->gzip, "{", 1);
    gzip_write(o->gzip, request.out.bytes, request.out.size);
    if (o->tables.json)
        gzip_write(o->gzip, "}", 1);
    otlp_fini(&request);
}

static void end(struct render *to)
{
    struct otlp *o = to->state;

    if (o == NULL)
        return;
    if (o->gzip != NULL) {
        write_request(to, o);
        gzip_end(o->gzip);
    }
    otlp_tables_fini(&o->tables);
    free(o);
}

const struct render_ops render_otlp = {
    .name = "otlp",
    .suffix = "otlp.gz",
    .begin = begin_proto,
    .write = write_otlp,
    .end = end,
};

const struct render_ops render_otlp_json = {
    .name = "otlp-json",
    .suffix = "otlp.json.gz",
    .begin = begin_json,
    .write = write_otlp,
    .end = end,
};

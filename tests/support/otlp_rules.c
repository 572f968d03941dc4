/* SPDX-License-Identifier: BSD-2-Clause */
/* One function for each message, which marks what it refers to. */
#include "otlp_rules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum table { MAPPING, LOCATION, FUNCTION, LINK, STRING, ATTRIBUTE, STACK };
#define TABLES 7

static const char *const names[TABLES] = {
    "mapping", "location", "function", "link", "string", "attribute", "stack"};

struct rules {
    const json_t *tables[TABLES];
    bool *used[TABLES];
    json_t *ids; /* of profiles */
    char broken[128];
};

/* (what) is a sentence that is said of a request which breaks the rule; of one
 * table if (name). */
static void rule(struct rules *r, bool holds, const char *name,
                 const char *what)
{
    if (!holds && r->broken[0] == '\0')
        (void)snprintf(r->broken, sizeof r->broken, "%s%s%s",
                       name != NULL ? name : "", name != NULL ? ": " : "",
                       what);
}

/* Put (value) into (set). Returns whether it was not there. */
static bool is_new(json_t *set, const json_t *value)
{
    char *key;
    bool is;

    if (value == NULL) /* which another rule is about */
        return true;
    key = json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    CHECK(key != NULL);
    is = json_object_get(set, key) == NULL;
    CHECK_EQ(json_object_set_new(set, key, json_true()), 0);
    free(key);
    return is;
}

/* An integer of 64 bits, a string of digits; 0 if it is not there. */
static uint64_t number(struct rules *r, const json_t *message, const char *name)
{
    const json_t *value = json_object_get(message, name);
    const char *text = json_string_value(value);
    char *end = NULL;
    uint64_t n;

    if (value == NULL)
        return 0;
    errno = 0;
    n = text != NULL ? strtoull(text, &end, 10) : 0;
    rule(r,
         text != NULL && text[0] >= '0' && text[0] <= '9' && *end == '\0' &&
             errno == 0,
         name, "no number of 64 bits");
    return n;
}

/* Element (i) of the list (name) of (message); NULL behind the last. */
static json_t *element(const json_t *message, const char *name, size_t i)
{
    return json_array_get(json_object_get(message, name), i);
}

static bool is_nothing(const json_t *entry)
{
    return json_is_string(entry) ? json_string_length(entry) == 0
                                 : json_object_size(entry) == 0;
}

/* The entry that (index) refers to, 0 if it is NULL; NULL if there is none. */
static const json_t *entry(struct rules *r, enum table t, const json_t *index)
{
    json_int_t i = json_integer_value(index);
    bool is = (index == NULL || json_is_integer(index)) && i >= 0 &&
              (size_t)i < json_array_size(r->tables[t]);

    rule(r, is, names[t], "there is no such entry");
    if (!is)
        return NULL;
    r->used[t][i] = true;
    return json_array_get(r->tables[t], (size_t)i);
}

/* The same of field (name) of (message). */
static const json_t *refer(struct rules *r, enum table t, const json_t *message,
                           const char *name)
{
    return entry(r, t, json_object_get(message, name));
}

static bool says(struct rules *r, const json_t *message, const char *name)
{
    const json_t *text = refer(r, STRING, message, name);

    return text != NULL && !is_nothing(text);
}

static void attributes(struct rules *r, const json_t *message)
{
    json_t *keys = json_object(), *index;
    size_t i;

    for (i = 0; (index = element(message, "attributeIndices", i)) != NULL;
         i++) {
        const json_t *a = entry(r, ATTRIBUTE, index);
        const json_t *key = refer(r, STRING, a, "keyStrindex");

        rule(r, key != NULL && !is_nothing(key), NULL,
             "an attribute has no key");
        rule(r, key == NULL || is_new(keys, key), NULL,
             "an attribute comes twice");
    }
    json_decref(keys);
}

/* The dictionary */

static void open_table(struct rules *r, enum table t, const json_t *dictionary)
{
    json_t *seen = json_object(), *e;
    char name[32];
    size_t i;

    (void)snprintf(name, sizeof name, "%sTable", names[t]);
    r->tables[t] = json_object_get(dictionary, name);
    r->used[t] = calloc(json_array_size(r->tables[t]) + 1, sizeof(bool));
    CHECK(r->used[t] != NULL);
    r->used[t][0] = true;
    rule(r, json_array_size(r->tables[t]) > 0, names[t], "there is no table");
    rule(r, is_nothing(json_array_get(r->tables[t], 0)), names[t],
         "entry 0 says something");
    for (i = 0; (e = json_array_get(r->tables[t], i)) != NULL; i++)
        rule(r, is_new(seen, e), names[t], "an entry comes twice");
    json_decref(seen);
}

static void mapping(struct rules *r, const json_t *m, json_t *files)
{
    uint64_t start = number(r, m, "memoryStart");
    uint64_t limit = number(r, m, "memoryLimit");
    const json_t *file = refer(r, STRING, m, "filenameStrindex");

    (void)number(r, m, "fileOffset");
    attributes(r, m);
    rule(r, is_nothing(m) || start < limit || (start == 0 && limit == 0), NULL,
         "a mapping ends before it begins");
    /* older releases of the checker take these for one */
    rule(r, is_nothing(m) || (file != NULL && is_new(files, file)), NULL,
         "two mappings have one file");
}

static void line(struct rules *r, const json_t *l)
{
    const json_t *f = refer(r, FUNCTION, l, "functionIndex");

    rule(r, f != NULL && !is_nothing(f), NULL, "a line has no function");
    rule(r, number(r, l, "line") <= INT64_MAX, NULL, "a line is negative");
}

static void location(struct rules *r, const json_t *l)
{
    const json_t *m = refer(r, MAPPING, l, "mappingIndex");
    uint64_t address = number(r, l, "address");
    uint64_t limit = number(r, m, "memoryLimit");
    json_t *one;
    size_t i;

    rule(r,
         limit == 0 ||
             (address >= number(r, m, "memoryStart") && address <= limit),
         NULL, "a location is outside of its mapping");
    attributes(r, l);
    for (i = 0; (one = element(l, "lines", i)) != NULL; i++)
        line(r, one);
}

static void function(struct rules *r, const json_t *f)
{
    bool name = says(r, f, "nameStrindex");
    bool other = says(r, f, "systemNameStrindex");
    bool file = says(r, f, "filenameStrindex");

    rule(r, is_nothing(f) || name || other || file, NULL,
         "a function says nothing");
    rule(r, number(r, f, "startLine") <= INT64_MAX, NULL,
         "a function begins at no line");
}

static void id(struct rules *r, const json_t *message, const char *name,
               size_t bytes)
{
    const char *text = json_string_value(json_object_get(message, name));
    bool is = text != NULL && strlen(text) == 2 * bytes &&
              strspn(text, "0123456789abcdef") == 2 * bytes;

    rule(r, is, name, "no id");
    rule(r, !is || strspn(text, "0") < 2 * bytes, name, "zero");
}

static void link_entry(struct rules *r, const json_t *l)
{
    if (is_nothing(l))
        return;
    id(r, l, "traceId", 16);
    id(r, l, "spanId", 8);
}

static void attribute(struct rules *r, const json_t *a)
{
    (void)refer(r, STRING, a, "keyStrindex");
    (void)refer(r, STRING, a, "unitStrindex");
    rule(r, is_nothing(a) || json_object_size(json_object_get(a, "value")) == 1,
         NULL, "an attribute has no value, or several");
}

static void stack(struct rules *r, const json_t *s)
{
    json_t *index;
    size_t i;

    for (i = 0; (index = element(s, "locationIndices", i)) != NULL; i++) {
        const json_t *l = entry(r, LOCATION, index);

        rule(r, l != NULL && !is_nothing(l), NULL, "a stack has no location");
    }
}

static void dictionary(struct rules *r)
{
    static void (*const each[TABLES])(struct rules *, const json_t *) = {
        [LOCATION] = location,   [FUNCTION] = function, [LINK] = link_entry,
        [ATTRIBUTE] = attribute, [STACK] = stack,
    };
    json_t *files = json_object(), *e;
    size_t i;

    for (i = 0; (e = json_array_get(r->tables[MAPPING], i)) != NULL; i++)
        mapping(r, e, files);
    json_decref(files);
    for (size_t t = 0; t < TABLES; t++) {
        if (each[t] != NULL)
            for (i = 0; (e = json_array_get(r->tables[t], i)) != NULL; i++)
                each[t](r, e);
    }
    for (size_t t = 0; t < TABLES; t++)
        for (i = 0; i < json_array_size(r->tables[t]); i++)
            rule(r, r->used[t][i], names[t], "nothing refers to an entry");
}

/* Profiles */

static void value_type(struct rules *r, const json_t *profile, const char *name)
{
    const json_t *type = json_object_get(profile, name);
    bool is = says(r, type, "typeStrindex"), in = says(r, type, "unitStrindex");

    rule(r, is && in, name, "no type, or no unit");
}

static void times(struct rules *r, const json_t *sample, uint64_t begin,
                  uint64_t end)
{
    json_t *time;
    size_t i;

    for (i = 0; (time = element(sample, "timestampsUnixNano", i)) != NULL;
         i++) {
        const char *text = json_string_value(time);
        uint64_t at = strtoull(text != NULL ? text : "0", NULL, 10);

        rule(r, at >= begin && at < end, NULL,
             "a sample is outside of its profile");
    }
}

/* Which of values and timestamps (sample) has. */
static unsigned shape(struct rules *r, const json_t *sample)
{
    size_t values = json_array_size(json_object_get(sample, "values"));
    size_t at = json_array_size(json_object_get(sample, "timestampsUnixNano"));
    json_t *value;
    size_t i;

    for (i = 0; (value = element(sample, "values", i)) != NULL; i++)
        rule(r, json_is_string(value), NULL, "a value is no number of 64 bits");
    rule(r, values + at > 0, NULL, "a sample has no value and no time");
    rule(r, at != 0 || values < 2, NULL, "a sample has several values");
    rule(r, at == 0 || values == 0 || at == values, NULL,
         "a sample has another number of values than of times");
    return (values != 0 ? 1u : 0u) + (at != 0 ? 2u : 0u);
}

/* What makes (sample) another one: stack, link and the set of attributes. */
static json_t *identity(const json_t *sample)
{
    json_t *set = json_object(), *index;
    size_t i;

    for (i = 0; (index = element(sample, "attributeIndices", i)) != NULL; i++)
        (void)is_new(set, index);
    return json_pack(
        "[IIo]", json_integer_value(json_object_get(sample, "stackIndex")),
        json_integer_value(json_object_get(sample, "linkIndex")), set);
}

static void profile(struct rules *r, const json_t *p)
{
    uint64_t begin = number(r, p, "timeUnixNano");
    uint64_t end = begin + number(r, p, "durationNano");
    json_t *seen = json_object(), *sample;
    unsigned first = 0;
    size_t i;

    rule(r, end >= begin, NULL, "a profile ends before it begins");
    rule(r, number(r, p, "period") <= INT64_MAX, NULL, "a period is negative");
    id(r, p, "profileId", 16);
    rule(r, is_new(r->ids, json_object_get(p, "profileId")), NULL,
         "two profiles have one id");
    value_type(r, p, "sampleType");
    value_type(r, p, "periodType");
    attributes(r, p);
    for (i = 0; (sample = element(p, "samples", i)) != NULL; i++) {
        unsigned own = shape(r, sample);
        json_t *which = identity(sample);

        first = i == 0 ? own : first;
        rule(r, own == first, NULL, "samples have several shapes");
        rule(r, is_new(seen, which), NULL, "two samples should be one");
        json_decref(which);
        (void)refer(r, STACK, sample, "stackIndex");
        (void)refer(r, LINK, sample, "linkIndex");
        attributes(r, sample);
        times(r, sample, begin, end);
    }
    json_decref(seen);
}

static void resource_profiles(struct rules *r, const json_t *one)
{
    const json_t *resource = json_object_get(one, "resource");
    const json_t *scopes = json_object_get(one, "scopeProfiles");
    json_t *keys = json_object(), *e, *p;
    size_t i, j;

    for (i = 0; (e = element(resource, "attributes", i)) != NULL; i++) {
        const json_t *key = json_object_get(e, "key");

        rule(r, key != NULL && is_new(keys, key), NULL,
             "a resource has an attribute twice, or one without a key");
        rule(r, json_object_get(e, "value") != NULL, NULL,
             "a resource has an attribute without a value");
    }
    json_decref(keys);
    rule(r, json_array_size(scopes) > 0, NULL, "a resource has no scope");
    for (i = 0; (e = json_array_get(scopes, i)) != NULL; i++) {
        const json_t *profiles = json_object_get(e, "profiles");

        rule(r, json_array_size(profiles) > 0, NULL, "a scope has no profile");
        for (j = 0; (p = json_array_get(profiles, j)) != NULL; j++)
            profile(r, p);
    }
}

const char *otlp_breaks(const json_t *request)
{
    static struct rules r;
    const json_t *all = json_object_get(request, "resourceProfiles");
    json_t *one;
    size_t i;

    r = (struct rules){.ids = json_object()};
    for (enum table t = 0; t < TABLES; t++)
        open_table(&r, t, json_object_get(request, "dictionary"));
    rule(&r, json_array_size(all) > 0, NULL, "there is no resource");
    for (i = 0; (one = json_array_get(all, i)) != NULL; i++)
        resource_profiles(&r, one);
    dictionary(&r);
    for (enum table t = 0; t < TABLES; t++)
        free(r.used[t]);
    json_decref(r.ids);
    return r.broken[0] != '\0' ? r.broken : NULL;
}

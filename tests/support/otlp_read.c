/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of all fields, and a reader of Protocol Buffers for it. */
#include "otlp_read.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

enum message {
    REQUEST,
    RESOURCE_PROFILES,
    RESOURCE,
    SCOPE_PROFILES,
    SCOPE,
    PROFILE,
    VALUE_TYPE,
    SAMPLE,
    KEY_VALUE,
    ANY_VALUE,
    DICTIONARY,
    MAPPING,
    LOCATION,
    LINE,
    FUNCTION,
    LINK,
    ATTRIBUTE,
    STACK,
    MESSAGES
};

enum kind { INT32, INT64, UINT64, FIXED64, STRING, BYTES, INNER };

struct field {
    unsigned number;
    const char *name;
    enum kind kind;
    bool repeated;
    enum message inner;
};

#define FIELDS 8
static const struct field fields[MESSAGES][FIELDS] = {
    [REQUEST] = {{1, "resourceProfiles", INNER, true, RESOURCE_PROFILES},
                 {2, "dictionary", INNER, false, DICTIONARY}},
    [RESOURCE_PROFILES] = {{1, "resource", INNER, false, RESOURCE},
                           {2, "scopeProfiles", INNER, true, SCOPE_PROFILES}},
    [RESOURCE] = {{1, "attributes", INNER, true, KEY_VALUE}},
    [SCOPE_PROFILES] = {{1, "scope", INNER, false, SCOPE},
                        {2, "profiles", INNER, true, PROFILE}},
    [SCOPE] = {{1, "name", STRING, false, 0}, {2, "version", STRING, false, 0}},
    [PROFILE] = {{1, "sampleType", INNER, false, VALUE_TYPE},
                 {2, "samples", INNER, true, SAMPLE},
                 {3, "timeUnixNano", FIXED64, false, 0},
                 {4, "durationNano", UINT64, false, 0},
                 {5, "periodType", INNER, false, VALUE_TYPE},
                 {6, "period", INT64, false, 0},
                 {7, "profileId", BYTES, false, 0}},
    [VALUE_TYPE] = {{1, "typeStrindex", INT32, false, 0},
                    {2, "unitStrindex", INT32, false, 0}},
    [SAMPLE] = {{1, "stackIndex", INT32, false, 0},
                {2, "attributeIndices", INT32, true, 0},
                {3, "linkIndex", INT32, false, 0},
                {4, "values", INT64, true, 0},
                {5, "timestampsUnixNano", FIXED64, true, 0}},
    [KEY_VALUE] = {{1, "key", STRING, false, 0},
                   {2, "value", INNER, false, ANY_VALUE}},
    [ANY_VALUE] = {{1, "stringValue", STRING, false, 0},
                   {3, "intValue", INT64, false, 0}},
    [DICTIONARY] = {{1, "mappingTable", INNER, true, MAPPING},
                    {2, "locationTable", INNER, true, LOCATION},
                    {3, "functionTable", INNER, true, FUNCTION},
                    {4, "linkTable", INNER, true, LINK},
                    {5, "stringTable", STRING, true, 0},
                    {6, "attributeTable", INNER, true, ATTRIBUTE},
                    {7, "stackTable", INNER, true, STACK}},
    [MAPPING] = {{1, "memoryStart", UINT64, false, 0},
                 {2, "memoryLimit", UINT64, false, 0},
                 {3, "fileOffset", UINT64, false, 0},
                 {4, "filenameStrindex", INT32, false, 0},
                 {5, "attributeIndices", INT32, true, 0}},
    [LOCATION] = {{1, "mappingIndex", INT32, false, 0},
                  {2, "address", UINT64, false, 0},
                  {3, "lines", INNER, true, LINE},
                  {4, "attributeIndices", INT32, true, 0}},
    [LINE] = {{1, "functionIndex", INT32, false, 0},
              {2, "line", INT64, false, 0}},
    [FUNCTION] = {{1, "nameStrindex", INT32, false, 0},
                  {2, "systemNameStrindex", INT32, false, 0},
                  {3, "filenameStrindex", INT32, false, 0},
                  {4, "startLine", INT64, false, 0}},
    [LINK] = {{1, "traceId", BYTES, false, 0}, {2, "spanId", BYTES, false, 0}},
    [ATTRIBUTE] = {{1, "keyStrindex", INT32, false, 0},
                   {2, "value", INNER, false, ANY_VALUE},
                   {3, "unitStrindex", INT32, false, 0}},
    [STACK] = {{1, "locationIndices", INT32, true, 0}},
};

struct bytes {
    const uint8_t *at;
    size_t left;
};

static uint64_t varint(struct bytes *b)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        CHECK(b->left > 0 && shift < 64);
        uint8_t byte = *b->at++;

        b->left--;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

static uint64_t fixed64(struct bytes *b)
{
    uint64_t value = 0;

    CHECK(b->left >= 8);
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)b->at[i] << (8 * i);
    b->at += 8;
    b->left -= 8;
    return value;
}

static struct bytes part(struct bytes *b)
{
    uint64_t size = varint(b);

    CHECK(size <= b->left);
    struct bytes p = {b->at, (size_t)size};

    b->at += size;
    b->left -= size;
    return p;
}

/* By json_stringn(): json_string() is the collector's own, render/json_text.h.
 */
static json_t *integer(struct bytes *b, enum kind kind)
{
    uint64_t value = kind == FIXED64 ? fixed64(b) : varint(b);
    char text[24];

    if (kind == INT32)
        return json_integer((int32_t)(int64_t)value);
    (void)snprintf(text, sizeof text, kind == INT64 ? "%" PRId64 : "%" PRIu64,
                   value);
    return json_stringn(text, strlen(text));
}

static json_t *hexadecimal(struct bytes b)
{
    char text[128] = "";

    CHECK(b.left < sizeof text / 2);
    for (size_t i = 0; i < b.left; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", b.at[i]);
    return json_stringn(text, strlen(text));
}

static json_t *read_message(struct bytes b, enum message type);

/* What has its length before it, but for packed integers. */
static json_t *delimited(struct bytes b, const struct field *f)
{
    if (f->kind == INNER)
        return read_message(b, f->inner);
    return f->kind == BYTES ? hexadecimal(b)
                            : json_stringn((const char *)b.at, b.left);
}

static const struct field *field_of(enum message type, uint64_t number)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[type][i].name != NULL && fields[type][i].number == number)
            return &fields[type][i];
    check_failed(__FILE__, __LINE__, "message %d has no field %" PRIu64,
                 (int)type, number);
}

/* One more of (f) in (message): (value) is there and, if it is a string, valid
 * UTF-8. */
static void put(json_t *message, const struct field *f, json_t *value)
{
    json_t *old = json_object_get(message, f->name);

    CHECK(value != NULL);
    if (!f->repeated) {
        CHECK(old == NULL);
        CHECK_EQ(json_object_set_new(message, f->name, value), 0);
        return;
    }
    if (old == NULL) {
        old = json_array();
        CHECK_EQ(json_object_set_new(message, f->name, old), 0);
    }
    CHECK_EQ(json_array_append_new(old, value), 0);
}

static json_t *read_message(struct bytes b, enum message type)
{
    json_t *message = json_object();

    while (b.left > 0) {
        uint64_t tag = varint(&b);
        const struct field *f = field_of(type, tag >> 3);
        unsigned wire = tag & 7, own = f->kind >= STRING    ? 2
                                       : f->kind == FIXED64 ? 1
                                                            : 0;

        if (wire == 2 && own != 2) {
            struct bytes packed = part(&b);

            CHECK(f->repeated);
            while (packed.left > 0)
                put(message, f, integer(&packed, f->kind));
        } else {
            CHECK_EQ(wire, own);
            put(message, f,
                own == 2 ? delimited(part(&b), f) : integer(&b, f->kind));
        }
    }
    return message;
}

json_t *otlp_read(const uint8_t *bytes, size_t size)
{
    return read_message((struct bytes){bytes, size}, REQUEST);
}

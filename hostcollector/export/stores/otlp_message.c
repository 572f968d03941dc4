/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of OpenTelemetry's protocol, in Protocol Buffers or in JSON. */
#include "export/stores/otlp_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

#define NUMBER 24 /* room for one */

enum { VARINT = 0, FIXED64 = 1 }; /* wire types of Protocol Buffers */

static void put(struct otlp_message *m, const char *text)
{
    proto_append(&m->out, text, strlen(text));
}

/* Write the key of a field in JSON. */
static void name(struct otlp_message *m, const struct otlp_field *f)
{
    if (m->out.size != 0)
        put(m, ",");
    put(m, "\"");
    put(m, f->name);
    put(m, "\":");
}

static void number(struct otlp_message *m, uint64_t value, const char *quote)
{
    char text[NUMBER];

    (void)snprintf(text, sizeof text, "%s%" PRIu64 "%s", quote, value, quote);
    put(m, text);
}

void otlp_int(struct otlp_message *m, const struct otlp_field *f,
              uint32_t value)
{
    if (!m->json) {
        proto_uint(&m->out, f->number, value);
    } else if (value != 0) {
        name(m, f);
        number(m, value, "");
    }
}

void otlp_long(struct otlp_message *m, const struct otlp_field *f,
               uint64_t value)
{
    if (value != 0)
        otlp_long_chosen(m, f, value);
}

void otlp_long_chosen(struct otlp_message *m, const struct otlp_field *f,
                      uint64_t value)
{
    if (m->json) {
        name(m, f);
        number(m, value, "\"");
    } else {
        proto_packed(&m->out, (uint64_t)f->number << 3 | VARINT);
        proto_packed(&m->out, value);
    }
}

void otlp_fixed(struct otlp_message *m, const struct otlp_field *f,
                uint64_t value)
{
    uint8_t bytes[8];

    if (value == 0)
        return;
    if (m->json) {
        otlp_long(m, f, value);
        return;
    }
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    proto_packed(&m->out, (uint64_t)f->number << 3 | FIXED64);
    proto_append(&m->out, bytes, sizeof bytes);
}

void otlp_ints(struct otlp_message *m, const struct otlp_field *f,
               const uint32_t *values, size_t count)
{
    struct proto packed = {0};

    if (count == 0)
        return;
    if (!m->json) {
        for (size_t i = 0; i < count; i++)
            proto_packed(&packed, values[i]);
        proto_message(&m->out, f->number, &packed);
        proto_fini(&packed);
        return;
    }
    name(m, f);
    for (size_t i = 0; i < count; i++) {
        put(m, i == 0 ? "[" : ",");
        number(m, values[i], "");
    }
    put(m, "]");
}

void otlp_one_long(struct otlp_message *m, const struct otlp_field *f,
                   uint64_t value)
{
    struct proto packed = {0};

    if (m->json) {
        name(m, f);
        put(m, "[");
        number(m, value, "\"");
        put(m, "]");
        return;
    }
    proto_packed(&packed, value);
    proto_message(&m->out, f->number, &packed);
    proto_fini(&packed);
}

void otlp_string(struct otlp_message *m, const char *text)
{
    while (*text != '\0') {
        size_t n = text_character(text);
        char escaped[8];

        if (n == 0) {
            (void)snprintf(escaped, sizeof escaped, "%s\\x%02x",
                           m->json ? "\\" : "", (unsigned)(uint8_t)*text);
            put(m, escaped);
        } else {
            if (m->json && (*text == '"' || *text == '\\'))
                put(m, "\\");
            proto_append(&m->out, text, n);
        }
        text += n != 0 ? n : 1;
    }
}

void otlp_text(struct otlp_message *m, const struct otlp_field *f,
               const char *text)
{
    struct otlp_message own = {.json = m->json};

    if (text[0] == '\0')
        return;
    otlp_string(&own, text);
    if (m->json) {
        name(m, f);
        put(m, "\"");
        proto_append(&m->out, own.out.bytes, own.out.size);
        put(m, "\"");
        m->out.no_memory |= own.out.no_memory;
    } else {
        proto_message(&m->out, f->number, &own.out);
    }
    otlp_fini(&own);
}

void otlp_id(struct otlp_message *m, const struct otlp_field *f,
             const uint8_t *bytes, size_t size)
{
    char digits[3];

    if (!m->json) {
        proto_bytes(&m->out, f->number, bytes, size);
        return;
    }
    name(m, f);
    put(m, "\"");
    for (size_t i = 0; i < size; i++) {
        (void)snprintf(digits, sizeof digits, "%02x", bytes[i]);
        put(m, digits);
    }
    put(m, "\"");
}

/* Write (inner) between (open) and (close) in JSON, else after its length. */
static void enclose(struct otlp_message *m, const struct otlp_field *f,
                    struct otlp_message *inner, const char *open,
                    const char *close)
{
    m->out.no_memory |= inner->out.no_memory;
    if (m->json) {
        put(m, open);
        proto_append(&m->out, inner->out.bytes, inner->out.size);
        put(m, close);
    } else {
        proto_message(&m->out, f->number, &inner->out);
    }
    otlp_fini(inner);
}

void otlp_inner(struct otlp_message *m, const struct otlp_field *f,
                struct otlp_message *inner)
{
    if (m->json)
        name(m, f);
    enclose(m, f, inner, "{", "}");
}

void otlp_add(struct otlp_message *list, const struct otlp_field *f,
              struct otlp_message *inner, bool string)
{
    if (list->json && list->out.size != 0)
        put(list, ",");
    enclose(list, f, inner, string ? "\"" : "{", string ? "\"" : "}");
}

void otlp_list(struct otlp_message *m, const struct otlp_field *f,
               struct otlp_message *list)
{
    m->out.no_memory |= list->out.no_memory;
    if (m->json) {
        name(m, f);
        put(m, "[");
    }
    proto_append(&m->out, list->out.bytes, list->out.size);
    if (m->json)
        put(m, "]");
    otlp_fini(list);
}

void otlp_fini(struct otlp_message *m)
{
    proto_fini(&m->out);
    m->out = (struct proto){0};
}

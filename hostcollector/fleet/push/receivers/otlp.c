/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenTelemetry's protocol by HTTP, in Protocol Buffers or in JSON. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "export/stores/store_formats.h"
#include "fleet/push/receivers/receiver_kinds.h"

/* Field numbers of ExportProfilesServiceResponse: the message about rejected
 * profiles, and its fields. */
enum { PARTIAL_SUCCESS = 1, REJECTED = 1, WHY = 2 };

/* The unread bytes of a message. */
struct bytes {
    const uint8_t *at;
    size_t size;
};

static uint64_t varint(struct bytes *b)
{
    uint64_t value = 0;

    for (unsigned shift = 0; b->size > 0 && shift < 64; shift += 7) {
        uint8_t byte = *b->at++;

        b->size--;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    b->size = 0;
    return 0;
}

/* Read the next field of (b): its (value) or its (inner) bytes. Returns the
 * field's number; 0 if no field can be read. */
static uint64_t next(struct bytes *b, uint64_t *value, struct bytes *inner)
{
    uint64_t tag = varint(b);

    *value = 0;
    *inner = (struct bytes){NULL, 0};
    if ((tag & 7) == 0) {
        *value = varint(b);
    } else if ((tag & 7) == 2) {
        uint64_t size = varint(b);

        inner->at = b->at;
        inner->size = size < b->size ? (size_t)size : b->size;
        b->at += inner->size;
        b->size -= inner->size;
    } else {
        return 0;
    }
    return tag >> 3;
}

/* Reads the number of rejected profiles, as http_request.look(). */
static void look_at_proto(struct http_answer *a, const uint8_t *body,
                          size_t size)
{
    struct bytes answer = {body, size}, part, inner;
    uint64_t value, field;

    a->text[0] = '\0';

    while ((field = next(&answer, &value, &part)) != 0)
        while (field == PARTIAL_SUCCESS &&
               (field = next(&part, &value, &inner)) != 0) {
            if (field == REJECTED)
                a->rejected = value;
            if (field == WHY)
                (void)snprintf(a->text, sizeof a->text, "%.*s", (int)inner.size,
                               (const char *)inner.at);
            field = PARTIAL_SUCCESS;
        }
}

/* Reads the number of rejected profiles, as http_request.look(). In JSON,
 * numbers of 64 bits are strings, but some servers write numbers. */
static void look_at_json(struct http_answer *a, const uint8_t *body,
                         size_t size)
{
    json_t *answer = json_loadb((const char *)body, size, 0, NULL);
    json_t *part = json_object_get(answer, "partialSuccess");
    json_t *number = json_object_get(part, "rejectedProfiles");
    const char *text = json_string_value(number);
    const char *said = json_string_value(json_object_get(part, "errorMessage"));

    a->rejected = text != NULL ? strtoull(text, NULL, 10)
                               : (uint64_t)json_integer_value(number);
    (void)snprintf(a->text, sizeof a->text, "%s", said != NULL ? said : "");
    json_decref(answer);
}

static enum receiver_answer
judge_answer(struct receiver *r, const struct http_answer *a, struct err *e)
{
    enum receiver_answer answer = receiver_judge(r, a, e);

    if (answer == RECEIVER_LATER && a->status != HTTP_NONE &&
        a->status != 429 && a->status != 502 && a->status != 503 &&
        a->status != 504)
        return RECEIVER_REFUSED;
    if (answer != RECEIVER_TOOK || a->rejected == 0)
        return answer;
    (void)err_set(e, "it rejects %" PRIu64 " profiles%s%s", a->rejected,
                  a->text[0] != '\0' ? ": " : "", a->text);
    return RECEIVER_REFUSED;
}

static enum receiver_answer send_as(struct receiver *r, const struct parcel *p,
                                    bool json, struct err *e)
{
    struct http_request request = {
        .url = r->url,
        .headers = {json ? "Content-Type: application/json"
                         : "Content-Type: application/x-protobuf",
                    "Content-Encoding: gzip"},
        .body = p->parts[0],
        .look = json ? look_at_json : look_at_proto};
    struct http_answer a;

    http_send(r->http, &request, &a);
    return judge_answer(r, &a, e);
}

static enum receiver_answer send_proto(struct receiver *r,
                                       const struct parcel *p, size_t part,
                                       struct err *e)
{
    (void)part;
    return send_as(r, p, false, e);
}

static enum receiver_answer send_json(struct receiver *r,
                                      const struct parcel *p, size_t part,
                                      struct err *e)
{
    (void)part;
    return send_as(r, p, true, e);
}

const struct receiver_kind receiver_otlp = {
    .name = "otlp",
    .path = "/v1development/profiles",
    .parts = {&render_otlp},
    .send = send_proto,
};

const struct receiver_kind receiver_otlp_json = {
    .name = "otlp-json",
    .path = "/v1development/profiles",
    .parts = {&render_otlp_json},
    .send = send_json,
};

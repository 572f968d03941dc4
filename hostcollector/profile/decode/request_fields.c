/* SPDX-License-Identifier: BSD-2-Clause */
/* The bodies of REQUEST, REQUEST_TIMES and SLOW: WIRE.md 11. */
#include "profile/decode/field_rules.h"
#include "profile/decode/request_frames.h"

static const struct field_rule request_rules[] = {
    UINT(WIRE_REQUEST_KIND, guest_request, kind),
    RULE(WIRE_REQUEST_NAME, FIELD_TEXT, guest_request, name),
    UINT(WIRE_REQUEST_NOW, guest_request, now),
    UINT(WIRE_REQUEST_SINCE, guest_request, since),
    UINT(WIRE_REQUEST_COUNT, guest_request, count),
    UINT(WIRE_REQUEST_TIME, guest_request, times.time),
    UINT(WIRE_REQUEST_RUNNING, guest_request, times.running),
    UINT(WIRE_REQUEST_READY, guest_request, times.ready),
    UINT(WIRE_REQUEST_BLOCKED, guest_request, times.blocked),
    UINT(WIRE_REQUEST_LONGEST, guest_request, longest),
    UINT(WIRE_REQUEST_OPEN, guest_request, open),
    UINT(WIRE_REQUEST_REFUSED, guest_request, refused),
    UINT(WIRE_REQUEST_SLOW, guest_request, slow),
    UINT(WIRE_REQUEST_LIMIT, guest_request, limit),
};

static const struct field_rule slow_rules[] = {
    UINT(WIRE_SLOW_KIND, guest_slow, kind),
    UINT(WIRE_SLOW_NUMBER, guest_slow, number),
    UINT(WIRE_SLOW_BEGAN, guest_slow, began),
    UINT(WIRE_SLOW_TIME, guest_slow, times.time),
    UINT(WIRE_SLOW_RUNNING, guest_slow, times.running),
    UINT(WIRE_SLOW_READY, guest_slow, times.ready),
    UINT(WIRE_SLOW_BLOCKED, guest_slow, times.blocked),
    UINT(WIRE_SLOW_LONGEST, guest_slow, longest),
    TOLD(WIRE_SLOW_WAIT, FIELD_UINT, guest_slow, wait, has_wait),
    UINT(WIRE_SLOW_SERIAL, guest_slow, serial),
};

/* Are the parts of (t) at most the whole? */
static bool are_parts(const struct request_times *t)
{
    return t->running <= t->time && t->ready <= t->time - t->running &&
           t->blocked <= t->time - t->running - t->ready;
}

const char *fields_request(const uint8_t *body, size_t length,
                           struct guest_request *r)
{
    *r = (struct guest_request){0};
    const char *wrong = READ_FIELDS(body, length, r, request_rules, "REQUEST");

    if (wrong != NULL)
        return wrong;
    if (r->kind >= WIRE_REQUEST_KINDS)
        return "REQUEST of a kind above 31";
    if (r->since > r->now)
        return "REQUEST whose sums end before they begin";
    /* a request of several threads at a time has no time of its own */
    return are_parts(&r->times) && r->longest <= r->times.time
               ? NULL
               : "REQUEST whose times are longer than their sum";
}

const char *fields_slow(const uint8_t *body, size_t length,
                        struct guest_slow *s)
{
    *s = (struct guest_slow){0};
    const char *wrong = READ_FIELDS(body, length, s, slow_rules, "SLOW");

    if (wrong != NULL)
        return wrong;
    if (s->kind >= WIRE_REQUEST_KINDS)
        return "SLOW of a kind above 31";
    return are_parts(&s->times) && s->longest <= s->times.time
               ? NULL
               : "SLOW whose times are longer than the request";
}

/* Read the counts of (f) into (t). */
static const char *read_counts(struct guest_request_times *t,
                               const struct field *f)
{
    struct cursor c = cursor_init(f->bytes, f->length);

    for (t->count = 0; cursor_left(&c) != 0; t->count++) {
        t->buckets[t->count] = cursor_uleb(&c); /* at least a byte each */
        if (c.bad)
            return "a histogram of requests is cut";
    }
    return NULL;
}

const char *fields_request_times(const uint8_t *body, size_t length,
                                 struct guest_request_times *t)
{
    struct cursor c = cursor_init(body, length);
    const char *wrong = NULL;
    uint64_t first = 0, kind = 0;
    struct field f;

    *t = (struct guest_request_times){0};
    while (wrong == NULL && field_rules_next(&c, &f)) {
        if (f.tag == WIRE_REQUEST_TIMES_KIND)
            kind = f.value;
        else if (f.tag == WIRE_REQUEST_TIMES_FIRST)
            first = f.value;
        else if (f.tag == WIRE_REQUEST_TIMES_COUNTS)
            wrong = read_counts(t, &f);
    }
    if (wrong == NULL && c.bad)
        return "REQUEST_TIMES ends inside a field";
    if (wrong != NULL)
        return wrong;
    if (kind >= WIRE_REQUEST_KINDS)
        return "REQUEST_TIMES of a kind above 31";
    if (first > WIRE_REQUEST_BUCKETS || t->count > WIRE_REQUEST_BUCKETS - first)
        return "REQUEST_TIMES beyond the last bucket";
    t->kind = (uint8_t)kind;
    t->first = (uint16_t)first;
    return NULL;
}

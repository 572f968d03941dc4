/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests: records among samples, and frames with sums. */
#include "profile/decode/request_frames.h"

const char *request_frames_record(const struct samples_decoder *d,
                                  struct core *core, struct cursor *c)
{
    uint64_t kind = cursor_uleb(c);
    uint64_t number = cursor_uleb(c);

    core->request = 0;
    if (c->bad || kind >= WIRE_REQUEST_KINDS)
        return c->bad ? "a REQUEST record is cut"
                      : "a REQUEST record of a kind above 31";
    if (number != 0 && d->events->stack_of != NULL)
        core->request = (uint32_t)kind + 1;
    core->request_number = number;
    return NULL;
}

static const char *take_request(const struct samples_decoder *d,
                                const struct frame *f)
{
    struct guest_request r;
    const char *wrong = fields_request(f->body, f->length, &r);

    if (wrong == NULL && d->events->request != NULL)
        d->events->request(d->sums, &r);
    return wrong;
}

static const char *take_times(const struct samples_decoder *d,
                              const struct frame *f)
{
    struct guest_request_times t;
    const char *wrong = fields_request_times(f->body, f->length, &t);

    if (wrong == NULL && d->events->request_times != NULL)
        d->events->request_times(d->sums, &t);
    return wrong;
}

static const char *take_slow(const struct samples_decoder *d,
                             const struct frame *f)
{
    struct guest_slow s;
    const char *wrong = fields_slow(f->body, f->length, &s);

    if (wrong == NULL && d->events->slow != NULL)
        d->events->slow(d->sums, &s);
    return wrong;
}

bool request_frames_take(const struct samples_decoder *d, const struct frame *f,
                         const char **wrong)
{
    switch (f->type) {
    case WIRE_REQUEST:
        *wrong = take_request(d, f);
        return true;
    case WIRE_REQUEST_TIMES:
        *wrong = take_times(d, f);
        return true;
    case WIRE_SLOW:
        *wrong = take_slow(d, f);
        return true;
    default:
        return false;
    }
}

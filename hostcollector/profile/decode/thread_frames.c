/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads and locks: records among samples, and frames with sums. */
#include "profile/decode/thread_frames.h"

#include "profile/decode/fields.h"

const char *thread_frames_record(struct samples_decoder *d, struct core *core,
                                 struct cursor *c)
{
    uint64_t serial = cursor_uleb(c);
    uint64_t id = cursor_uleb(c);

    core->thread = core->request = 0;
    if (c->bad)
        return "a THREAD record is cut";
    if (d->events->runs != NULL && (serial != 0 || id != 0))
        core->thread = d->events->runs(d->sums, serial, id);
    return NULL;
}

void thread_frames_of_samples(const struct samples_decoder *d,
                              const struct core *core, struct sample *samples,
                              size_t count)
{
    /* neighbours often have the same stack */
    uint32_t plain = STACK_UNKNOWN, threaded = STACK_UNKNOWN;
    uint32_t request = core->request;

    if (request != 0 && count != 0 && d->events->request_of != NULL)
        request = d->events->request_of(d->sums, request - 1,
                                        core->request_number, samples[0].tsc);

    for (size_t i = 0; i < count; i++) {
        if (samples[i].stack != plain) {
            plain = samples[i].stack;
            threaded =
                d->events->stack_of(d->sums, plain, core->thread, request);
        }
        if (plain != STACK_UNKNOWN)
            samples[i].stack = threaded;
    }
}

static const char *take_thread(const struct samples_decoder *d,
                               const struct frame *f)
{
    struct guest_thread t;
    const char *wrong = fields_thread(f->body, f->length, &t);

    if (wrong == NULL && d->events->thread != NULL)
        d->events->thread(d->sums, &t);
    return wrong;
}

static const char *take_wait(const struct samples_decoder *d,
                             const struct frame *f)
{
    struct guest_wait w;
    const char *wrong = fields_wait(f->body, f->length, d->text_start, &w);

    if (wrong == NULL && d->events->wait != NULL)
        d->events->wait(d->sums, &w);
    return wrong;
}

static const char *take_sched(const struct samples_decoder *d,
                              const struct guest *g, const struct frame *f)
{
    struct guest_sched s;
    const char *wrong = fields_sched(f->body, f->length, &s);

    if (wrong != NULL)
        return wrong;
    if (s.core >= g->cores)
        return "SCHED of a core that HELLO does not have";
    if (d->events->sched != NULL)
        d->events->sched(d->sums, &s);
    return NULL;
}

static const char *take_lock(const struct samples_decoder *d,
                             const struct frame *f)
{
    struct guest_lock l;
    const char *wrong = fields_lock(f->body, f->length, &l);

    if (wrong == NULL && d->events->lock != NULL)
        d->events->lock(d->sums, &l);
    return wrong;
}

static const char *take_lock_wait(const struct samples_decoder *d,
                                  const struct frame *f)
{
    struct guest_lock_wait w;
    const char *wrong = fields_lock_wait(f->body, f->length, d->text_start, &w);

    if (wrong == NULL && d->events->lock_wait != NULL)
        d->events->lock_wait(d->sums, &w);
    return wrong;
}

bool thread_frames_take(const struct samples_decoder *d, const struct guest *g,
                        const struct frame *f, const char **wrong)
{
    switch (f->type) {
    case WIRE_THREAD:
        *wrong = take_thread(d, f);
        return true;
    case WIRE_WAIT:
        *wrong = take_wait(d, f);
        return true;
    case WIRE_SCHED:
        *wrong = take_sched(d, g, f);
        return true;
    case WIRE_LOCK:
        *wrong = take_lock(d, f);
        return true;
    case WIRE_LOCK_WAIT:
        *wrong = take_lock_wait(d, f);
        return true;
    default:
        return false;
    }
}

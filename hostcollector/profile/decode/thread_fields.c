/* SPDX-License-Identifier: BSD-2-Clause */
/* The bodies of THREAD, WAIT and SCHED: WIRE.md 10. */
#include "profile/decode/field_rules.h"
#include "profile/decode/fields.h"

static const struct field_rule thread_rules[] = {
    UINT(WIRE_THREAD_SERIAL, guest_thread, serial),
    UINT(WIRE_THREAD_ID, guest_thread, id),
    RULE(WIRE_THREAD_NAME, FIELD_TEXT, guest_thread, name),
    RULE(WIRE_THREAD_FLAGS, FIELD_FLAGS, guest_thread, flags),
    UINT(WIRE_THREAD_NOW, guest_thread, now),
    UINT(WIRE_THREAD_SINCE, guest_thread, since),
    UINT(WIRE_THREAD_STATE, guest_thread, state),
    UINT(WIRE_THREAD_RUNNING, guest_thread, running),
    UINT(WIRE_THREAD_READY, guest_thread, ready),
    UINT(WIRE_THREAD_BLOCKED, guest_thread, blocked),
    UINT(WIRE_THREAD_SWITCHES, guest_thread, switches),
    TOLD(WIRE_THREAD_WAIT, FIELD_UINT, guest_thread, wait, has_wait),
};

static const struct field_rule wait_rules[] = {
    UINT(WIRE_WAIT_KIND, guest_wait, kind),
    UINT(WIRE_WAIT_SERIAL, guest_wait, serial),
    TOLD(WIRE_WAIT_STACK, FIELD_CHAIN, guest_wait, frames, depth),
    UINT(WIRE_WAIT_END, guest_wait, end),
    UINT(WIRE_WAIT_COUNT, guest_wait, count),
    UINT(WIRE_WAIT_TIME, guest_wait, time),
    UINT(WIRE_WAIT_LONGEST, guest_wait, longest),
    UINT(WIRE_WAIT_ENTRY, guest_wait, entry),
};

static const struct field_rule sched_rules[] = {
    UINT(WIRE_SCHED_CORE, guest_sched, core),
    UINT(WIRE_SCHED_NOW, guest_sched, now),
    UINT(WIRE_SCHED_SINCE, guest_sched, since),
    UINT(WIRE_SCHED_SWITCHES, guest_sched, switches),
    UINT(WIRE_SCHED_RUNNING, guest_sched, running),
    UINT(WIRE_SCHED_IDLE, guest_sched, idle),
    UINT(WIRE_SCHED_UNNAMED, guest_sched, unnamed),
    UINT(WIRE_SCHED_MOVED, guest_sched, moved),
    TOLD(WIRE_SCHED_READY_IDLE, FIELD_UINT, guest_sched, ready_idle,
         has_ready_idle),
    RULE(WIRE_SCHED_HISTOGRAM, FIELD_CLASSES, guest_sched, ready),
    UINT(WIRE_SCHED_EVICTED, guest_sched, evicted),
    UINT(WIRE_SCHED_REFUSED, guest_sched, refused),
};

/* Do three times add up to the time from (since) to (now)? */
static bool add_up(uint64_t since, uint64_t now, uint64_t a, uint64_t b,
                   uint64_t c)
{
    uint64_t all = now - since;

    return since <= now && a <= all && b <= all - a && c == all - a - b;
}

const char *fields_thread(const uint8_t *body, size_t length,
                          struct guest_thread *t)
{
    *t = (struct guest_thread){.state = WIRE_IS_UNKNOWN};
    const char *wrong = READ_FIELDS(body, length, t, thread_rules, "THREAD");

    if (wrong != NULL)
        return wrong;
    if (t->serial == 0)
        return "THREAD without a serial number";
    if (t->state >= WIRE_IS_UNKNOWN && !(t->flags & WIRE_THREAD_ENDED))
        t->since = t->now; /* nothing is known about the time before */
    return add_up(t->since, t->now, t->running, t->ready, t->blocked)
               ? NULL
               : "THREAD whose running, ready and blocked time do not add up "
                 "to its time";
}

const char *fields_wait(const uint8_t *body, size_t length, uint64_t text_start,
                        struct guest_wait *w)
{
    *w = (struct guest_wait){.end = WIRE_END_REASONS};
    const char *wrong = READ_FIELDS(body, length, w, wait_rules, "WAIT");

    if (wrong != NULL || w->kind > WIRE_WAIT_WAKER)
        return wrong != NULL ? wrong : "WAIT of an unknown kind";
    if (w->longest > w->time)
        return "WAIT whose longest wait is longer than all waits";
    if (w->end > WIRE_END_REASONS)
        w->end = WIRE_END_REASONS;
    for (size_t i = 0; i < w->depth; i++)
        w->frames[i] += text_start;
    return NULL;
}

const char *fields_sched(const uint8_t *body, size_t length,
                         struct guest_sched *s)
{
    *s = (struct guest_sched){0};
    const char *wrong = READ_FIELDS(body, length, s, sched_rules, "SCHED");

    if (wrong != NULL)
        return wrong;
    return add_up(s->since, s->now, s->running, s->idle, s->unnamed)
               ? NULL
               : "SCHED whose running, idle and unnamed time do not add up to "
                 "its core's time";
}

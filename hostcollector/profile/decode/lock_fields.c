/* SPDX-License-Identifier: BSD-2-Clause */
/* The bodies of LOCK and LOCK_WAIT: WIRE.md 12. */
#include "profile/decode/field_rules.h"
#include "profile/decode/fields.h"

/* A member's name cannot stand in parentheses.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define TIMES(tag, type, member)                                               \
    UINT((tag) + WIRE_LOCK_COUNT, type, member.count),                         \
        UINT((tag) + WIRE_LOCK_TIME, type, member.time),                       \
        UINT((tag) + WIRE_LOCK_READY, type, member.ready),                     \
        UINT((tag) + WIRE_LOCK_BLOCKED, type, member.blocked),                 \
        UINT((tag) + WIRE_LOCK_LEAST, type, member.least),                     \
        UINT((tag) + WIRE_LOCK_LONGEST, type, member.longest)
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct field_rule lock_rules[] = {
    UINT(WIRE_LOCK_ADDRESS, guest_lock, address),
    RULE(WIRE_LOCK_NAME, FIELD_TEXT, guest_lock, name),
    UINT(WIRE_LOCK_NOW, guest_lock, now),
    UINT(WIRE_LOCK_SINCE, guest_lock, since),
    UINT(WIRE_LOCK_ACQUIRES, guest_lock, acquires),
    UINT(WIRE_LOCK_WAITING, guest_lock, waiting),
    UINT(WIRE_LOCK_MOST_WAITING, guest_lock, most_waiting),
    TOLD(WIRE_LOCK_HOLDING, FIELD_UINT, guest_lock, holding, is_held),
    UINT(WIRE_LOCK_UNTIMED, guest_lock, untimed),
    TIMES(WIRE_LOCK_WAITS, guest_lock, waits),
    TIMES(WIRE_LOCK_HOLDS, guest_lock, holds),
};

static const struct field_rule lock_wait_rules[] = {
    UINT(WIRE_LOCK_WAIT_ADDRESS, guest_lock_wait, address),
    UINT(WIRE_LOCK_WAIT_KIND, guest_lock_wait, kind),
    UINT(WIRE_LOCK_WAIT_SERIAL, guest_lock_wait, serial),
    TOLD(WIRE_LOCK_WAIT_STACK, FIELD_CHAIN, guest_lock_wait, frames, depth),
    UINT(WIRE_LOCK_WAIT_END, guest_lock_wait, end),
    UINT(WIRE_LOCK_WAIT_ENTRY, guest_lock_wait, entry),
    TIMES(WIRE_LOCK_WAIT_TIMES, guest_lock_wait, waits),
};

/* Can these be the sums of (t->count) spans of time? */
static bool are_possible(const struct lock_times *t)
{
    return t->ready <= t->time && t->blocked <= t->time - t->ready &&
           t->least <= t->longest && t->longest <= t->time;
}

const char *fields_lock(const uint8_t *body, size_t length,
                        struct guest_lock *l)
{
    *l = (struct guest_lock){0};
    const char *wrong = READ_FIELDS(body, length, l, lock_rules, "LOCK");

    if (wrong != NULL)
        return wrong;
    if (l->since > l->now)
        return "LOCK whose sums end before they begin";
    if (!are_possible(&l->waits) || !are_possible(&l->holds))
        return "LOCK whose times contradict each other";
    return l->holds.time <= l->now - l->since
               ? NULL
               : "LOCK that was held for longer than its time";
}

const char *fields_lock_wait(const uint8_t *body, size_t length,
                             uint64_t text_start, struct guest_lock_wait *w)
{
    *w = (struct guest_lock_wait){.end = WIRE_END_REASONS};
    const char *wrong =
        READ_FIELDS(body, length, w, lock_wait_rules, "LOCK_WAIT");

    if (wrong != NULL || w->kind > WIRE_LOCK_HELD)
        return wrong != NULL ? wrong : "LOCK_WAIT of an unknown kind";
    if (!are_possible(&w->waits))
        return "LOCK_WAIT whose times contradict each other";
    if (w->end > WIRE_END_REASONS)
        w->end = WIRE_END_REASONS;
    for (size_t i = 0; i < w->depth; i++)
        w->frames[i] += text_start;
    return NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* One core's time line: samples and losses in each second. */
#include "profile/aggregate/gathered.h"

/* Limit of the time line, 18 hours, so that a wrong clock costs no more
 * memory. */
#define SECONDS_MAX 65536u
#define SPREAD_MAX  600u /* most seconds over which one loss is spread */

struct profile_second *seconds_at(struct second_list *s, uint64_t hz,
                                  int64_t ticks, struct budget *b)
{
    int64_t second = (int64_t)hz;
    int64_t number = second == 0 || ticks < 0 ? 0 : ticks / second;

    if (s->last && ticks >= s->from && ticks < s->to)
        return s->last;
    if (number >= SECONDS_MAX)
        return NULL;
    struct profile_second *list =
        budget_grow(b, s->list, &s->capacity, (size_t)number + 1, sizeof *list);

    if (!list)
        return NULL;
    s->list = list;
    if (s->count <= (size_t)number)
        s->count = (size_t)number + 1;
    s->last = &list[number];
    s->from = number == 0 ? INT64_MIN : number * second;
    s->to = second == 0 ? INT64_MAX : (number + 1) * second;
    return s->last;
}

/* Spread (lost) evenly over the seconds from (from) to (to), or over
 * SPREAD_MAX parts, since many such records must not take long. */
void seconds_lose(struct second_list *s, uint64_t hz, uint64_t lost,
                  int64_t from, int64_t to, struct budget *b)
{
    int64_t step = (int64_t)hz;
    bool within_one = step == 0 || from < 0 || to <= from;
    uint64_t parts = within_one ? 1 : (uint64_t)(to / step - from / step) + 1;
    uint64_t told = 0;

    if (from > INT64_MAX / 2)
        return; /* a wrong clock */
    if (parts > SPREAD_MAX) {
        parts = SPREAD_MAX;
        step = (to - from) / (int64_t)SPREAD_MAX;
    }
    for (uint64_t i = 1; i <= parts; i++, from += step) {
        uint64_t until = lost / parts * i + lost % parts * i / parts;
        struct profile_second *second = seconds_at(s, hz, from, b);

        if (second)
            second->lost += (uint32_t)(until - told);
        told = until;
    }
}

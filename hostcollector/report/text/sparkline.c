/* SPDX-License-Identifier: BSD-2-Clause */
/* The time line of a core, one character for each slice of the run. */
#include "report/table.h"

#include "diagnose/selected.h"

/* Characters of a time line, by the width of the text. */
#define ROOM_SMALL  8
#define ROOM_NARROW 12
#define ROOM_USUAL  20
#define ROOM_WIDE   40
#define NARROW      70
#define USUAL       100
#define WIDE        160
/* A slice that lost a larger part is marked, because the rest says little. */
#define LOST_TOLD   .1

static double room_of(const struct report *r)
{
    size_t columns = table_columns(r);

    return columns < NARROW  ? ROOM_SMALL
           : columns < USUAL ? ROOM_NARROW
           : columns < WIDE  ? ROOM_USUAL
                             : ROOM_WIDE;
}

struct timeline *table_strip_new(const struct report *r)
{
    struct selected_range span = selected_span(r->profile);

    return r->view->idle_unknown
               ? NULL
               : timeline_round(r->profile, r->view, span.from_s, span.to_s,
                                room_of(r));
}

/* A sign for (s): the busier the core, the more ink. */
static char sign_of(const struct timeline_slice *s)
{
    double busy = s->busy + s->unseen, all = busy + s->idle;
    double share = all > 0 ? busy / all : 0;

    if (s->lost > LOST_TOLD * (all + s->lost))
        return '!';
    if (!(all > 0))
        return ' ';
    return share < .05 ? '.' : share < .35 ? '-' : share < .7 ? '+' : '#';
}

void table_strip(FILE *out, const struct timeline *t, size_t core)
{
    for (size_t i = 0; i < t->count; i++)
        (void)putc(sign_of(timeline_at(t, core, i)), out);
}

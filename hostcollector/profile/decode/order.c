/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts frames by their sequence numbers. */
#include "profile/decode/frame.h"

static struct order_seen *seen_at(struct order *o, uint16_t seq)
{
    return &o->seen[seq % ORDER_WINDOW];
}

/* Note (f) as used, the last of (count) frames. */
static void pass(struct order *o, const struct frame *f, uint32_t count)
{
    uint32_t latest = o->latest_next++ % ORDER_WINDOW;

    *seen_at(o, f->seq) = (struct order_seen){f->seq, o->session};
    o->latest_crc[latest] = f->crc;
    o->latest_seq[latest] = f->seq;
    o->next = (uint16_t)(f->seq + 1);
    o->passed += count;
    if (o->passed > ORDER_WINDOW)
        o->passed = ORDER_WINDOW;
}

void order_begin(struct order *o, const struct frame *f)
{
    o->session = (uint16_t)(o->session + 1);
    if (o->session == 0)
        o->session = 1;
    o->passed = 0;
    pass(o, f, 1);
}

/* Was an equal frame among the latest ones? Called only for frames that have
 * counters, because other frames are alike in every session. */
static bool is_copy(const struct order *o, const struct frame *f)
{
    if (f->type != WIRE_SAMPLES && f->type != WIRE_STATS)
        return false;
    for (uint32_t i = 0; i < ORDER_WINDOW; i++)
        if (o->latest_crc[i] == f->crc && o->latest_seq[i] == f->seq)
            return i < o->latest_next;
    return false;
}

/* The place of a frame that is (behind) frames before the next one, 1 or
 * more. */
static enum order_place place_behind(struct order *o, const struct frame *f,
                                     uint16_t behind)
{
    const struct order_seen *s = seen_at(o, f->seq);
    bool seen = s->session == o->session && s->seq == f->seq;

    if (is_copy(o, f))
        return ORDER_AGAIN;

    /* back if the frame is of another session, too old to know, or differs */
    return behind > o->passed || seen ? ORDER_BACK : ORDER_LATE;
}

enum order_place order_take(struct order *o, const struct frame *f,
                            uint16_t *missing)
{
    uint16_t ahead = (uint16_t)(f->seq - o->next);
    enum order_place place = ahead == 0 ? ORDER_NEXT : ORDER_AHEAD;

    *missing = 0;
    if (ahead > INT16_MAX)
        place = place_behind(o, f, (uint16_t)(o->next - f->seq));
    if (place == ORDER_AHEAD)
        *missing = ahead;
    if (place != ORDER_AGAIN && place != ORDER_LATE)
        pass(o, f, *missing + 1u);
    return place;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries and frames of requests (WIRE.md 11) */
#include "arch/arch.h"
#include "encode/encode.h"
#include "requests/request_tables.h"
#include "threads/thread_entries.h"

#define VARINT 5u /* bytes of a 32-bit integer */

/* The entries are numbered: for each kind its sums and the slices of its
 * histogram, TPROF_TIMES_ENTRIES for each slice, of which the first one does
 * the work; then the slow requests; then the open requests, which are cleared.
 */
#define OF_KIND (1 + TPROF_TIMES_SLICES * TPROF_TIMES_ENTRIES)

/* Returns the slice of an entry of a kind. An entry without work: -1 */
static int slice_of(uint32_t entry)
{
    uint32_t at = entry % OF_KIND - 1;

    return at % TPROF_TIMES_ENTRIES ? -1 : (int)(at / TPROF_TIMES_ENTRIES);
}

static uint32_t first_slow(void)
{
    return tprof_request_tables.kinds * OF_KIND;
}

static uint32_t first_open(void)
{
    return first_slow() +
           tprof_request_tables.kinds * tprof_request_tables.slows;
}

/* --- Begin ---------------------------------------------------------------- */

static void clear_sums(struct tprof_request_kind *k)
{
    _Atomic uint64_t *sum[] = {&k->count, &k->time,    &k->longest, &k->begun,
                               &k->slow,  &k->refused, &k->limit};

    for (uint32_t i = 0; i < sizeof sum / sizeof *sum; i++)
        atomic_store_explicit(sum[i], 0, memory_order_relaxed);
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        atomic_store_explicit(&k->ticks[i], 0, memory_order_relaxed);
}

static void clear_entry(uint32_t entry)
{
    const struct tprof_request_tables *tables = &tprof_request_tables;

    if (entry >= first_open()) {
        struct tprof_open_request *o = &tables->open[entry - first_open()];

        atomic_store_explicit(&o->work, NULL, memory_order_relaxed);
        tprof_request_give(&o->state, TPROF_REQUEST_FREE);
        return;
    }
    if (entry >= first_slow()) {
        tprof_request_give(&tables->slow[entry - first_slow()].state,
                           TPROF_REQUEST_FREE);
        return;
    }
    struct tprof_request_kind *k = &tables->kind[entry / OF_KIND];

    if (entry % OF_KIND == 0) {
        clear_sums(k);
        return;
    }
    int slice = slice_of(entry);

    if (slice < 0)
        return;
    k->told[slice] = 0;
    for (uint32_t i = 0; i < TPROF_TIMES_SLICE; i++)
        atomic_store_explicit(
            &k->bucket[(uint32_t)slice * TPROF_TIMES_SLICE + i], 0,
            memory_order_relaxed);
}

static void begin_requests(uint64_t now)
{
    struct tprof_request_tables *tables = &tprof_request_tables;

    tables->since = now;
    atomic_store_explicit(&tables->counted, tables->kinds,
                          memory_order_release);
}

/* After this the tables may get other memory, in another life of the agent. */
static void end_requests(void)
{
    atomic_store_explicit(&tprof_request_tables.counted, 0,
                          memory_order_relaxed);
}

/* --- The limit of slow requests ------------------------------------------- */

/* Sets the limit of (k) to the 99th percentile: the start of the bucket that
 * has it, or its end if there are many requests in it. All slices have just
 * been counted in (told). */
static void set_limit(struct tprof_request_kind *k)
{
    uint64_t all = 0, above = 0;
    uint32_t slice = TPROF_TIMES_SLICES;

    for (uint32_t i = 0; i < TPROF_TIMES_SLICES; i++)
        all += k->told[i];
    if (all < 100)
        return; /* too few */
    while (slice > 0 && above + k->told[slice - 1] < all / 100)
        above += k->told[--slice];
    uint32_t bucket = slice * TPROF_TIMES_SLICE;

    for (uint32_t i = 0; i < TPROF_TIMES_SLICE && above < all / 100; i++)
        above +=
            atomic_load_explicit(&k->bucket[--bucket], memory_order_relaxed);
    bucket += above > all / 50;
    atomic_store_explicit(&k->limit, tprof_request_bucket_start(bucket),
                          memory_order_relaxed);
}

/* --- Frames --------------------------------------------------------------- */

static uint64_t get(const _Atomic uint64_t *sum)
{
    return atomic_load_explicit(sum, memory_order_relaxed);
}

static int put_kind(struct tprof_frame *f, uint32_t kind)
{
    const struct tprof_request_kind *k = &tprof_request_tables.kind[kind];
    uint64_t ticks[TPROF_THREAD_TIMES];
    /* acquire, all: pair with the releases in add_request(), request_calls.c.
     * Reads first what calls write last, so that each part and the longest
     * time belong to a request whose time is in the sum. */
    uint64_t longest = atomic_load_explicit(&k->longest, memory_order_acquire);
    uint64_t count = atomic_load_explicit(&k->count, memory_order_acquire);

    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        ticks[i] = atomic_load_explicit(&k->ticks[i], memory_order_acquire);
    uint64_t begun = get(&k->begun);

    tprof_frame_field(f, WIRE_REQUEST_KIND, kind);
    tprof_thread_entries_put_name(f, WIRE_REQUEST_NAME, k->name);
    tprof_frame_field(f, WIRE_REQUEST_NOW, tprof_sums_now());
    tprof_frame_field(f, WIRE_REQUEST_SINCE, tprof_request_tables.since);
    tprof_frame_field(f, WIRE_REQUEST_COUNT, count);
    tprof_frame_field(f, WIRE_REQUEST_TIME, get(&k->time));
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        tprof_frame_field(f, WIRE_REQUEST_RUNNING + i, ticks[i]);
    tprof_frame_field(f, WIRE_REQUEST_LONGEST, longest);
    tprof_frame_field(f, WIRE_REQUEST_OPEN, begun > count ? begun - count : 0);
    tprof_frame_field(f, WIRE_REQUEST_REFUSED, get(&k->refused));
    tprof_frame_field(f, WIRE_REQUEST_SLOW, get(&k->slow));
    tprof_frame_field(f, WIRE_REQUEST_LIMIT, get(&k->limit));
    return WIRE_REQUEST;
}

static int put_slice(struct tprof_frame *f, uint32_t kind, uint32_t slice,
                     bool all)
{
    struct tprof_request_kind *k = &tprof_request_tables.kind[kind];
    uint32_t count[TPROF_TIMES_SLICE], sum = 0;

    for (uint32_t i = 0; i < TPROF_TIMES_SLICE; i++) {
        count[i] = atomic_load_explicit(
            &k->bucket[slice * TPROF_TIMES_SLICE + i], memory_order_relaxed);
        sum += count[i];
    }
    bool has_changed = k->told[slice] != sum;

    k->told[slice] = sum;
    if (slice == TPROF_TIMES_SLICES - 1)
        set_limit(k);
    if (!has_changed && (!all || sum == 0))
        return 0;
    uint8_t counts[TPROF_TIMES_SLICE * VARINT];
    uint8_t *at = counts;

    for (uint32_t i = 0; i < TPROF_TIMES_SLICE; i++)
        at = tprof_encode_varint(at, count[i]);
    tprof_frame_field(f, WIRE_REQUEST_TIMES_KIND, kind);
    tprof_frame_field(f, WIRE_REQUEST_TIMES_FIRST, slice * TPROF_TIMES_SLICE);
    tprof_frame_bytes(f, WIRE_REQUEST_TIMES_COUNTS, counts,
                      (uint32_t)(at - counts));
    return WIRE_REQUEST_TIMES;
}

static int put_slow(struct tprof_frame *f, uint32_t entry)
{
    const struct tprof_request_tables *tables = &tprof_request_tables;
    struct tprof_slow_request *s = &tables->slow[entry];

    if (!tprof_request_take(&s->state, TPROF_REQUEST_KEPT))
        return 0;
    tprof_frame_field(f, WIRE_SLOW_KIND, entry / tables->slows);
    tprof_frame_field(f, WIRE_SLOW_NUMBER, s->number);
    tprof_frame_field(f, WIRE_SLOW_BEGAN, s->begun);
    tprof_frame_field(f, WIRE_SLOW_TIME, get(&s->time));
    for (uint32_t i = 0; i < TPROF_THREAD_TIMES; i++)
        tprof_frame_field(f, WIRE_SLOW_RUNNING + i, s->ticks[i]);
    if (s->longest != 0) {
        tprof_frame_field(f, WIRE_SLOW_LONGEST,
                          s->longest >> TPROF_LONGEST_SHIFT);
        tprof_frame_field(f, WIRE_SLOW_WAIT,
                          s->longest % (1u << TPROF_LONGEST_SHIFT));
    }
    if (s->serial != 0)
        tprof_frame_field(f, WIRE_SLOW_SERIAL, s->serial);
    tprof_request_give(&s->state, TPROF_REQUEST_FREE);
    return WIRE_SLOW;
}

static int put_entry(struct tprof_frame *f, uint32_t entry, bool all)
{
    if (entry >= first_open())
        return 0;
    if (entry >= first_slow())
        return put_slow(f, entry - first_slow());
    if (entry % OF_KIND == 0)
        return put_kind(f, entry / OF_KIND);
    int slice = slice_of(entry);

    return slice < 0 ? 0 : put_slice(f, entry / OF_KIND, (uint32_t)slice, all);
}

struct tprof_sums_part tprof_request_entries = {
    .clear = clear_entry,
    .begin = begin_requests,
    .end = end_requests,
    .put = put_entry,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows: spans of one guest, each a recording of its own. */
#include "recording/spool/spool_window.h"

#include <stdlib.h>
#include <string.h>

#include "recording/packed/format.h"
#include "recording/packed/pack_stacks.h"
#include "recording/packed/window_parts.h"
#include "recording/recording_format.h"
#include "util/bytes.h"
#include "util/hash.h"
#include "util/vec.h"

#define CHUNK_SAMPLES (PACKED_BLOCK_MAX / 16) /* of a chunk, about */

#define RUNS 256u /* bytes for the first runs of a core */

_Static_assert(sizeof(struct window_sample) == SPOOL_WINDOW_SAMPLE,
               "spool_window.h");

struct window_packer *window_packer_new(uint64_t samples, uint64_t stacks)
{
    struct window_packer *w = calloc(1, sizeof *w);

    if (w == NULL)
        return NULL;
    w->samples_max = w->samples_budget.left = samples;
    w->stacks_max = w->stacks_budget.left = stacks;
    w->stacks.seed = hash_seed();
    return w;
}

void window_packer_free(struct window_packer *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->core_room; i++) {
        free(w->cores[i].samples);
        free(w->cores[i].odd);
        free(w->cores[i].runs);
        free(w->cores[i].lost);
    }
    stack_pool_fini(&w->stacks);
    free(w->cores);
    free(w->done);
    free(w);
}

void spool_window_clock(struct window_packer *w, uint64_t tsc_hz)
{
    w->tsc_hz = tsc_hz;
}

bool spool_window_is_full(const struct window_packer *w)
{
    return w->full || w->done_size > w->samples_max / 2;
}

static bool is_short_of_stacks(const struct window_packer *w)
{
    return w->stacks_budget.left < w->stacks_max / 8;
}

bool spool_window_wants_reset(const struct window_packer *w)
{
    return is_short_of_stacks(w);
}

bool spool_window_wants_memory(const struct window_packer *w)
{
    return spool_window_is_full(w) || is_short_of_stacks(w);
}

void spool_window_allow(struct window_packer *w, uint64_t bytes)
{
    if (is_short_of_stacks(w)) {
        w->stacks_max += bytes;
        w->stacks_budget.left += bytes;
    } else {
        w->samples_max += bytes;
        w->samples_budget.left += bytes;
        w->full = false;
    }
}

void spool_window_forget(struct window_packer *w)
{
    uint64_t seed = w->stacks.seed;

    stack_pool_fini(&w->stacks);
    w->stacks = (struct stack_pool){.seed = seed};
    w->stacks_budget.left = w->stacks_max;
}

static struct window_core *core_of(struct window_packer *w, uint32_t core)
{
    return core < w->core_room ? &w->cores[core] : NULL;
}

bool spool_window_has_room(const struct window_packer *w, uint32_t core,
                           size_t count)
{
    const struct window_core *c = core < w->core_room ? &w->cores[core] : NULL;
    uint64_t needs = count * sizeof(struct window_odd) + RUNS;

    if (c == NULL || c->room - c->count < count)
        needs += count * sizeof(struct window_sample);
    return needs <= w->samples_budget.left;
}

static int make_cores(struct window_packer *w, uint32_t cores, struct err *e)
{
    struct window_core *list;

    if (cores <= w->core_room)
        return 0;
    list = realloc(w->cores, cores * sizeof *list);
    if (list == NULL)
        return err_set(e, "window: no memory for %u cores", cores);
    memset(list + w->core_room, 0, (cores - w->core_room) * sizeof *list);
    w->cores = list;
    w->core_room = cores;
    return 0;
}

/* Begin another session: facts of the last session do not apply to it. */
static void begin_session(struct window_packer *w, enum hello_kind kind)
{
    for (size_t i = 0; i < w->core_room; i++) {
        w->cores[i].session = w->cores[i].account;
        w->cores[i].has_stats = w->cores[i].has_first = false;
        w->cores[i].has_offset = false;
    }
    if (kind == HELLO_REBOOT)
        w->map_count = 0;
    memset(w->has_progress, 0, sizeof w->has_progress);
    w->boot_told = false;
}

static int on_hello(void *context, enum hello_kind kind, const struct guest *g,
                    struct err *e)
{
    struct window_packer *w = context;

    if (kind == HELLO_SESSION || kind == HELLO_REBOOT) {
        /* after a failure the next account counts the missing samples */
        w->failed |= window_seal(w, 0, false, e) != 0;
        begin_session(w, kind);
    }
    if (make_cores(w, g->cores, e) != 0)
        return -1;
    w->guest = *g;
    w->has_guest = true;
    return 0;
}

static uint32_t on_stack(void *context, uint32_t core, const struct stack *s)
{
    struct window_packer *w = context;
    struct stack kept = *s;

    (void)core;
    if (kept.loaded)
        kept.end |= PACK_LOADED;
    return stack_pool_add(&w->stacks, &kept, &w->stacks_budget);
}

/* Begin a run, unless the samples of (b) continue the core's last run. False
 * if there is no memory. */
static bool begin_run(struct window_packer *w, struct window_core *c,
                      const struct sample_batch *b)
{
    struct window_run run = {c->count, b->period, b->shift};

    if (c->run_count != 0 && c->runs != NULL && c->count != 0) {
        const struct window_run *last = &c->runs[c->run_count - 1];

        if (last->period == run.period && last->shift == run.shift &&
            c->samples[c->count - 1].tsc <= b->samples[0].tsc)
            return true;
    }
    if (budget_make_room(&w->samples_budget, &c->runs, &c->run_room,
                         c->run_count + 1, sizeof run) != 0)
        return false;
    c->runs[c->run_count++] = run;
    return true;
}

/* The lateness of (s) as in struct window_sample; its rest becomes an element
 * of (odd) if necessary. UINT32_MAX if there is no memory. */
static uint32_t keep_rest(struct window_packer *w, struct window_core *c,
                          const struct sample *s)
{
    if (s->weight == 1 && s->flags == 0 && s->late < WINDOW_ODD)
        return s->late;
    if (c->odd_count >= UINT32_MAX - WINDOW_ODD ||
        budget_make_room(&w->samples_budget, &c->odd, &c->odd_room,
                         c->odd_count + 1, sizeof *c->odd) != 0)
        return UINT32_MAX;
    c->odd[c->odd_count] = (struct window_odd){s->late, s->weight, s->flags};
    return WINDOW_ODD + (uint32_t)c->odd_count++;
}

/* Samples for which there is no memory count as lost, since the account has
 * them. */
static void on_samples(void *context, const struct sample_batch *b)
{
    struct window_packer *w = context;
    struct window_core *c = core_of(w, b->core);

    if (c == NULL || b->count == 0 || w->done_size > w->samples_max ||
        !begin_run(w, c, b))
        return;
    w->full |= budget_make_room(&w->samples_budget, &c->samples, &c->room,
                                c->count + b->count, sizeof *c->samples) != 0;
    for (size_t i = 0; i < b->count && c->count < c->room; i++) {
        const struct sample *s = &b->samples[i];
        uint32_t rest = keep_rest(w, c, s);

        if (rest == UINT32_MAX)
            return;
        c->samples[c->count++] =
            (struct window_sample){s->tsc, s->leaf, s->stack, rest};
        w->kept++;
    }
    w->full |= c->room - c->count < c->room / 8 &&
               w->samples_budget.left < c->room / 8 * sizeof *c->samples;
}

static void on_loss(void *context, const struct loss *loss)
{
    struct window_packer *w = context;
    struct window_core *c = core_of(w, loss->core);

    if (c == NULL || loss->reason == LOSS_TRANSPORT ||
        budget_make_room(&w->samples_budget, &c->lost, &c->lost_room,
                         c->lost_count + 1, sizeof *c->lost) != 0)
        return;
    c->lost[c->lost_count++] = (struct window_lost){
        .at = c->count,
        .ticks = loss->ticks,
        .missed = loss->missed,
        .counter = loss->reason == LOSS_RING_FULL ? WIRE_COUNTER_RING_FULL
                                                  : WIRE_COUNTER_REENTERED,
    };
}

static void on_account(void *context, uint32_t core, const struct account *a)
{
    struct window_packer *w = context;
    struct window_core *c = core_of(w, core);
    struct err ignored;

    if (c == NULL)
        return;
    c->account = *a;
    c->heard = true;
    /* blocks are limited; here, each core is at the end of a frame */
    if (w->kept >= CHUNK_SAMPLES)
        w->failed |= window_seal(w, 0, true, &ignored) != 0;
}

static void on_stats(void *context, const struct core_stats *s)
{
    struct window_packer *w = context;
    struct window_core *c = core_of(w, s->core);
    uint64_t told[WIRE_COUNTERS];

    if (c == NULL)
        return;
    c->stats = *s;
    c->has_stats = true;
    if (!c->has_first)
        c->first = *s;
    c->has_first = true;
    if (!s->has_began || c->has_offset)
        return;
    c->has_offset = true;
    memset(c->offset, 0, sizeof c->offset);
    window_counters(c, &c->session, told);
    for (size_t i = 0; i < WIRE_COUNTERS; i++)
        c->offset[i] = s->began[i] - told[i];
}

static void on_progress(void *context, const struct guest_progress *p)
{
    struct window_packer *w = context;

    if (p->mark != 0)
        return; /* no window begins at boot */

    bool first = !w->has_progress[p->counter] ||
                 w->progress_began[p->counter].began_tsc > p->tsc;

    if (first) {
        w->progress_began[p->counter] = *p;
        w->progress_began[p->counter].units = p->began_units;
        w->progress_began[p->counter].tsc = p->began_tsc;
    }
    w->has_progress[p->counter] = true;
    w->progress[p->counter] = *p;
}

static void on_status(void *context, const struct guest_status *status)
{
    struct window_packer *w = context;

    w->status = *status;
    w->has_status = true;
}

static int on_map(void *context, const struct guest_map *map, struct err *e)
{
    struct window_packer *w = context;
    size_t i = 0;

    (void)e;
    while (i < w->map_count &&
           (w->maps[i].start != map->start || w->maps[i].since != map->since))
        i++;
    /* drop the oldest, which is most likely unloaded */
    if (i == GUEST_MAPS_MAX) {
        memmove(w->maps, w->maps + 1, (i - 1) * sizeof w->maps[0]);
        i--;
    }
    w->maps[i] = *map;
    if (i == w->map_count)
        w->map_count++;
    return 0;
}

static void on_gap(void *context, uint32_t frames)
{
    struct window_packer *w = context;

    w->gap_frames += frames;
}

const struct events window_events = {
    .hello = on_hello,
    .stack = on_stack,
    .samples = on_samples,
    .loss = on_loss,
    .account = on_account,
    .stats = on_stats,
    .progress = on_progress,
    .status = on_status,
    .map = on_map,
    .gap = on_gap,
};

/* Make a recording of the finished chunks. */
static int put_recording(struct window_packer *w,
                         const struct recording_info *info, uint64_t from_ns,
                         struct spool_window_bytes *out, struct err *e)
{
    size_t room = RECORDING_HEADER_MAX + w->done_size + (size_t)CHUNK_HEADER;
    size_t chunks = 0;

    for (size_t at = 0; at < w->done_size; at += 4 + load_u32(w->done + at))
        chunks++;
    room += chunks * CHUNK_HEADER;
    uint8_t *bytes = malloc(room);

    if (bytes == NULL)
        return err_set(e, "window: out of memory");
    size_t size = recording_header(bytes, info);

    for (size_t at = 0; at < w->done_size;) {
        uint32_t n = load_u32(w->done + at);

        recording_chunk_header(bytes + size, CHUNK_PACKED, n, from_ns);
        memcpy(bytes + size + CHUNK_HEADER, w->done + at + 4, n);
        size += CHUNK_HEADER + n;
        at += 4 + n;
    }
    recording_chunk_header(bytes + size, CHUNK_END, 0, 0);
    size += CHUNK_HEADER;
    *out = (struct spool_window_bytes){.bytes = bytes,
                                       .size = size,
                                       .samples = w->done_samples,
                                       .lost = w->done_lost};
    return 0;
}

int spool_window_cut(struct window_packer *w, const struct recording_info *info,
                     uint64_t from_ns, uint64_t to_ns, bool over,
                     struct spool_window_bytes *out, struct err *e)
{
    int result = 0;

    *out = (struct spool_window_bytes){0};
    if (window_seal(w, to_ns > from_ns ? to_ns - from_ns : 0, !over, e) != 0)
        result = -1;
    else if (w->failed)
        result = err_set(e, "window: no memory for some of its chunks");
    w->failed = false;
    if (w->done_size != 0 && put_recording(w, info, from_ns, out, e) != 0)
        result = -1;
    free(w->done); /* thousands of guests have nothing finished meanwhile */
    w->done = NULL;
    w->done_size = w->done_room = 0;
    w->done_samples = w->done_lost = 0;
    return result;
}

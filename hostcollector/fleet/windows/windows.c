/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of served guests. */
#include "fleet/windows/windows.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/windows/allowance.h"
#include "fleet/windows/busy.h"
#include "fleet/windows/open_window_counts.h"
#include "fleet/windows/shares.h"
#include "fleet/windows/watched.h"
#include "guard/descriptor.h"
#include "guard/parents.h"
#include "recording/spool/spool.h"
#include "recording/spool/spool_window.h"
#include "util/host_clock.h"
#include "util/text.h"

#define MS    1000000ull /* in nanoseconds */
#define PIECE 64u        /* samples whose stacks are renumbered together */

/* Bytes of a guest. A window begins with room for a quarter more samples than
 * were asked for, but at most SAMPLES, and at least CORE for each core.
 * A core takes as much in the decoder. */
#define SAMPLES    (256ull << 10)
#define CORE       (8ull << 10)
#define STACKS     (16ull << 10)
#define STEP       (8ull << 10) /* the window grows by this or a quarter, */
#define WINDOW_MAX (8ull << 20) /* up to this */

struct windows {
    int fd;
    struct spool *spool;
    struct open_window_counts *counts;
    uint64_t span_ms;
    struct windows_totals sums;
};

/* Create the folder (path), and the folders above it. If that fails, open()
 * reports the error. */
static void make_folder(const char *path)
{
    char *copy = strdup(path);
    size_t length = strlen(path);

    if (copy == NULL)
        return;
    while (length > 1 && copy[length - 1] == '/') /* skip slashes at the end */
        copy[--length] = '\0';
    if (length > 0)
        (void)parents_make(copy, 0755);
    (void)mkdir(copy, 0700);
    free(copy);
}

struct windows *windows_open(const struct windows_config *config, struct err *e)
{
    struct windows *w = calloc(1, sizeof *w);

    if (w == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    w->span_ms = config->span_ms;
    make_folder(config->folder);
    w->fd = open(config->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w->fd < 0 || descriptor_own(w->fd) != 0)
        (void)err_sys(e, config->folder);
    else
        w->counts =
            open_window_counts_open(w->fd, config->memory / (2 * CORE), e);
    if (w->counts != NULL)
        w->spool = spool_open(w->fd, &config->limits, e);
    if (w->spool != NULL)
        return w;
    windows_close(w);
    return NULL;
}

void windows_close(struct windows *w)
{
    if (w == NULL)
        return;
    spool_close(w->spool);
    open_window_counts_close(w->counts);
    if (w->fd >= 0)
        descriptor_close(w->fd);
    free(w);
}

int windows_begin(struct windows *w, struct err *e)
{
    return open_window_counts_begin(w->counts, e);
}

int windows_keep_image(const struct windows *w, const char *name,
                       const uint8_t *bytes, uint64_t size, struct err *e)
{
    return spool_image_keep(w->fd, name, bytes, size, e);
}

struct open_window_losses windows_crashed(const struct windows *w)
{
    return open_window_counts_lost(w->counts);
}

uint64_t windows_crashed_of(const struct windows *w, const char *name)
{
    return open_window_counts_lost_of(w->counts, name);
}

/* Begin a window now. */
static void begin_window(struct windows_guest *g)
{
    g->from_ns = clock_ns();
    g->from_ms = clock_wall_ns() / MS;
    g->start_ms = g->from_ms;
}

/* Take places for all (cores) that have none yet, to count their samples. */
static int take_places(struct windows_guest *g, size_t cores)
{
    uint32_t *places;

    if (cores <= g->place_count)
        return 0;
    places = realloc(g->places, cores * sizeof *places);
    if (places == NULL)
        return -1;
    g->places = places;
    for (; g->place_count < cores; g->place_count++)
        places[g->place_count] = open_window_counts_reserve(
            g->all->counts, g->name, (uint32_t)g->place_count);
    return 0;
}

/* Take (bytes) for the guest, of which other guests leave at least (spare). */
static int take_memory(struct windows_guest *g, uint64_t bytes, uint64_t spare,
                       struct err *e)
{
    char more[TEXT_SIZE];

    g->refused = !shares_take(g->shares, &g->memory, bytes, spare);
    if (!g->refused)
        return 0;
    return err_set(e,
                   "this guest waits, because other guests use all of "
                   "--memory: there is room with --memory %s",
                   text_size(more, shares_suggest(g->shares, bytes)));
}

int windows_grown(void *context, uint64_t bytes, struct err *e)
{
    struct windows_guest *g = context;
    bool comes = g->dictionaries == 0;

    if (bytes <= g->dictionaries)
        return 0;
    if (take_memory(g, bytes - g->dictionaries,
                    comes ? shares_spare(g->shares->memory) : 0, e) != 0)
        return -1;
    g->dictionaries = bytes;
    return 0;
}

/* Bytes for the samples of a window, as it begins. */
static uint64_t sample_bytes(const struct windows_guest *g, uint64_t cores)
{
    uint64_t most = cores * CORE > SAMPLES ? cores * CORE : SAMPLES;
    double core = (double)g->rate_hz * (double)g->all->span_ms / 1e3 *
                  SPOOL_WINDOW_SAMPLE * 5 / 4;
    double all = (double)cores * (core < CORE ? CORE : core);

    return all < (double)most ? (uint64_t)all : most;
}

/* Begin the first window of a stream. */
static int begin_windows(struct windows_guest *g, uint64_t cores, struct err *e)
{
    uint64_t samples = sample_bytes(g, cores);

    if (take_memory(g, samples + STACKS, shares_spare(g->shares->memory), e) !=
        0)
        return -1;
    g->packer = window_packer_new(samples, STACKS);
    begin_window(g);
    return g->packer != NULL ? 0 : err_memory(e);
}

static int admit(struct windows_guest *g, const struct guest *guest,
                 struct err *e)
{
    g->allowed_hz = allowance_hz(g->rate_hz, guest->cores);
    if (g->all == NULL)
        return 0;
    if (g->packer == NULL && begin_windows(g, guest->cores, e) != 0)
        return -1;
    return take_places(g, guest->cores) == 0 ? 0 : err_memory(e);
}

/* Allow the open window a step more memory. Returns false if there is none. */
static bool allow_step(struct windows_guest *g)
{
    uint64_t has = g->memory - g->dictionaries;
    uint64_t step = has / 4 > STEP ? has / 4 : STEP;

    if (has >= WINDOW_MAX || step > shares_more(g->shares, g->memory) ||
        !shares_take(g->shares, &g->memory, step, 0))
        return false;
    spool_window_allow(g->packer, step);
    return true;
}

/* Allow the open window more memory while it wants more and there is some. */
static void allow_more(struct windows_guest *g)
{
    while (spool_window_wants_memory(g->packer) && allow_step(g))
        ;
}

static int on_hello(void *context, enum hello_kind kind,
                    const struct guest *guest, struct err *e)
{
    struct windows_guest *g = context;

    if (admit(g, guest, e) != 0 ||
        watched_hello(g->watched, kind, guest, e) != 0)
        return -1;
    if (busy_hello(g->busy, kind, guest) != 0)
        return err_memory(e);
    return g->packer != NULL ? window_events.hello(g->packer, kind, guest, e)
                             : 0;
}

static uint32_t on_stack(void *context, uint32_t core, const struct stack *s)
{
    struct windows_guest *g = context;
    bool unseen = s->end == WIRE_END_LENT || s->end == WIRE_END_REST;
    uint32_t mark = unseen ? BUSY_UNSEEN : 0, n;

    if (g->packer == NULL)
        return unseen ? mark : STACK_OTHERS;
    allow_more(g);
    n = window_events.stack(g->packer, core, s);
    if (n == STACK_UNKNOWN || n >= BUSY_UNSEEN - 1 - g->forgotten)
        return n == STACK_UNKNOWN ? n : STACK_OTHERS;
    n += g->forgotten;
    if (n > g->last_stack)
        g->last_stack = n;
    return n | mark;
}

/* Convert stack numbers to those of the packer. The decoder uses old numbers
 * until the guest defines its stacks anew; they must not be mistaken for new
 * ones. */
static void number_anew(const struct windows_guest *g, struct sample *to,
                        const struct sample *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        if (to[i].stack == STACK_UNKNOWN || to[i].stack == STACK_OTHERS)
            continue;
        to[i].stack &= ~BUSY_UNSEEN;
        to[i].stack = to[i].stack > g->forgotten ? to[i].stack - g->forgotten
                                                 : STACK_OTHERS;
    }
}

static void on_samples(void *context, const struct sample_batch *batch)
{
    struct windows_guest *g = context;
    struct sample_batch part = *batch;
    struct sample samples[PIECE];

    busy_samples(g->busy, batch);
    if (g->packer == NULL)
        return;
    size_t count = allowance_take(&g->allowance, g->allowed_hz, batch->count);

    g->dropped += batch->count - count;
    for (size_t at = 0; at < count; at += part.count) {
        part.count = count - at < PIECE ? count - at : PIECE;
        part.samples = samples;
        number_anew(g, samples, batch->samples + at, part.count);
        while (!spool_window_has_room(g->packer, batch->core, part.count) &&
               allow_step(g))
            ;
        window_events.samples(g->packer, &part);
    }
    allow_more(g);
    if (batch->core < g->place_count)
        open_window_counts_add(g->all->counts, g->places[batch->core], count);
}

static void on_loss(void *context, const struct loss *loss)
{
    struct windows_guest *g = context;

    if (g->packer != NULL)
        window_events.loss(g->packer, loss);
}

static void on_account(void *context, uint32_t core, const struct account *a)
{
    struct windows_guest *g = context;

    watched_account(g->watched, core, a);
    if (g->packer != NULL)
        window_events.account(g->packer, core, a);
}

static void on_stats(void *context, const struct core_stats *stats)
{
    struct windows_guest *g = context;

    watched_stats(g->watched, stats);
    if (g->packer != NULL)
        window_events.stats(g->packer, stats);
}

static void on_progress(void *context, const struct guest_progress *progress)
{
    struct windows_guest *g = context;

    if (g->packer != NULL)
        window_events.progress(g->packer, progress);
}

static void on_status(void *context, const struct guest_status *status)
{
    struct windows_guest *g = context;

    if (g->packer != NULL)
        window_events.status(g->packer, status);
}

static int on_map(void *context, const struct guest_map *map, struct err *e)
{
    struct windows_guest *g = context;

    busy_map(g->busy, map);
    return g->packer != NULL ? window_events.map(g->packer, map, e) : 0;
}

static void on_gap(void *context, uint32_t frames)
{
    struct windows_guest *g = context;

    if (g->packer != NULL)
        window_events.gap(g->packer, frames);
}

const struct events windows_events = {
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

void windows_clock(void *context, uint64_t tsc_hz)
{
    struct windows_guest *g = context;

    if (g->packer != NULL)
        spool_window_clock(g->packer, tsc_hz);
}

uint64_t windows_due(const struct windows *w, uint64_t now_ns)
{
    uint64_t span = w->span_ms * MS;

    return now_ns + span - clock_wall_ns() % span;
}

bool windows_is_over(const struct windows_guest *g)
{
    return g->packer != NULL && (clock_wall_ns() / MS / g->all->span_ms !=
                                     g->from_ms / g->all->span_ms ||
                                 spool_window_is_full(g->packer));
}

/* Put the packed window into the spool. */
static int put(struct windows_guest *g, const struct spool_window_bytes *window,
               struct err *e)
{
    struct windows *w = g->all;

    if (spool_put(w->spool, g->name, g->start_ms, window->bytes, window->size,
                  window->samples, e) != 0)
        return -1;
    w->sums.kept++;
    g->kept++;
    g->bytes += window->size;
    g->last_ms = g->start_ms;
    return 0;
}

/* Clear the counts of the open window, which was kept, or was (lost). */
static void close_account(struct windows_guest *g, bool lost)
{
    struct windows *w = g->all;
    uint64_t samples = 0;

    for (size_t i = 0; i < g->place_count; i++)
        samples += open_window_counts_clear(w->counts, g->places[i]);
    if (!lost)
        return;
    w->sums.lost++;
    w->sums.lost_samples += samples;
    g->lost_samples += samples;
}

/* Begin the next window where the last one ended. Its name has the multiple of
 * the span at which it should begin. */
static void go_on(struct windows_guest *g, uint64_t to_ns, uint64_t to_ms)
{
    uint64_t span = g->all->span_ms, multiple = to_ms - to_ms % span;
    uint64_t now_ms = clock_wall_ns() / MS;
    bool over = to_ms / span != g->from_ms / span;

    g->from_ns = to_ns;
    g->from_ms = to_ms;
    g->start_ms = over ? multiple : to_ms;
    if (over)
        g->all->sums.lag_ms = now_ms > multiple ? now_ms - multiple : 0;
}

int windows_cut(struct windows_guest *g, const struct recording_info *info,
                bool ended, bool *reset, struct err *e)
{
    struct recording_info header = *info;
    struct spool_window_bytes window = {0};
    uint64_t to_ns = clock_ns(), to_ms = clock_wall_ns() / MS;
    int result;

    *reset = false;
    if (g->packer == NULL)
        return 0;
    header.monotonic_ns = g->from_ns;
    header.wall_ns = to_ms * MS - (to_ns - g->from_ns);
    result = spool_window_cut(g->packer, &header, g->from_ns, to_ns, ended,
                              &window, e);
    if (window.bytes != NULL && put(g, &window, e) != 0)
        result = -1;
    free(window.bytes);
    close_account(g, result != 0);
    go_on(g, to_ns, to_ms);
    *reset = !ended && spool_window_wants_reset(g->packer);
    if (*reset) {
        spool_window_forget(g->packer);
        g->forgotten = g->last_stack;
    }
    if (ended) {
        window_packer_free(g->packer);
        g->packer = NULL;
        g->forgotten = g->last_stack = 0;
    }
    return result;
}

void windows_end(struct windows_guest *g)
{
    shares_give_back(g->shares, &g->memory);
    g->dictionaries = 0;
    while (g->place_count > 0)
        open_window_counts_give_back(g->all->counts,
                                     g->places[--g->place_count]);
    free(g->places);
    g->places = NULL;
}

struct windows_totals windows_sums(const struct windows *w)
{
    struct windows_totals sums = w->sums;

    sums.spool = spool_sums(w->spool);
    return sums;
}

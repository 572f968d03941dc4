/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages and status of served guests. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fleet/notify.h"
#include "fleet/serve/serve_parts.h"
#include "fleet/serve/serve_wanted.h"
#include "fleet/windows/open_window_counts.h"
#include "util/text.h"

void serve_say(struct serve_session *s, const struct served *g,
               const char *line)
{
    messages_line(&s->tell, "collector serve", g != NULL ? g->spec.name : NULL,
                  line);
}

static void put_row(struct serve_session *s, const struct served *g)
{
    const struct watched *w = &g->watched;
    bool sampling = g->pipeline != NULL && pipeline_is_sampling(g->pipeline);
    bool refused = g->failed && g->windows.refused;
    struct status_guest row = {.state = !g->wanted  ? STATUS_LEAVING
                                        : sampling  ? STATUS_SAMPLING
                                        : refused   ? STATUS_NO_MEMORY
                                        : g->failed ? STATUS_FAILED
                                                    : STATUS_WAITING,
                               .cores = watched_cores(w),
                               .rate_hz = g->rate_hz,
                               .samples = w->samples_before + w->samples,
                               .lost = w->lost_before + w->lost,
                               .crashed = g->crashed,
                               .windows = g->windows.kept,
                               .bytes = g->windows.bytes,
                               .window_ms = g->windows.last_ms,
                               .lost_window_samples = g->windows.lost_samples,
                               .dropped = g->windows.dropped};
    double busy;

    (void)snprintf(row.name, sizeof row.name, "%s", g->spec.name);
    row.has_busy = sampling && busy_share(&g->busy, &busy);
    row.busy_ppm = row.has_busy ? (uint32_t)(busy * 1e6 + .5) : 0;
    memcpy(row.images, g->images, sizeof row.images);
    status_put(s->status, g->row, &row);
    s->totals.guests++;
    s->totals.sampling += sampling;
    s->totals.no_memory += row.state == STATUS_NO_MEMORY;
    s->totals.samples += row.samples;
    s->totals.lost += row.lost;
    s->totals.dropped += row.dropped;
}

/* Show that (g) came, or that it has left and may return. If a guest is being
 * stopped, this was shown before. */
static void tell_change(struct serve_session *s, struct served *g)
{
    const struct watched *w = &g->watched;
    bool sampling = g->pipeline != NULL && pipeline_is_sampling(g->pipeline);
    char line[128], samples[TEXT_NUMBER], lost[TEXT_NUMBER];

    if (sampling == g->told || !g->wanted)
        return;
    g->told = sampling;
    if (sampling)
        (void)snprintf(line, sizeof line, "is sampled at %" PRIu32 " Hz",
                       g->rate_hz);
    else
        (void)snprintf(line, sizeof line,
                       "has left, and may come back: %s samples, %s lost",
                       text_count(samples, w->samples_before + w->samples),
                       text_count(lost, w->lost_before + w->lost));
    serve_say(s, g, line);
}

/* Show once that (g) sends too much. */
static void tell_dropped(struct serve_session *s, struct served *g)
{
    char line[192], hz[TEXT_NUMBER];

    if (g->told_dropped || g->windows.dropped == 0)
        return;
    g->told_dropped = true;
    (void)snprintf(line, sizeof line,
                   "sends far more samples than requested: samples beyond %s a "
                   "second are dropped, and counted as lost in its windows",
                   text_count(hz, g->windows.allowed_hz));
    serve_say(s, g, line);
}

/* Lower the rate if sampling takes more of the guest than allowed. Raise the
 * rate if sampling takes less than half of that. */
static void keep_budget(const struct serve_session *s, struct served *g)
{
    double cost = g->watched.cost * 100, may = s->o->budget_percent;
    uint64_t rate = g->rate_hz;

    if (may <= 0 || cost <= 0 || g->pipeline == NULL)
        return;
    if (cost > may)
        rate = (uint64_t)((double)rate * may / cost);
    else if (cost * 2 < may)
        rate = rate * 2;
    rate = rate < 1 ? 1 : rate > s->o->from.rate_hz ? s->o->from.rate_hz : rate;
    watched_rest(&g->watched);
    if (rate == g->rate_hz)
        return;
    g->rate_hz = (uint32_t)rate;
    pipeline_ask(g->pipeline, g->rate_hz, s->o->from.depth);
}

static void sum_windows(struct serve_session *s)
{
    struct windows_totals sums;

    if (s->windows == NULL)
        return;
    sums = windows_sums(s->windows);
    s->totals.windows = sums.kept;
    s->totals.lost_windows = sums.lost;
    s->totals.lost_window_samples = sums.lost_samples;
    s->totals.lag_ms = sums.lag_ms;
    s->totals.spool_files = sums.spool.files;
    s->totals.spool_bytes = sums.spool.bytes;
    s->totals.removed = sums.spool.removed;
    s->totals.unsent = sums.spool.unsent;
    s->totals.unsent_samples = sums.spool.unsent_samples;
}

int serve_table(struct serve_session *s, struct err *e)
{
    struct open_window_losses lost = {0};

    if (s->windows != NULL)
        lost = windows_crashed(s->windows);
    s->status = status_new(SERVE_GUESTS, lost.count, e);
    if (s->status == NULL)
        return -1;
    for (size_t i = 0; i < lost.count; i++) {
        struct status_crashed core = {.core = lost.cores[i].core,
                                      .samples = lost.cores[i].samples};

        (void)snprintf(core.guest, sizeof core.guest, "%s",
                       lost.cores[i].guest);
        status_put_crashed(s->status, i, &core);
    }
    return 0;
}

void serve_tell_crashed(struct serve_session *s)
{
    char line[160], samples[TEXT_NUMBER];
    struct open_window_losses lost;

    if (s->windows == NULL)
        return;
    lost = windows_crashed(s->windows);
    s->totals.crashed = lost.samples;
    if (lost.samples == 0)
        return;
    (void)snprintf(line, sizeof line,
                   "the last collector serve was killed, and its open windows "
                   "are lost: %s samples, guests: %" PRIu64,
                   text_count(samples, lost.samples), lost.guests);
    serve_say(s, NULL, line);
}

void serve_tell(struct serve_session *s)
{
    char line[160];

    s->totals.alive_ms = status_now_ms();
    s->totals.guests = s->totals.sampling = s->totals.no_memory = 0;
    s->totals.samples = s->gone_samples;
    s->totals.lost = s->gone_lost;
    s->totals.dropped = s->gone_dropped;
    for (size_t i = 0; i < s->count; i++) {
        keep_budget(s, s->list[i]);
        put_row(s, s->list[i]);
        tell_change(s, s->list[i]);
        tell_dropped(s, s->list[i]);
        busy_second(&s->list[i]->busy);
    }
    sum_windows(s);
    status_put_totals(s->status, &s->totals);
    (void)snprintf(line, sizeof line,
                   "READY=1\nSTATUS=%" PRIu32 " guests, %" PRIu32
                   " sampled now; %" PRIu64 " samples, %" PRIu64 " lost",
                   s->totals.guests, s->totals.sampling, s->totals.samples,
                   s->totals.lost);
    notify_tell(s->notify_fd, line);
}

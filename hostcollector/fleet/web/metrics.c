/* SPDX-License-Identifier: BSD-2-Clause */
/* The status table in the text format of Prometheus. */
#include "fleet/web/web_pages.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "util/text.h"

#define MS_PER_S 1000.0
#define STALE_MS 5000u
#define PPM      1e6

struct family {
    const char *name, *type, *help;
    size_t offset; /* of a uint64_t */
    double unit;   /* size of one count in the metric's unit */
};

static const struct family of_all[] = {
    {"tprof_samples_total", "counter", "Samples delivered, of all guests.",
     offsetof(struct status_totals, samples), 1},
    {"tprof_lost_samples_total", "counter",
     "Samples taken or due, and not delivered, of all guests.",
     offsetof(struct status_totals, lost), 1},
    {"tprof_dropped_samples_total", "counter",
     "Delivered samples far beyond the requested rate: dropped, and counted as "
     "lost in the windows.",
     offsetof(struct status_totals, dropped), 1},
    {"tprof_crashed_samples", "gauge",
     "Samples in windows that were open when the process before this one was "
     "killed.",
     offsetof(struct status_totals, crashed), 1},
    {"tprof_windows_total", "counter", "Windows kept in the spool.",
     offsetof(struct status_totals, windows), 1},
    {"tprof_lost_windows_total", "counter", "Windows that could not be kept.",
     offsetof(struct status_totals, lost_windows), 1},
    {"tprof_lost_window_samples_total", "counter",
     "Samples in windows that could not be kept.",
     offsetof(struct status_totals, lost_window_samples), 1},
    {"tprof_lag_seconds", "gauge",
     "Seconds from the end of the last window until that window was stored.",
     offsetof(struct status_totals, lag_ms), 1 / MS_PER_S},
    {"tprof_spool_windows", "gauge", "Windows in the spool.",
     offsetof(struct status_totals, spool_files), 1},
    {"tprof_spool_bytes", "gauge", "Size of the spool.",
     offsetof(struct status_totals, spool_bytes), 1},
    {"tprof_spool_removed_windows_total", "counter",
     "Windows that the limits of the spool have removed.",
     offsetof(struct status_totals, removed), 1},
    {"tprof_spool_unsent_removed_windows_total", "counter",
     "Windows that the limits of the spool removed before collector push had "
     "sent them to all its receivers.",
     offsetof(struct status_totals, unsent), 1},
    {"tprof_spool_unsent_removed_samples_total", "counter",
     "Samples in the removed unsent windows that this process had stored.",
     offsetof(struct status_totals, unsent_samples), 1},
    {"tprof_start_time_seconds", "gauge",
     "Start of this process, in seconds since 1970.",
     offsetof(struct status_totals, start_ms), 1 / MS_PER_S},
};

static const struct family of_guest[] = {
    {"tprof_guest_samples_total", "counter", "Samples delivered.",
     offsetof(struct status_guest, samples), 1},
    {"tprof_guest_lost_samples_total", "counter",
     "Samples taken or due, and not delivered.",
     offsetof(struct status_guest, lost), 1},
    {"tprof_guest_dropped_samples_total", "counter",
     "Delivered samples far beyond the requested rate: dropped, and counted as "
     "lost in the windows.",
     offsetof(struct status_guest, dropped), 1},
    {"tprof_guest_crashed_samples", "gauge",
     "Samples in the window that was open when the process before this one was "
     "killed. Samples of guests that are gone are only in "
     "tprof_core_crashed_samples.",
     offsetof(struct status_guest, crashed), 1},
    {"tprof_guest_lost_window_samples_total", "counter",
     "Samples in windows that could not be kept.",
     offsetof(struct status_guest, lost_window_samples), 1},
    {"tprof_guest_windows_total", "counter", "Windows kept in the spool.",
     offsetof(struct status_guest, windows), 1},
    {"tprof_guest_bytes_total", "counter", "Size of these windows.",
     offsetof(struct status_guest, bytes), 1},
    {"tprof_guest_window_start_seconds", "gauge",
     "Start of the last window, since 1970; 0: none yet.",
     offsetof(struct status_guest, window_ms), 1 / MS_PER_S},
};

static void head(FILE *out, const char *name, const char *type,
                 const char *help)
{
    (void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Write a value of (row). A count is exact, even above 2^53. */
static void value(FILE *out, const struct family *f, const void *row)
{
    uint64_t n;

    memcpy(&n, (const char *)row + f->offset, sizeof n);
    if (f->unit < 1)
        (void)fprintf(out, " %.3f\n", (double)n * f->unit);
    else
        (void)fprintf(out, " %" PRIu64 "\n", n);
}

/* Write the metric and its guest label, escaped, since the name may be any
 * text. */
static void label(FILE *out, const char *metric, const char *guest)
{
    (void)fprintf(out, "%s{guest=\"", metric);
    for (const char *c = guest; *c != '\0'; c++) {
        if (*c == '\\' || *c == '"')
            (void)fputc('\\', out);
        (void)fputs(*c == '\n' ? "\\n" : (const char[]){*c, '\0'}, out);
    }
    (void)fputc('"', out);
}

static void labels(FILE *out, const char *metric, const struct status_guest *g)
{
    label(out, metric, g->name);
    (void)fputc('}', out);
}

typedef void write_value(FILE *out, const void *how,
                         const struct status_guest *g);

static void each_guest(FILE *out, const struct status *s, const char *name,
                       write_value *write, const void *how)
{
    struct status_guest g;

    for (size_t i = 0; i < status_rows(s); i++)
        if (status_get(s, i, &g)) {
            labels(out, name, &g);
            write(out, how, &g);
        }
}

static void write_count(FILE *out, const void *how,
                        const struct status_guest *g)
{
    value(out, how, g);
}

static void write_up(FILE *out, const void *how, const struct status_guest *g)
{
    (void)how;
    (void)fprintf(out, " %d\n", g->state == STATUS_SAMPLING);
}

static void write_rate(FILE *out, const void *how, const struct status_guest *g)
{
    (void)how;
    (void)fprintf(out, " %" PRIu32 "\n", g->rate_hz);
}

static const struct {
    const char *name, *help;
    write_value *write;
} gauges[] = {
    {"tprof_guest_up", "1 if samples of the guest arrive.", write_up},
    {"tprof_guest_rate_hertz",
     "Samples a second that are requested of each core.", write_rate},
};

static void write_totals(FILE *out, const struct status_totals *t,
                         uint64_t now_ms)
{
    uint64_t quiet = now_ms > t->alive_ms ? now_ms - t->alive_ms : 0;

    for (size_t i = 0; i < sizeof of_all / sizeof of_all[0]; i++) {
        head(out, of_all[i].name, of_all[i].type, of_all[i].help);
        (void)fputs(of_all[i].name, out);
        value(out, &of_all[i], t);
    }
    head(out, "tprof_quiet_seconds", "gauge",
         "Seconds since the serving loop last ran.");
    (void)fprintf(out, "tprof_quiet_seconds %.3f\n", (double)quiet / MS_PER_S);
    head(out, "tprof_guests", "gauge",
         "Guests, including those that are disconnected.");
    (void)fprintf(out, "tprof_guests %" PRIu32 "\n", t->guests);
    head(out, "tprof_guests_sampling", "gauge", "Guests that are sampled.");
    (void)fprintf(out, "tprof_guests_sampling %" PRIu32 "\n", t->sampling);
    head(out, "tprof_guests_without_memory", "gauge",
         "Guests that wait because other guests use all of --memory.");
    (void)fprintf(out, "tprof_guests_without_memory %" PRIu32 "\n",
                  t->no_memory);
}

/* Write the busy share of each guest that has one. */
static void write_busy(FILE *out, const struct status *s)
{
    static const char name[] = "tprof_guest_busy_ratio";
    struct status_guest g;

    head(out, name, "gauge",
         "Part of the cores' time in the last 10 seconds in which they did not "
         "sleep.");
    for (size_t i = 0; i < status_rows(s); i++)
        if (status_get(s, i, &g) && g.has_busy) {
            labels(out, name, &g);
            (void)fprintf(out, " %.6f\n", g.busy_ppm / PPM);
        }
}

static void write_crashed(FILE *out, const struct status *s)
{
    static const char name[] = "tprof_core_crashed_samples";
    struct status_crashed c;

    head(out, name, "gauge",
         "Samples of each core in the window that was open when the process "
         "before this one was killed, also of guests that are gone.");
    for (size_t i = 0; status_get_crashed(s, i, &c); i++) {
        label(out, name, c.guest);
        (void)fprintf(out, ",core=\"%" PRIu32 "\"} %" PRIu64 "\n", c.core,
                      c.samples);
    }
}

/* Write the waiting windows by receiver. The merging process counts them once
 * a minute. */
static void write_waits(FILE *out, const struct status *s, uint64_t now_ms)
{
    static const char windows[] = "tprof_spool_unsent_windows";
    static const char oldest[] = "tprof_spool_oldest_unsent_seconds";
    struct status_wait w;

    head(out, windows, "gauge",
         "Windows that wait for collector push, by receiver.");
    for (size_t i = 0; i < STATUS_TAGS; i++)
        if (status_get_wait(s, i, &w))
            (void)fprintf(out, "%s{tag=\"%s\"} %" PRIu64 "\n", windows, w.tag,
                          w.windows);
    head(out, oldest, "gauge",
         "Seconds since the oldest waiting window began; 0: none waits.");
    for (size_t i = 0; i < STATUS_TAGS; i++)
        if (status_get_wait(s, i, &w))
            (void)fprintf(out, "%s{tag=\"%s\"} %.3f\n", oldest, w.tag,
                          w.oldest_ms == 0 || w.oldest_ms > now_ms
                              ? 0
                              : (double)(now_ms - w.oldest_ms) / MS_PER_S);
}

static void write_starts(FILE *out, const struct status *s)
{
    static const struct {
        const char *name, *help;
    } parts[] = {
        [STATUS_PAGE] =
            {"tprof_page_restarts_total",
             "Restarts of the process that serves pages and /metrics."},
        [STATUS_MERGING] = {"tprof_merge_restarts_total",
                            "Restarts of the process that merges windows."},
    };

    for (unsigned i = 0; i < STATUS_PARTS; i++) {
        head(out, parts[i].name, "counter", parts[i].help);
        (void)fprintf(out, "%s %" PRIu64 "\n", parts[i].name,
                      status_starts(s, i));
    }
}

void pages_metrics(FILE *out, const struct status *s, uint64_t now_ms)
{
    struct status_totals t;

    if (status_get_totals(s, &t))
        write_totals(out, &t, now_ms);
    write_starts(out, s);
    write_waits(out, s, now_ms);
    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++) {
        head(out, gauges[i].name, "gauge", gauges[i].help);
        each_guest(out, s, gauges[i].name, gauges[i].write, NULL);
    }
    write_busy(out, s);
    for (size_t i = 0; i < sizeof of_guest / sizeof of_guest[0]; i++) {
        head(out, of_guest[i].name, of_guest[i].type, of_guest[i].help);
        each_guest(out, s, of_guest[i].name, write_count, &of_guest[i]);
    }
    write_crashed(out, s);
}

bool pages_health(FILE *out, const struct status *s, uint64_t now_ms)
{
    struct status_totals t;

    if (!status_get_totals(s, &t)) {
        (void)fputs("not ready: the serving loop has not run yet\n", out);
        return false;
    }
    if (now_ms > t.alive_ms && now_ms - t.alive_ms > STALE_MS) {
        (void)fprintf(out, "the serving loop has not run for %" PRIu64 " s\n",
                      (now_ms - t.alive_ms) / (uint64_t)MS_PER_S);
        return false;
    }
    (void)fprintf(out, "ok: %" PRIu32 " of %" PRIu32 " guest%s sampled\n",
                  t.sampling, t.guests, text_plural(t.guests));
    return true;
}

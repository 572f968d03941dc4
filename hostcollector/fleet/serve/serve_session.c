/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves guests that come and go, until the user stops. */
#include "fleet/serve/merge_process.h"
#include "fleet/serve/serve_config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/signals.h"
#include "fleet/backoff.h"
#include "fleet/notify.h"
#include "fleet/serve/serve_parts.h"
#include "fleet/serve/serve_wanted.h"
#include "fleet/serve/web_process.h"
#include "util/host_clock.h"
#include "util/text.h"

#define MS           1000000ull /* in nanoseconds */
#define SECOND       (1000 * MS)
#define TICK         (250 * MS)
/* longest time of cutting windows without a pause */
#define CUTS         (50 * MS)
#define BREATH       (20 * MS) /* length of the pause */
#define BACK_S       1e9       /* a guest may stay away this long */
/* Most bytes of the decoder's dictionaries for a guest's cores. */
#define DICTIONARIES (4ull << 20)

static void on_note(void *context, const char *line)
{
    struct served *g = context;

    serve_say(g->serve, g, line);
}

/* One guest */

static int begin_guest(struct serve_session *s, struct served *g, struct err *e)
{
    const struct serve_config *o = s->o;
    unsigned how = (o->from.force_vsock ? SOURCE_VSOCK_FORCE : 0) |
                   (o->from.privileged ? SOURCE_VSOCK_PRIVILEGED : 0);
    struct source *source = guests_source(&g->spec, how, e);
    struct pipeline_config config = {
        .rate_hz = g->rate_hz,
        .depth = o->from.depth,
        .wait_s = BACK_S,
        .aggregate = {.memory_max = DICTIONARIES * 2, .no_moments = true},
        .tap = &windows_events,
        .tap_context = &g->windows,
        .clock = windows_clock,
        .grown = windows_grown,
        .backs_off = true,
        .failed = g->failed,
        .context = g,
        .note = on_note};

    if (source == NULL)
        return -1;
    source->peers = o->from.peers;
    g->pipeline = pipeline_new(source, &config, e);
    if (g->pipeline == NULL)
        return -1;
    g->samples_then = g->watched.samples_before;
    if (guest_loop_add(s->loop, g->pipeline, e) == 0)
        return 0;
    pipeline_free(g->pipeline);
    g->pipeline = NULL;
    return -1;
}

/* Cut the guest's window and put it into the spool. A full disk is reported
 * once. */
static void cut(struct serve_session *s, struct served *g, bool ended)
{
    struct recording_info info = {.version = COLLECTOR_VERSION,
                                  .labels = g->spec.labels,
                                  .label_count = g->spec.label_count};
    struct arena paths = {0};
    struct err e;
    bool reset, failed;

    if (g->windows.packer == NULL)
        return;
    (void)snprintf(info.source, sizeof info.source, "%s:%s", g->spec.kind,
                   g->spec.where);
    serve_images_record(g, &paths, &info);
    failed = windows_cut(&g->windows, &info, ended, &reset, &e) != 0;
    arena_fini(&paths);
    if (reset && g->pipeline != NULL)
        pipeline_reset(g->pipeline);
    if (failed && !s->cut_failed)
        serve_say(s, g, e.text);
    else if (!failed && s->cut_failed)
        serve_say(s, g, "windows can be kept again");
    s->cut_failed = failed;
}

/* Cut windows that are over, for a limited time. Returns when to continue. */
static uint64_t cut_windows(struct serve_session *s, uint64_t now)
{
    size_t n = s->windows != NULL ? s->count : 0;

    for (size_t i = 0; i < n; i++) {
        struct served *g = s->list[s->next_cut++ % n];

        if (windows_is_over(&g->windows))
            cut(s, g, false);
        if (clock_ns() - now > CUTS)
            return now + CUTS + BREATH;
    }
    return n != 0 ? windows_due(s->windows, now) : UINT64_MAX;
}

/* Set the time of the next try, since the guest failed because of (e), or has
 * ended. */
static void postpone(struct serve_session *s, struct served *g,
                     const struct err *e)
{
    bool came = g->watched.samples_before > g->samples_then;

    g->failures = came ? 1 : g->failures + 1;
    g->failed = e != NULL;
    g->again_ns =
        clock_ns() + backoff_ms(g->failures, (uint32_t)clock_ns() >> 8, 0) * MS;
    if (e != NULL && g->failures == 1) /* only the first time */
        serve_say(s, g, e->text);
}

static void on_ended(void *context, struct pipeline *p, enum pipeline_end end,
                     const struct err *e)
{
    struct serve_session *s = context;
    struct served *g = pipeline_context(p);

    (void)end;
    cut(s, g, true);
    windows_end(&g->windows);
    watched_end(&g->watched);
    busy_end(&g->busy);
    pipeline_free(p);
    g->pipeline = NULL;
    if (g->wanted)
        postpone(s, g, e);
}

static void free_guest(struct serve_session *s, struct served *g)
{
    pipeline_free(g->pipeline);
    cut(s, g, true);
    windows_end(&g->windows);
    watched_fini(&g->watched);
    busy_fini(&g->busy);
    free(g->busy.files);
    s->rows[g->row] = false;
    if (g->row < s->free_row)
        s->free_row = g->row;
    status_put(s->status, g->row, &(struct status_guest){0});
    free((void *)(uintptr_t)g->spec.where);
    arena_fini(&g->labels);
    free(g);
}

/* Release (i), which has gone for good. */
static void forget(struct serve_session *s, size_t i)
{
    struct served *g = s->list[i];
    char line[128], samples[TEXT_NUMBER], lost[TEXT_NUMBER];

    (void)snprintf(line, sizeof line,
                   "disconnected for good: %s samples, %s lost",
                   text_count(samples, g->watched.samples_before),
                   text_count(lost, g->watched.lost_before));
    serve_say(s, g, line);
    s->gone_samples += g->watched.samples_before;
    s->gone_lost += g->watched.lost_before;
    s->gone_dropped += g->windows.dropped;
    free_guest(s, g);
    s->list[i] = s->list[--s->count];
}

static void look_again(struct serve_session *s)
{
    struct guests now = {0};
    struct err e;

    s->list_again = false;
    if (serve_wanted(s->o, s->folder, &now, &e) == 0)
        serve_change(s, &now);
    else
        serve_say(s, NULL, e.text); /* the guests stay as they are */
    guests_fini(&now);
}

/* The loop */

static void on_wake(void *context)
{
    struct serve_session *s = context;
    char scrap[1024];

    if (read(s->reload_fd, scrap, sizeof scrap) > 0) {
        notify_tell(s->notify_fd, "RELOADING=1");
        s->list_again = true;
    }
    if (s->folder != NULL)
        socket_folder_heard(s->folder);
    /* a moment later, together with further changes */
    s->list_again |= s->folder != NULL;
}

/* End in order if the folder has gone, since new guests would not be noticed.
 * systemd restarts the service. */
static void look_for_folder(struct serve_session *s)
{
    char line[512];

    if (s->folder == NULL || socket_folder_is_there(s->folder))
        return;
    (void)snprintf(line, sizeof line,
                   "%.400s was removed or replaced, so new guests cannot be "
                   "found there. collector serve ends: start it again",
                   s->o->watch);
    serve_say(s, NULL, line);
    s->folder_gone = true;
    guest_loop_end(s->loop);
}

static uint64_t on_tick(void *context)
{
    struct serve_session *s = context;
    uint64_t now = clock_ns(), due;
    struct err e;

    if (guest_loop_stopping(s->loop))
        return UINT64_MAX;
    if (s->list_again)
        look_again(s);
    for (size_t i = s->count; i-- > 0;) {
        struct served *g = s->list[i];

        if (g->pipeline != NULL)
            continue;
        if (!g->wanted)
            forget(s, i);
        else if (now >= g->again_ns && begin_guest(s, g, &e) != 0)
            postpone(s, g, &e);
    }
    serve_images_match(s, now);
    due = cut_windows(s, now);
    if (now >= s->status_ns) {
        s->status_ns = now + SECOND;
        serve_tell(s);
        look_for_folder(s);
    }
    if (s->watchdog_ns != 0 && now - s->fed_ns >= s->watchdog_ns) {
        s->fed_ns = now;
        notify_tell(s->notify_fd, "WATCHDOG=1");
    }
    return due < now + TICK ? due : now + TICK;
}

static int watch_fd(struct serve_session *s, int fd, struct err *e)
{
    struct epoll_event event = {.events = EPOLLIN};

    return epoll_ctl(s->wake_fd, EPOLL_CTL_ADD, fd, &event) == 0
               ? 0
               : err_sys(e, "epoll");
}

static void on_line(void *context, const char *line)
{
    serve_say(context, NULL, line);
}

/* Open everything that cannot be opened after confinement. */
static int open_all(struct serve_session *s, struct err *e)
{
    s->rows = calloc(SERVE_GUESTS, sizeof *s->rows);
    if (s->rows == NULL)
        return err_memory(e);
    if (s->o->spool != NULL) {
        const uint64_t span_ms = (uint64_t)(s->o->window_s * 1000);
        const struct windows_config config = {
            .folder = s->o->spool,
            .limits = {.bytes = s->o->spool_bytes,
                       .age_s = (uint64_t)s->o->spool_age_s,
                       .window_ms = span_ms,
                       .say = on_line,
                       .context = s},
            .span_ms = span_ms,
            .memory = s->o->from.memory};

        s->windows = windows_open(&config, e);
        if (s->windows == NULL)
            return -1;
    }
    /* start the page last: its address is free as soon as this process has
     * exited, even while windows are still being merged */
    if (serve_table(s, e) != 0 || serve_images_list(&s->images, s->o, e) != 0 ||
        (s->o->spool != NULL &&
         merge_process_start(s->o->from.sandbox, s->o->spool, s->status, e) !=
             0) ||
        web_process_start(s->o, s->status, &s->images, e) != 0)
        return -1;
    s->reload_fd = signals_reload(e);
    s->stop_fd = s->reload_fd < 0 ? -1 : signals_catch(e);
    s->wake_fd = epoll_create1(EPOLL_CLOEXEC);
    s->notify_fd = notify_open();
    s->watchdog_ns = notify_watchdog_ns();
    if (s->stop_fd < 0 || watch_fd(s, s->reload_fd, e) != 0)
        return -1;
    if (s->o->watch == NULL)
        return 0;
    s->folder = socket_folder_open(s->o->watch, e);
    return s->folder != NULL ? watch_fd(s, socket_folder_fd(s->folder), e) : -1;
}

/* Take over the counts of open windows from the process before. */
static void begin_windows(struct serve_session *s)
{
    char line[sizeof(struct err) + 64];
    struct err e;

    if (s->windows == NULL || windows_begin(s->windows, &e) == 0)
        return;
    (void)snprintf(line, sizeof line,
                   "if this one is killed, lost samples are not counted: %s",
                   e.text);
    serve_say(s, NULL, line);
}

static int start_serving(struct serve_session *s, struct err *e)
{
    struct guest_loop_config config = {.context = s,
                                       .ended = on_ended,
                                       .stays = true,
                                       .wake = on_wake,
                                       .tick = on_tick};
    struct err lacking;

    if (open_all(s, e) != 0 ||
        confine_prepare_serve(&s->o->from, s->o->watch, e) != 0)
        return -1;
    config.stop_fd = s->stop_fd;
    config.wake_fd = s->wake_fd;
    s->loop = guest_loop_new(&config, e);
    if (s->loop == NULL ||
        confine_serve(&s->o->from, s->o->spool, &lacking) != 0)
        return s->loop == NULL ? -1 : err_set(e, "%s", lacking.text);
    if (lacking.text[0] != '\0')
        serve_say(s, NULL, lacking.text);
    if (serve_images_open(&s->images, s->o, on_line, s, e) != 0)
        return -1;
    s->totals.start_ms = status_now_ms();
    serve_tell_crashed(s);
    begin_windows(s);
    s->list_again = true;
    return 0;
}

static void sum_up(struct serve_session *s)
{
    char samples[TEXT_NUMBER], lost[TEXT_NUMBER];

    notify_tell(s->notify_fd, "STOPPING=1");
    while (s->count > 0)
        forget(s, s->count - 1);
    messages_end(&s->tell);
    (void)fprintf(stderr, "collector serve: %s samples, %s lost\n",
                  text_count(samples, s->gone_samples),
                  text_count(lost, s->gone_lost));
    if (s->gone_dropped != 0)
        (void)fprintf(stderr,
                      "collector serve: of these, %s samples were dropped: too "
                      "many for --rate\n",
                      text_count(samples, s->gone_dropped));
    if (s->windows == NULL)
        return;
    struct windows_totals w = windows_sums(s->windows);

    (void)fprintf(stderr,
                  "collector serve: %" PRIu64 " windows kept, %" PRIu64
                  " lost with %s samples\n",
                  w.kept, w.lost, text_count(samples, w.lost_samples));
}

int serve_session_run(const struct serve_config *o)
{
    struct serve_session s = {.o = o,
                              .shares = {.memory = o->from.memory},
                              .stop_fd = -1,
                              .wake_fd = -1,
                              .notify_fd = -1};
    struct err e = {""};
    int result = start_serving(&s, &e);

    if (result == 0)
        result = guest_loop_run(s.loop, &e);
    if (result == 0)
        sum_up(&s);
    else
        (void)fprintf(stderr, "collector serve: %s\n", e.text);
    signals_release(s.stop_fd, s.loop ? guest_loop_stop_grace_ns(s.loop) : 0);
    while (s.count > 0)
        free_guest(&s, s.list[--s.count]);
    guest_loop_free(s.loop);
    serve_images_fini(&s.images);
    socket_folder_close(s.folder);
    windows_close(s.windows);
    status_free(s.status);
    free(s.list);
    free(s.rows);
    if (s.wake_fd >= 0)
        (void)close(s.wake_fd);
    return result == 0 && !s.folder_gone ? EXIT_DONE : EXIT_FAILED;
}

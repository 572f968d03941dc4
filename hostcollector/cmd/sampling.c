/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a fleet, tells the user how it goes, and has all runs reported on. */
#include "cmd/sampling.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/confine.h"
#include "cmd/guest_run.h"
#include "fleet.h"
#include "overall.h"
#include "util/text.h"
#include "util/vec.h"

/* Of one guest's profile, and of all together; dictionaries take as much
 * again at most. */
#define MEMORY_ONE (1ull << 30)
#define MEMORY_ALL (4ull << 30)
/* A guest that boots another image again and again must not fill memory. */
#define RUNS_MAX   16u
/* Open files beside those of guests: images, outputs, epoll, signals, libc's.
 */
#define FILES_ELSE 64u
/* Lines about single guests of many, in so much time: a thousand guests with
 * the same trouble shall not hide what else is said. */
#define LINES_MAX  20u
#define LINES_NS   5000000000u

struct sampling {
    const char *command; /* its name, before each error */
    const struct options *options;
    struct outputs *outputs;
    struct images images;
    struct guest_run **runs;
    size_t count, room;
    struct fleet *fleet;
    struct overall_sum overall;
    int stop_fd;
    bool failed;
    bool usage;        /* ... by what was typed */
    uint64_t lines_ns; /* when LINES_NS began */
    unsigned lines;    /* told since then */
    size_t untold;     /* left out */
    bool terminal;     /* a progress line may be shown */
    bool line_open;    /* one is shown */
};

/* Words for the user */

/* The progress line must not stand before other words. */
static void clear_line(struct sampling *s)
{
    if (s->line_open)
        (void)fputs("\r\033[K", stderr);
    s->line_open = false;
}

static bool alone(const struct sampling *s)
{
    return s->options->guests.count <= 1;
}

static void tell_untold(struct sampling *s)
{
    clear_line(s);
    if (s->untold != 0)
        (void)fprintf(stderr,
                      "collector: %zu more lines about other guests are left "
                      "out\n",
                      s->untold);
    s->untold = 0;
}

/* May one more line about one of many guests be told? */
static bool has_room(struct sampling *s)
{
    uint64_t now = source_now_ns();

    if (now - s->lines_ns > LINES_NS) {
        tell_untold(s);
        s->lines_ns = now;
        s->lines = 0;
    }
    if (s->lines < LINES_MAX) {
        s->lines++;
        return true;
    }
    s->untold++;
    return false;
}

/* One line of (command), about (r) where there are several guests. */
static void tell_user(struct sampling *s, const char *command,
                      const struct guest_run *r, const char *line)
{
    char text[512];

    if (r != NULL && !alone(s) && !has_room(s))
        return;
    clear_line(s);
    (void)fprintf(stderr, "%s: %s%s%s\n", command,
                  r != NULL && !alone(s) ? r->name : "",
                  r != NULL && !alone(s) ? ": " : "",
                  text_escape(text, sizeof text, line));
}

static void on_note(void *context, const struct guest_run *r, const char *line)
{
    tell_user(context, "collector", r, line);
}

static void on_progress(void *context, const struct fleet_progress *p)
{
    struct sampling *s = context;
    char samples[TEXT_NUMBER], guests[64] = "";
    uint64_t ticks = p->samples + p->lost;

    if (!s->terminal)
        return;
    if (!alone(s))
        (void)snprintf(guests, sizeof guests, "%zu of %zu guests, ",
                       p->sampling, p->guests);
    (void)fprintf(stderr,
                  "\r\033[K%s%s samples, %.0f/s, %.2f %% lost, %.0f s "
                  "(Ctrl-C ends)",
                  guests, text_count(samples, p->samples), p->sample_rate,
                  ticks == 0 ? 0 : 100 * (double)p->lost / (double)ticks,
                  p->seconds);
    (void)fflush(stderr);
    s->line_open = true;
}

/* Signals */

/* From here on Ctrl-C and kill are read from the returned descriptor. */
static int catch_signals(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* From here on signals end the process; one that has come does so at once. */
static void release_signals(struct sampling *s)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (s->stop_fd >= 0)
        (void)close(s->stop_fd);
    s->stop_fd = -1;
}

/* Runs */

static struct guest_run *add_run(struct sampling *s,
                                 const struct guest_spec *spec, unsigned number,
                                 struct err *e)
{
    size_t guests = s->options->guests.count;
    struct guest_run_config config = {
        .options = s->options,
        .spec = spec,
        .number = number,
        .alone = alone(s) && number == 1,
        .recording = s->outputs->recording,
        .memory_max =
            guests > MEMORY_ALL / MEMORY_ONE ? MEMORY_ALL / guests : MEMORY_ONE,
        .images = &s->images,
        .context = s,
        .say = on_note,
    };
    bool usage;
    struct guest_run *r = guest_run_new(&config, &usage, e);

    s->usage |= usage;
    if (r == NULL)
        return NULL;
    if (vec_grow(&s->runs, &s->room, s->count, sizeof(void *)) != 0 ||
        fleet_add(s->fleet, r->pipeline, e) != 0) {
        (void)err_set(e, "out of memory");
        guest_run_free(r);
        return NULL;
    }
    s->runs[s->count++] = r;
    return r;
}

static void print_failure(struct sampling *s, const struct guest_run *r,
                          const struct err *e)
{
    tell_user(s, s->command, r, e->text);
    s->failed = true;
}

/* After a reboot (r)'s guest runs another image: a run of its own. */
static void start_anew(struct sampling *s, struct guest_run *r)
{
    struct err e;

    if (r->config.number == RUNS_MAX) {
        (void)err_set(&e, "the guest changes its image again and again");
        print_failure(s, r, &e);
        return;
    }
    tell_user(
        s, "collector", r,
        "the guest rebooted into another image, or its image lies elsewhere "
        "now: sampling that from the beginning (there will be a report on "
        "each)");
    r->config.alone = false;
    if (add_run(s, r->config.spec, r->config.number + 1, &e) == NULL)
        print_failure(s, r, &e);
}

static void on_ended(void *context, struct pipeline *p, enum pipeline_end end,
                     const struct err *e)
{
    struct sampling *s = context;
    struct guest_run *r = pipeline_context(p);

    guest_run_ended(r, end, e);
    if (end == PIPELINE_OTHER_IMAGE && r->config.spec != NULL && !r->failed &&
        !fleet_stopping(s->fleet))
        start_anew(s, r);
    /* the others go on, so the user hears of it now */
    if (r->failed && s->count > 1)
        print_failure(s, r, &r->e);
}

/* Beginning */

/* A guest is a connection, and a file where it is recorded. */
static int raise_open_files(const struct sampling *s, struct err *e)
{
    size_t guests = s->options->guests.count;
    rlim_t wanted =
        guests * (s->outputs->recording != NULL ? 2 : 1) + FILES_ELSE;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max >= wanted)
        return 0;
    return err_set(e,
                   "%zu guests need %llu open files, and this process may have "
                   "%llu: type 'ulimit -n %llu' first (as root, or raise "
                   "LimitNOFILE= or limits.conf)",
                   guests, (unsigned long long)wanted,
                   (unsigned long long)limit.rlim_max,
                   (unsigned long long)wanted);
}

static int add_runs(struct sampling *s, struct err *e)
{
    const struct guests *g = &s->options->guests;

    if (g->count == 0)
        return add_run(s, NULL, 1, e) != NULL ? 0 : -1;
    for (size_t i = 0; i < g->count; i++) {
        struct err why;

        if (add_run(s, &g->list[i], 1, &why) == NULL)
            return g->count == 1
                       ? err_set(e, "%s", why.text)
                       : err_set(e, "%s: %s", g->list[i].name, why.text);
    }
    return 0;
}

static int start(struct sampling *s, struct err *e)
{
    struct fleet_config config = {.duration_s = s->options->duration_s,
                                  .context = s,
                                  .ended = on_ended,
                                  .progress = on_progress};

    if (raise_open_files(s, e) != 0)
        return -1;
    s->terminal = isatty(STDERR_FILENO) == 1;
    s->stop_fd = config.stop_fd = catch_signals();
    s->fleet = fleet_new(&config, e);
    return s->fleet != NULL ? add_runs(s, e) : -1;
}

/* Reports */

static int add_to_overall(struct sampling *s, const struct guest_run *r,
                          const struct report *report, struct err *e)
{
    struct aggregate_sums sums = pipeline_sums(r->pipeline);
    const struct overall_guest guest = {
        .name = r->name,
        .elf = guest_run_elf(r),
        .samples = sums.samples,
        .lost = sums.lost,
        .trouble = r->failed ? r->e.text : NULL,
    };

    return overall_add(&s->overall, &guest, report, r->images.image_map, e);
}

static int report_run(struct sampling *s, struct guest_run *r, bool several,
                      struct err *e)
{
    struct view *view;
    struct report report;
    int result;

    if (!guest_run_has_report(r))
        return several ? add_to_overall(s, r, NULL, e) : 0;
    view = guest_run_view(r, e);
    if (view == NULL)
        return -1;
    report = guest_run_report(r, view);
    result = outputs_write(s->outputs, &report, e);
    if (result == 0 && several)
        result = add_to_overall(s, r, &report, e);
    view_free(view);
    return result;
}

static int report_all(struct sampling *s, struct err *e)
{
    bool several = s->count > 1;
    struct overall overall;

    for (size_t i = 0; i < s->count; i++)
        if (report_run(s, s->runs[i], several, e) != 0)
            return -1;
    if (!several)
        return 0;
    if (overall_finish(&s->overall, &overall, e) != 0)
        return -1;
    return outputs_overall(s->outputs, &overall, e);
}

static bool any_report(struct sampling *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (guest_run_has_report(s->runs[i]))
            return true;
    return false;
}

static bool abandoned(const struct sampling *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->runs[i]->end == PIPELINE_ABANDONED)
            return true;
    return false;
}

/* 0; -1 with (e) filled, after reports on what came until then. */
static int report(struct sampling *s, struct err *e)
{
    if (abandoned(s))
        return err_set(e, "left without a report");
    if (!any_report(s))
        return 0;
    int result = outputs_open(s->outputs, e);

    if (result == 0)
        result = report_all(s, e);
    if (outputs_close(s->outputs, result == 0 ? e : NULL) != 0)
        result = -1;
    return result;
}

/* 0; -1 with (e) filled. */
static int run(struct sampling *s, struct err *e)
{
    struct err why;

    /* from here on bytes of guests are read */
    if (confine_sampling(s->options, s->outputs, &why) != 0)
        tell_user(s, "collector", NULL, why.text);
    int result = fleet_run(s->fleet, e);

    tell_untold(s);
    release_signals(s);
    if (result == 0)
        result = report(s, e);
    /* of several that was told when it happened */
    if (s->count == 1 && s->runs[0]->failed)
        print_failure(s, NULL, &s->runs[0]->e);
    return result;
}

static void sampling_fini(struct sampling *s)
{
    release_signals(s);
    overall_fini(&s->overall);
    fleet_free(s->fleet);
    for (size_t i = 0; i < s->count; i++)
        guest_run_free(s->runs[i]);
    free(s->runs);
    images_fini(&s->images);
}

int sampling_run(const char *name, const struct options *o, struct outputs *out,
                 sampling_done done)
{
    struct sampling s = {
        .command = name, .options = o, .outputs = out, .stop_fd = -1};
    struct err e = {""};
    int result = start(&s, &e) == 0 ? run(&s, &e) : -1;

    if (result != 0)
        print_failure(&s, NULL, &e);
    for (size_t i = 0; result == 0 && done != NULL && i < s.count; i++)
        if (!s.runs[i]->failed)
            done(s.runs[i]->recording, s.runs[i]->profile);
    sampling_fini(&s);
    if (s.usage)
        return EXIT_USAGE;
    return s.failed ? EXIT_FAILED : EXIT_DONE;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the loop of guests, and takes looks while it runs. */
#include "stacks/stacks_session.h"

#include <stdlib.h>
#include <time.h>

#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/messages.h"
#include "cli/signals.h"
#include "guest/guest_loop.h"
#include "outside/sampler_process.h"
#include "session/guest_report.h"
#include "stacks/snapshot.h"
#include "stacks/snapshot_output.h"
#include "util/host_clock.h"
#include "view/view_build.h"

#define SECOND   1000000000ull /* in nanoseconds */
#define TURN_MS  10u /* interval at which the state of cores is checked */
/* Longest time between the arrival of one core's counters and of the next
 * core's. */
#define STATS_NS (SECOND / 2)

/* A guest, or the recording. */
struct subject {
    struct guest_run *run;
    /* time of its last bytes before the end of the last look */
    uint64_t heard_ns;
    uint64_t base_tsc;    /* a sample is new after this time of its clock */
    size_t counters;      /* number of cores with counters so far */
    uint64_t counters_ns; /* since then */
    bool ended;
    bool warned; /* warnings about its image were printed */
};

struct session {
    const char *command;
    const struct stacks_config *config;
    /* Like the config's, but a dead guest replaces its memory. */
    struct guest_config from;
    struct guest_spec dead;
    struct outputs *outputs;
    struct images images;
    struct subject *subjects;
    size_t count;
    struct guest_loop *loop;
    struct messages tell;
    int stop_fd;
    uint32_t looks;    /* done */
    uint64_t begin_ns; /* begin of the next look, or of the current one; 0: the
                          first */
    bool began;        /* the current look has begun */
    uint64_t end_ns;   /* end of the last look; 0: it has not ended */
    bool seen;         /* there was a stack */
    bool usage, failed;
    struct err e; /* reason why the session cannot go on; "": it can */
};

static bool is_live(const struct session *s)
{
    return s->from.guests.count != 0 && !s->from.input_is_memory;
}

static void tell_user(struct session *s, const struct guest_run *r,
                      const char *line)
{
    messages_line(&s->tell, s->command, r != NULL ? r->name : NULL, line);
}

static void on_note(void *context, const struct guest_run *r, const char *line)
{
    tell_user(context, r, line);
}

/* Is it known that (core) does not sample? It is known that a core has not
 * joined once the counters of all other cores have arrived. */
static bool is_off(const struct subject *t, const struct profile *p,
                   const struct profile_core *core, uint64_t now)
{
    return snapshot_is_off(p, core) &&
           (core->has_stats ||
            (t->counters != 0 && now >= t->counters_ns + STATS_NS));
}

/* Update the number of cores with counters. */
static void count_counters(struct subject *t, const struct profile *p,
                           uint64_t now)
{
    size_t counters = 0;

    for (size_t i = 0; i < p->core_count; i++)
        counters += p->cores[i].has_stats;
    if (counters != t->counters)
        t->counters_ns = now;
    t->counters = counters;
}

/* Has every sampling core of (p) sent a sample since the look began? */
static bool has_told(struct subject *t, const struct profile *p, uint64_t now)
{
    count_counters(t, p, now);
    for (size_t i = 0; i < p->core_count; i++) {
        const struct profile_core *c = &p->cores[i];

        if (c->selected && !is_off(t, p, c, now) &&
            (c->total.samples == 0 || c->latest.samples[0].tsc <= t->base_tsc))
            return false;
    }
    return true;
}

static const struct profile *profile_of(const struct subject *t)
{
    return t->ended ? t->run->profile : pipeline_profile(t->run->pipeline);
}

/* Is there nothing more to wait for? A guest's time limit begins when the guest
 * follows the request to sample. */
static bool is_ready(const struct session *s, struct subject *t, uint64_t now)
{
    uint64_t begin = pipeline_sampling_ns(t->run->pipeline);
    const struct profile *p = t->ended ? NULL : profile_of(t);

    if (p == NULL)
        return true;
    if (begin == 0)
        return false; /* the guest is not connected yet */
    if (begin < s->begin_ns)
        begin = s->begin_ns;
    return has_told(t, p, now) ||
           now >= begin + (uint64_t)(s->config->options.duration_s *
                                     (double)SECOND);
}

/* Writing */

/* Print the warnings about the image, once. */
static void warn(struct session *s, struct subject *t)
{
    const struct remarks *r = &t->run->remarks;

    for (size_t i = 0; i < r->count && !t->warned; i++)
        if (r->list[i].warning)
            tell_user(s, t->run, r->list[i].text);
    t->warned = true;
}

/* Seconds without bytes from (t) before the end of the look. */
static double quiet_s(const struct session *s, const struct subject *t)
{
    uint64_t heard = t->heard_ns, now = s->end_ns;

    if (s->end_ns == 0) {
        heard = pipeline_heard_ns(t->run->pipeline);
        now = clock_ns();
    }
    return (double)(now - heard) / (double)SECOND;
}

/* Take a look at (t). Its view is (*view), which must outlive the result. NULL
 * with (e) filled. */
static struct snapshot *look_at(struct session *s, struct subject *t,
                                struct view **view, struct arena *arena,
                                struct err *e)
{
    const struct profile *p = profile_of(t);
    double quiet = is_live(s) ? quiet_s(s, t) : 0;
    const struct guest_spec *spec = t->run->config.spec;
    struct snapshot *shot = NULL;

    *view = p != NULL ? guest_report_look(t->run, p, e) : NULL;
    if (*view != NULL)
        shot = snapshot_new(p, *view, t->run->images.image_map, quiet,
                            is_live(s) ? s->config->options.duration_s : 0,
                            spec != NULL ? spec->registers : NULL, arena);
    if (shot == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    shot->guest = s->count > 1 ? t->run->name : NULL;
    shot->elf = guest_run_elf(t->run);
    shot->registers &= s->config->registers;
    for (size_t i = 0; !shot->registers && i < shot->count; i++)
        shot->cores[i].registers = NULL;
    for (size_t i = 0; i < shot->count; i++)
        s->seen |= shot->cores[i].state != SNAPSHOT_NONE;
    warn(s, t);
    return shot;
}

static double wall_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / (double)SECOND;
}

static void write_look(struct output *output, const struct report *look,
                       const void *what)
{
    if (output->format == &render_txt)
        snapshot_text(output->to.out, look, what);
    else
        snapshot_json(output->to.out, what);
}

/* Is there something to show for (t)? */
static bool is_shown(const struct subject *t)
{
    return !t->ended || guest_run_has_report(t->run);
}

/* Write a look at all guests. (shots) and (views) have room for one element for
 * each guest. Returns 0; -1 with (e) filled. */
static int look_at_all(struct session *s, const struct snapshot **shots,
                       struct view **views, struct arena *arena, struct err *e)
{
    struct snapshot_look look = {.number = s->looks + 1,
                                 .of = is_live(s) ? s->config->looks : 1,
                                 .wall_s = is_live(s) ? wall_s() : 0,
                                 .guests = shots};

    for (size_t i = 0; i < s->count; i++) {
        if (!is_shown(&s->subjects[i]))
            continue;
        shots[look.count] = look_at(s, &s->subjects[i], &views[i], arena, e);
        if (shots[look.count++] == NULL)
            return -1;
    }
    if (look.count == 0)
        return 0;
    if (s->looks == 0 && outputs_open(s->outputs, e) != 0)
        return -1;
    s->looks++;
    return outputs_write_by(s->outputs, write_look, &look, e);
}

static int take_look(struct session *s, struct err *e)
{
    const struct snapshot **shots = calloc(s->count, sizeof(void *));
    struct view **views = calloc(s->count, sizeof(void *));
    struct arena arena = {0};
    int result = shots != NULL && views != NULL
                     ? look_at_all(s, shots, views, &arena, e)
                     : err_memory(e);

    for (size_t i = 0; views != NULL && i < s->count; i++)
        view_free(views[i]);
    arena_fini(&arena);
    free(views);
    free(shots);
    return result;
}

/* The loop of guests */

/* Treat samples of (t) as new from now on. */
static void begin_look(struct subject *t)
{
    const struct profile *p = profile_of(t);

    for (size_t i = 0; p != NULL && i < p->core_count; i++)
        if (p->cores[i].latest.samples[0].tsc > t->base_tsc)
            t->base_tsc = p->cores[i].latest.samples[0].tsc;
}

/* End the last look. Samples that the guests have already taken still arrive.
 * The stacks are written after these arrive, so that all cores are of one
 * moment. */
static void end_last_look(struct session *s, uint64_t now)
{
    for (size_t i = 0; i < s->count; i++)
        s->subjects[i].heard_ns =
            pipeline_heard_ns(s->subjects[i].run->pipeline);
    s->end_ns = now;
    guest_loop_end(s->loop);
}

static void on_progress(void *context, const struct guest_loop_progress *p)
{
    struct session *s = context;
    uint64_t now = clock_ns();

    (void)p;
    if (now < s->begin_ns || guest_loop_stopping(s->loop))
        return;
    for (size_t i = 0; !s->began && s->looks != 0 && i < s->count; i++)
        begin_look(&s->subjects[i]);
    s->began = true;
    for (size_t i = 0; i < s->count; i++)
        if (!is_ready(s, &s->subjects[i], now))
            return;
    if (s->looks + 1 == s->config->looks) {
        end_last_look(s, now);
        return;
    }
    if (take_look(s, &s->e) != 0) {
        guest_loop_end(s->loop);
        return;
    }
    s->began = false;
    s->begin_ns = (s->begin_ns != 0 ? s->begin_ns : now) +
                  (uint64_t)(s->config->interval_s * (double)SECOND);
}

static void on_ended(void *context, struct pipeline *p, enum pipeline_end end,
                     const struct err *e)
{
    struct session *s = context;
    struct guest_run *r = pipeline_context(p);

    guest_run_ended(r, end, e);
    for (size_t i = 0; i < s->count; i++)
        s->subjects[i].ended |= s->subjects[i].run == r;
    if (!r->failed)
        return;
    tell_user(s, r, r->e.text);
    s->failed = true;
    if (end == PIPELINE_STAYED_AWAY && is_live(s) &&
        source_kind_find(r->config.spec->kind)->need != SOURCE_NEEDS_SAMPLER)
        tell_user(s, r,
                  "a guest with all interrupts off cannot answer: use --gdb or "
                  "--qmp");
}

static int add_subject(struct session *s, const struct guest_spec *spec,
                       uint64_t memory, struct err *e)
{
    struct guest_run_config config = {
        .options = &s->config->options,
        .spec = spec,
        .input = s->from.input,
        .number = 1,
        .alone = s->from.guests.count <= 1,
        .no_moments = true,
        .memory_max = memory,
        .view_max = memory,
        .images = &s->images,
        .context = s,
        .say = on_note,
    };
    enum guest_run_fault fault;
    struct guest_run *r = guest_run_new(&config, &fault, e);

    if (r == NULL) {
        s->usage = fault == GUEST_RUN_TYPED;
        return -1;
    }
    s->subjects[s->count++].run = r;
    return guest_loop_add(s->loop, r->pipeline, e);
}

static int add_subjects(struct session *s, struct err *e)
{
    const struct guests *g = &s->from.guests;
    size_t count = g->count != 0 ? g->count : 1;
    uint64_t memory = s->from.memory / 2 / count;

    s->subjects = calloc(count, sizeof *s->subjects);
    if (s->subjects == NULL)
        return err_memory(e);
    for (size_t i = 0; i < count; i++)
        if (add_subject(s, g->count != 0 ? &g->list[i] : NULL, memory, e) != 0)
            return -1;
    return 0;
}

/*
 * Show a dead guest by its memory: read the registers and stacks of its cores
 * from outside, like those of a stopped guest. If that is impossible, show the
 * last samples of its agent, as for a recording. Returns 0; -1 with (e) filled.
 */
static int look_at_dead(struct session *s, struct err *e)
{
    const struct guest_config *from = &s->from;
    struct guest_config dead = *from;
    struct err why, line;

    s->dead = (struct guest_spec){
        .kind = "memory", .where = from->input, .elfs = from->guests.elfs};
    dead.guests = (struct guests){
        .list = &s->dead, .count = 1, .elfs = from->guests.elfs};
    if (s->dead.elfs == NULL) {
        (void)err_set(&why, "without the image (--elf)");
    } else {
        if (sampler_processes_start(&dead, true, e) != 0)
            return -1;
        if (sampler_process_sees(&s->dead, &why) == 0) {
            s->from = dead;
            if (why.text[0] == '\0')
                return 0;
            (void)err_set(&line, "the dump %s", why.text);
            tell_user(s, NULL, line.text);
            return 0;
        }
    }
    (void)err_set(&line,
                  "the stacks at the moment of the dump are not known: %s; "
                  "these are the last that an agent sampled",
                  why.text);
    tell_user(s, NULL, line.text);
    return 0;
}

static int begin_samplers(struct session *s, struct err *e)
{
    const struct time_span *time = &s->config->options.selection.time;

    /* --time selects among the samples of an agent */
    if (s->from.input_is_memory && time->from_s <= 0 && time->to_s <= 0)
        return look_at_dead(s, e);
    return sampler_processes_start(&s->from, true, e);
}

static int start(struct session *s, struct err *e)
{
    struct guest_loop_config config = {.context = s,
                                       .ended = on_ended,
                                       .progress = on_progress,
                                       .progress_ms = TURN_MS};
    struct err lacking = {""};

    s->stop_fd = config.stop_fd = signals_catch(e);
    if (s->stop_fd < 0 || begin_samplers(s, e) != 0 ||
        confine_prepare_sampling(&s->from, s->outputs, e) != 0)
        return -1;
    s->tell.alone = s->from.guests.count <= 1;
    s->loop = guest_loop_new(&config, e);
    if (s->loop == NULL)
        return -1;
    if (confine_sampling(&s->from, &lacking) != 0) {
        *e = lacking;
        return -1;
    }
    if (lacking.text[0] != '\0')
        tell_user(s, NULL, lacking.text);
    if (add_subjects(s, e) != 0)
        return -1;
    return outputs_claim(s->outputs, e);
}

/* Run the session. Returns 0; -1 with (e) filled. */
static int run(struct session *s, struct err *e)
{
    if (guest_loop_run(s->loop, e) != 0)
        return -1;
    messages_end(&s->tell);
    if (s->e.text[0] != '\0') {
        *e = s->e;
        return -1;
    }
    /* one look is enough for guests that left early */
    return s->looks == 0 || s->end_ns != 0 ? take_look(s, e) : 0;
}

static void session_fini(struct session *s)
{
    signals_release(s->stop_fd,
                    s->loop != NULL ? guest_loop_stop_grace_ns(s->loop) : 0);
    guest_loop_free(s->loop);
    for (size_t i = 0; i < s->count; i++)
        guest_run_free(s->subjects[i].run);
    free(s->subjects);
    free(s->dead.registers);
    images_fini(&s->images);
}

int stacks_session_run(const char *command, const struct stacks_config *c,
                       struct outputs *out)
{
    struct session s = {.command = command,
                        .config = c,
                        .from = c->options.from,
                        .outputs = out,
                        .stop_fd = -1};
    struct err e = {""};
    int result = start(&s, &e) == 0 ? run(&s, &e) : -1;

    if (outputs_close(out, result == 0 && s.looks != 0,
                      result == 0 ? &e : NULL) != 0)
        result = -1;
    if (result != 0)
        tell_user(&s, NULL, e.text);
    session_fini(&s);
    if (s.usage)
        return EXIT_USAGE;
    if (result != 0 || s.failed)
        return EXIT_FAILED;
    return s.seen ? EXIT_DONE : EXIT_EMPTY;
}

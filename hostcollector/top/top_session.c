/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a guest or plays a file, makes pictures, and handles keys. */
#include "top/top_session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/host_clock.h"
#include "view/view_build.h"

#define MS          1000000ull /* in nanoseconds */
#define SECOND      (1000 * MS)
#define REFRESH     SECOND
/* A picture may take a tenth of the time, so that the guest's data is read. */
#define COST        10u
#define ENTRIES_MAX 5000u /* limit for one picture; deep stacks take 0.1 s */
#define NOTE_TIME   (10 * SECOND)
#define SLICE       (20 * MS) /* playing time until keys are read again */
#define LOOK_S      .5        /* file time between two looks */
#define SEEK_S      5
#define SPEED_MIN   .125
#define SPEED_MAX   1024.

/* Beginning */

void top_session_note(struct top_session *s, const char *line)
{
    (void)snprintf(s->note, sizeof s->note, "%s", line);
    s->note_ns = clock_ns();
    s->stale = true;
}

static void on_note(void *context, const struct guest_run *r, const char *line)
{
    (void)r;
    top_session_note(context, line);
}

/* A third of the memory: the window and the view have one each. */
static uint64_t third(const struct top_session *s)
{
    return s->options->from.memory / 3;
}

static int open_run(struct top_session *s, struct err *e)
{
    const struct options *o = s->options;
    struct guest_run_config config = {
        .options = o,
        .spec = o->from.guests.count != 0 ? &o->from.guests.list[0] : NULL,
        .number = 1,
        .alone = true,
        .input = o->from.input,
        .recording = s->record ? s->recording : NULL,
        .memory_max = third(s),
        .view_max = third(s),
        .no_moments = true,
        .needs_code = o->from.guests.count == 0, /* for key l */
        .takes_told = true,
        .images = &s->images,
        .context = s,
        .say = on_note,
    };
    enum guest_run_fault fault;

    s->window = top_window_new(TOP_WINDOW_MAX, third(s));
    if (s->window == NULL)
        return err_memory(e);
    s->run = guest_run_new(&config, &fault, e);
    s->usage = s->run == NULL && fault == GUEST_RUN_TYPED;
    return s->run != NULL ? 0 : -1;
}

static void close_run(struct top_session *s)
{
    top_news(&s->top, NULL, NULL);
    view_free(s->view);
    s->view = NULL;
    top_window_free(s->window);
    s->window = NULL;
    limit_entries_fini(&s->limit);
    guest_run_free(s->run);
    s->run = NULL;
}

int top_session_init(struct top_session *s, const struct options *o,
                     const char *recording, bool record, struct err *e)
{
    *s = (struct top_session){.options = o,
                              .recording = recording,
                              .record = record,
                              .recording_now = record,
                              .rate_hz = o->from.rate_hz,
                              .depth = o->from.depth,
                              .speed = 1,
                              .played_ns = clock_ns()};
    top_init(&s->top, o->from.guests.count == 0);
    s->top.by = o->shown.by;
    return open_run(s, e);
}

void top_session_fini(struct top_session *s)
{
    close_run(s);
    images_fini(&s->images);
    top_fini(&s->top);
}

/* Pictures */

/* Return the seconds of the guest's time that were received. */
static double seconds(const struct top_session *s)
{
    return pipeline_sums(s->run->pipeline).seconds;
}

/* Add the samples since the last look to the window. NULL if there is no
 * memory, or no guest yet. */
static const struct profile *profile_of_window(struct top_session *s)
{
    const struct profile *p = pipeline_profile(s->run->pipeline);

    s->looked_s = seconds(s);
    if (p == NULL || !p->has_guest || top_window_look(s->window, p) != 0)
        return NULL;
    return p;
}

/* Show the selected window of (p). */
static void show(struct top_session *s, const struct profile *p)
{
    double length = top_windows[s->top.window];
    struct err e;

    top_news(&s->top, NULL, NULL);
    view_free(s->view);
    s->view = NULL;
    if (p != NULL && length > 0)
        p = top_window_profile(s->window, p, length);
    if (p != NULL)
        p = limit_entries(&s->limit, p, ENTRIES_MAX);
    if (p == NULL)
        return;
    images_forget(&s->images, third(s) / 8);
    s->view = guest_report_look(s->run, p, &e);
    if (s->view == NULL)
        top_session_note(s, e.text);
    else
        top_news(&s->top, p, s->view);
}

/* Schedule the next picture: after a second, or later if this picture took
 * long. */
static void refresh(struct top_session *s, const struct profile *p)
{
    uint64_t begin = clock_ns(), cost;

    show(s, p);
    cost = clock_ns() - begin;
    s->refresh_ns = begin + (cost * COST > REFRESH ? cost * COST : REFRESH);
    s->stale = false;
}

/* The guest */

/* Close the recording of a running guest, with the names of its addresses. */
static int save(struct top_session *s, struct err *e)
{
    s->recording_now = false;
    s->run->profile = pipeline_profile(s->run->pipeline);
    guest_run_seal(s->run);
    if (s->run->failed)
        return err_set(e, "%s", s->run->e.text);
    return pipeline_record(s->run->pipeline, NULL, e);
}

int top_session_end(struct top_session *s, struct err *e)
{
    return s->recording_now ? save(s, e) : 0;
}

/* End the run, because of (failure) if that is not NULL. The last picture stays
 * on the screen. Returns -1 with (e) filled if there was none. */
static int end_run(struct top_session *s, const struct err *failure,
                   struct err *e)
{
    struct err late;
    enum pipeline_end end;
    bool empty = seconds(s) <= 0;

    if (pipeline_close(s->run->pipeline, &end, &late) < 0 && failure == NULL)
        failure = &late;
    guest_run_ended(s->run, end, failure);
    guest_run_seal(s->run);
    s->over = true;
    s->recording_now = false;
    if (s->run->failed && empty)
        return err_set(e, "%s", s->run->e.text);
    if (s->run->failed)
        top_session_note(s, s->run->e.text);
    else if (end == PIPELINE_OTHER_IMAGE)
        top_session_note(s, "the guest runs another image now; q leaves");
    else if (!s->top.player)
        top_session_note(s, "the guest has ended; q leaves");
    return 0;
}

/* Run one step of the pipeline. Returns 0; -1 with (e) filled. */
static int step_pipeline(struct top_session *s, bool readable, struct err *e)
{
    static char buf[64u * 1024];
    /* read a file in small pieces, so that it can be played */
    size_t size = s->top.player ? 1024 : sizeof buf;
    struct err why;
    int result = pipeline_step(s->run->pipeline, readable, buf, size, &why);

    return result > 0 ? 0 : end_run(s, result < 0 ? &why : NULL, e);
}

static int step_guest(struct top_session *s, bool readable, struct err *e)
{
    if (!s->over && step_pipeline(s, readable, e) != 0)
        return -1;
    uint64_t now = clock_ns();

    if (s->note[0] != '\0' && !s->over && now - s->note_ns > NOTE_TIME) {
        s->note[0] = '\0';
        s->stale = true;
    }
    /* the first picture is due as soon as there are samples */
    bool first = s->view == NULL && seconds(s) > 0;

    if (s->top.paused || (now < s->refresh_ns && !first))
        return s->stale;
    refresh(s, profile_of_window(s));
    return 1;
}

/* Playing */

/* Move the target, up to which the file is played, to the time (now). */
static void move_target(struct top_session *s, uint64_t now)
{
    if (!s->top.paused && !s->over && !s->seeking)
        s->target_s += (double)(now - s->played_ns) / (double)SECOND * s->speed;
    s->played_ns = now;
}

/* Is a look due, so that windows before the target will be complete? The end of
 * the file is estimated from the part that was read. */
static bool wants_look(const struct top_session *s)
{
    double at = seconds(s), part = pipeline_part(s->run->pipeline);
    double target = part > 0 ? fmin(s->target_s, at / part) : s->target_s;

    return at > target - 2 * TOP_WINDOW_MAX && at >= s->looked_s + LOOK_S;
}

/* Play up to the target, but not longer than a slice. Returns 0; -1 with (e)
 * filled. */
static int play(struct top_session *s, uint64_t now, struct err *e)
{
    uint64_t until = now + SLICE;

    while (!s->over && seconds(s) <= s->target_s && clock_ns() < until) {
        if (step_pipeline(s, true, e) != 0)
            return -1;
        if (wants_look(s))
            (void)profile_of_window(s);
    }
    return 0;
}

static int step_player(struct top_session *s, struct err *e)
{
    uint64_t now = clock_ns();
    bool was_over = s->over;

    move_target(s, now);
    if (play(s, now, e) != 0)
        return -1;
    bool there = s->over || seconds(s) > s->target_s;
    bool sought = s->seeking && there;

    if (there && s->over && s->target_s > seconds(s))
        s->target_s = seconds(s);
    s->seeking &= !there;
    bool first = s->view == NULL && seconds(s) > 0 && there;

    if (sought || first || (s->over && !was_over) ||
        (now >= s->refresh_ns && !s->top.paused && !s->over)) {
        refresh(s, profile_of_window(s));
        return 1;
    }
    return s->stale;
}

int top_session_step(struct top_session *s, bool readable, struct err *e)
{
    int result = s->top.player ? step_player(s, e) : step_guest(s, readable, e);

    s->stale = false;
    return result;
}

struct top_wait top_session_wait(const struct top_session *s)
{
    struct pipeline_poll wait = {.fd = -1, .due = UINT64_MAX};
    uint64_t now = clock_ns();
    uint64_t due = s->top.paused || s->over ? now + REFRESH : s->refresh_ns;

    if (!s->over && !s->top.player)
        wait = pipeline_wait(s->run->pipeline);
    if (wait.due < due)
        due = wait.due;
    if (s->top.player && !s->over && (!s->top.paused || s->seeking))
        due = seconds(s) <= s->target_s ? 0 : now + SLICE;
    if (s->stale)
        due = 0;
    return (struct top_wait){
        .fd = wait.fd,
        .to_write = wait.to_write,
        .ms = due <= now ? 0 : (int)((due - now + MS - 1) / MS)};
}

/* Keys */

/* Play to (to_s). A time before the current one is played from the
 * beginning. */
static int seek(struct top_session *s, double to_s, struct err *e)
{
    s->target_s = to_s > 0 ? to_s : 0;
    s->seeking = true;
    s->played_ns = clock_ns();
    if (seconds(s) <= s->target_s)
        return 0;
    close_run(s);
    s->over = false;
    s->looked_s = 0;
    return open_run(s, e);
}

static void set_speed(struct top_session *s, double factor)
{
    double speed = s->speed * factor;

    if (speed >= SPEED_MIN && speed <= SPEED_MAX)
        s->speed = speed;
}

/* Rates that are in step with no clock of a kernel; and depths. */
static const uint32_t rates[] = {1,   11,   23,   47,   97,    199,  499,
                                 997, 1999, 4999, 9973, 19997, 49999};
static const uint32_t depths[] = {1, 2, 4, 8, 16, 32, 64, 127};

/* The value of (list) next to (now), above or below. */
static uint32_t next_value(const uint32_t *list, size_t count, uint32_t now,
                           bool more)
{
    for (size_t i = 0; more && i < count; i++)
        if (list[i] > now)
            return list[i];
    for (size_t i = count; !more && i-- > 0;)
        if (list[i] < now)
            return list[i];
    return more ? list[count - 1] : list[0];
}

#define NEXT(list, now, more)                                                  \
    next_value(list, sizeof(list) / sizeof(list)[0], now, more)

/* Request another rate or depth from the guest. */
static void ask(struct top_session *s, enum top_wish wish)
{
    struct top_facts f = top_session_facts(s);

    if (s->over || f.rate_hz == 0) {
        top_session_note(s, "no guest is being sampled");
        return;
    }
    if (wish == TOP_RATE_UP || wish == TOP_RATE_DOWN)
        s->rate_hz = NEXT(rates, s->rate_hz ? s->rate_hz : f.rate_hz,
                          wish == TOP_RATE_UP);
    else
        s->depth =
            NEXT(depths, s->depth ? s->depth : f.depth, wish == TOP_DEPTH_UP);
    pipeline_ask(s->run->pipeline, s->rate_hz, s->depth);
}

/* Begin or end a recording. A failure ends nothing else. */
static void record(struct top_session *s)
{
    struct err e = {""};

    if (s->over) {
        top_session_note(s, "the guest has gone");
        return;
    }
    if (s->recording_now) {
        if (save(s, &e) == 0)
            (void)snprintf(e.text, sizeof e.text,
                           "wrote %s: collector report %s", s->recording,
                           s->recording);
        top_session_note(s, e.text);
        return;
    }
    if (pipeline_record(s->run->pipeline, s->recording, &e) != 0)
        top_session_note(s, e.text);
    else
        s->recording_now = true;
}

int top_session_key(struct top_session *s, uint32_t key, struct err *e)
{
    enum top_wish wish = top_key(&s->top, key);

    s->stale = true;
    switch (wish) {
    case TOP_NOTHING:
        return 1;
    case TOP_QUIT:
        return 0;
    case TOP_WINDOW:
        if (s->view != NULL)
            show(s, pipeline_profile(s->run->pipeline));
        return 1;
    case TOP_LINES:
        top_lines_show(s);
        return 1;
    case TOP_THREADS:
    case TOP_REQUESTS:
    case TOP_LOCKS:
        top_tables_show(s, wish);
        return 1;
    case TOP_RECORD:
        record(s);
        return 1;
    case TOP_RATE_UP:
    case TOP_RATE_DOWN:
    case TOP_DEPTH_UP:
    case TOP_DEPTH_DOWN:
        ask(s, wish);
        return 1;
    case TOP_BACK:
        return seek(s, s->target_s - SEEK_S, e) == 0 ? 1 : -1;
    case TOP_FORTH:
        return seek(s, s->target_s + SEEK_S, e) == 0 ? 1 : -1;
    case TOP_BEGIN:
    case TOP_END:
        return seek(s, wish == TOP_END ? INFINITY : 0, e) == 0 ? 1 : -1;
    case TOP_SLOWER:
        set_speed(s, .5);
        return 1;
    case TOP_FASTER:
        set_speed(s, 2);
        return 1;
    }
    return 1;
}

/* Facts */

/* The first warning, unless there is a newer message. */
static const char *note_of(const struct top_session *s)
{
    const struct remarks *r = &s->run->remarks;

    if (s->note[0] != '\0')
        return s->note;
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].warning)
            return r->list[i].text;
    return NULL;
}

struct top_facts top_session_facts(const struct top_session *s)
{
    const struct profile *p = s->top.profile;
    struct top_facts f = {.source = s->run->source,
                          .image = guest_run_elf(s->run),
                          .seconds = seconds(s),
                          .asked_rate_hz = s->rate_hz,
                          .asked_depth = s->depth,
                          .note = note_of(s),
                          .recording = s->recording_now ? s->recording : NULL,
                          .recorded = pipeline_recorded(s->run->pipeline),
                          .speed = s->speed,
                          .part = pipeline_part(s->run->pipeline),
                          .ended = s->over};

    if (p != NULL && p->has_status) {
        f.rate_hz = p->status.rate_hz;
        f.depth = p->status.depth;
    } else if (p != NULL) {
        f.rate_hz = p->guest.rate_hz;
        f.depth = p->guest.depth;
    }
    return f;
}

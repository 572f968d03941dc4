/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the loop of guests, and shows progress. */
#include "session/sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/confine/confine.h"
#include "cli/messages.h"
#include "cli/pager.h"
#include "cli/signals.h"
#include "guard/descriptor.h"
#include "guest/guest_loop.h"
#include "outside/sampler_process.h"
#include "session/guest_report.h"
#include "util/vec.h"

/* Limit of runs for a guest that boots another image again and again. */
#define RUNS_MAX   16u
#define LEAST_LEFT 4096u /* bytes: too few for any guest */

struct sampling {
    const struct sampling_job *job;
    const struct options *options; /* of (job) */
    struct outputs *outputs;       /* of (job) */
    struct images images;
    struct guest_run **runs;
    size_t count, room;
    struct guest_loop *loop;
    struct guest_reports reports;
    int stop_fd;
    bool failed;
    enum guest_run_fault fault; /* fault of the last run that could not begin */
    struct messages tell;
};

/* Words for the user */

static bool alone(const struct sampling *s)
{
    return s->options->from.guests.count <= 1;
}

static void tell_user(struct sampling *s, const char *command,
                      const struct guest_run *r, const char *line)
{
    messages_line(&s->tell, command, r != NULL ? r->name : NULL, line);
}

static void on_note(void *context, const struct guest_run *r, const char *line)
{
    tell_user(context, "collector", r, line);
}

static void on_progress(void *context, const struct guest_loop_progress *p)
{
    struct sampling *s = context;

    messages_progress(&s->tell, p);
}

/* Let signals end the process from here on, except a repetition of the signal
 * that was already handled. */
static void release_signals(struct sampling *s)
{
    uint64_t grace_ns = s->loop ? guest_loop_stop_grace_ns(s->loop) : 0;

    signals_release(s->stop_fd, s->job->supervised ? UINT64_MAX : grace_ns);
    s->stop_fd = -1;
}

/* Runs */

/* The part of all memory for views, of which one exists at a time. The rest is
 * divided equally among the profiles of guests. */
static uint64_t memory_of_view(const struct sampling *s)
{
    return s->options->from.memory / (alone(s) ? 2 : 4);
}

static uint64_t profile_memory(const struct sampling *s)
{
    uint64_t guests = alone(s) ? 1 : s->options->from.guests.count;

    return (s->options->from.memory - memory_of_view(s)) / guests;
}

/* Add run (number) of a guest, whose profile may take (memory). */
static struct guest_run *add_run(struct sampling *s,
                                 const struct guest_spec *spec, unsigned number,
                                 uint64_t memory, struct err *e)
{
    struct guest_run_config config = {
        .options = s->options,
        .spec = spec,
        .number = number,
        .alone = alone(s) && number == 1,
        .input = s->options->from.input,
        .recording = s->outputs->recording,
        .needs_code = s->job->part != NULL && s->job->part->needed,
        .takes_told = s->job->part != NULL && s->job->part->takes_told,
        .supervised = s->job->supervised,
        .origin = s->job->origin,
        .memory_max = memory,
        .view_max = memory_of_view(s),
        .images = &s->images,
        .context = s,
        .say = on_note,
    };
    struct guest_run *r = guest_run_new(&config, &s->fault, e);

    if (r == NULL)
        return NULL;
    if (vec_grow(&s->runs, &s->room, s->count, sizeof(void *)) != 0 ||
        guest_loop_add(s->loop, r->pipeline, e) != 0) {
        (void)err_memory(e);
        guest_run_free(r);
        return NULL;
    }
    s->runs[s->count++] = r;
    return r;
}

static void print_failure(struct sampling *s, const struct guest_run *r,
                          const struct err *e)
{
    tell_user(s, s->job->command, r, e->text);
    s->failed = true;
}

/* Return the memory that (r) has not used of its guest's share; never 0, which
 * would mean no limit. */
static uint64_t memory_left(const struct guest_run *r)
{
    uint64_t left = pipeline_memory_left(r->pipeline);

    return left > LEAST_LEFT ? left : LEAST_LEFT;
}

/* Begin another run, because the guest of (r) runs another image after a
 * reboot. */
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
        "the guest rebooted into another image, or its image is at another "
        "address now: sampling starts again (there will be a report on each)");
    r->config.alone = false;
    if (add_run(s, r->config.spec, r->config.number + 1, memory_left(r), &e) ==
        NULL)
        print_failure(s, r, &e);
}

static void tell_early_end(struct sampling *s, const struct guest_run *r)
{
    char line[512];

    (void)snprintf(line, sizeof line,
                   "the guest left %s before the %.3g s were over",
                   r->config.spec->where, s->options->duration_s);
    tell_user(s, s->job->command, NULL, line);
}

static void tell_full(struct sampling *s, const struct guest_run *r)
{
    char line[640];

    (void)snprintf(line, sizeof line,
                   "%.500s has the %s of --max-size: sampling ends here",
                   r->recording, s->job->max_size);
    tell_user(s, s->job->command, NULL, line);
}

static void on_ended(void *context, struct pipeline *p, enum pipeline_end end,
                     const struct err *e)
{
    struct sampling *s = context;
    struct guest_run *r = pipeline_context(p);

    guest_run_ended(r, end, e);
    if (end == PIPELINE_SOURCE_END && r->config.spec != NULL &&
        s->options->duration_s > 0 && alone(s) && !r->failed)
        tell_early_end(s, r);
    if (end == PIPELINE_FULL)
        tell_full(s, r);
    if (end == PIPELINE_OTHER_IMAGE && r->config.spec != NULL && !r->failed &&
        !guest_loop_stopping(s->loop))
        start_anew(s, r);
    /* the other guests go on, so print the error now */
    if (r->failed && s->count > 1)
        print_failure(s, r, &r->e);
}

/* Beginning */

static int add_runs(struct sampling *s, struct err *e)
{
    const struct guests *g = &s->options->from.guests;

    if (g->count == 0)
        return add_run(s, NULL, 1, profile_memory(s), e) != NULL ? 0 : -1;
    for (size_t i = 0; i < g->count; i++) {
        struct err why;

        if (add_run(s, &g->list[i], 1, profile_memory(s), &why) == NULL)
            return g->count == 1
                       ? err_set(e, "%s", why.text)
                       : err_set(e, "%s: %s", g->list[i].name, why.text);
    }
    return 0;
}

/* Enter the sandbox. From here on the process reads untrusted bytes: images,
 * recordings, and data of guests. */
static int enter_sandbox(struct sampling *s, struct err *e)
{
    struct err lacking;

    if (confine_sampling(&s->options->from, &lacking) != 0)
        return err_set(e, "%s", lacking.text);
    if (lacking.text[0] != '\0')
        tell_user(s, s->job->command, NULL, lacking.text);
    return 0;
}

static int start(struct sampling *s, struct err *e)
{
    struct guest_loop_config config = {.duration_s = s->options->duration_s,
                                       .context = s,
                                       .ended = on_ended,
                                       .progress = on_progress};
    const struct guest_config *from = &s->options->from;
    char ignored[OUTPUTS_IGNORED];

    if (descriptor_allow_guests(from->guests.count,
                                s->outputs->recording != NULL, e) != 0)
        return -1;
    s->stop_fd = signals_catch(e);
    /* a part of a window must not be sent as the whole window */
    config.stop_fd = s->job->origin != NULL ? -1 : s->stop_fd;
    if (s->stop_fd < 0 || sampler_processes_start(from, false, e) != 0 ||
        confine_prepare_sampling(from, s->outputs, e) != 0)
        return -1;
    if (s->outputs->terminal && !s->options->shown.no_pager)
        pager_start();
    s->tell.alone = alone(s);
    s->tell.terminal = isatty(STDERR_FILENO) == 1;
    s->tell.keys_taken = s->job->keys_taken;
    if (outputs_ignored(ignored, s->outputs, &s->options->shown)[0] != '\0')
        tell_user(s, s->job->command, NULL, ignored);
    s->loop = guest_loop_new(&config, e);
    if (s->loop == NULL || enter_sandbox(s, e) != 0 || add_runs(s, e) != 0)
        return -1;
    return outputs_claim(s->outputs, e);
}

/* Running */

/* Close the recordings. With several guests, print each failure at once. */
static void seal(struct sampling *s, struct guest_run *r)
{
    bool failed = r->failed;

    guest_run_seal(r);
    if (r->failed && !failed && s->count > 1)
        print_failure(s, r, &r->e);
}

/* Run the session. Returns 0; -1 with (e) filled. */
static int run(struct sampling *s, struct err *e)
{
    int result = guest_loop_run(s->loop, e);

    messages_end(&s->tell);
    for (size_t i = 0; result == 0 && i < s->count; i++)
        seal(s, s->runs[i]);
    release_signals(s);
    s->reports = (struct guest_reports){.job = s->job,
                                        .images = &s->images,
                                        .memory = memory_of_view(s),
                                        .tell = &s->tell,
                                        .runs = s->runs,
                                        .count = s->count};
    if (result == 0)
        result = guest_reports_write(&s->reports, e);
    /* with several guests it was printed when it happened */
    if (s->count == 1 && s->runs[0]->failed)
        print_failure(s, NULL, &s->runs[0]->e);
    return result;
}

/* An enum exit_code. */
static int status_of(const struct sampling *s)
{
    if (s->fault == GUEST_RUN_TYPED)
        return EXIT_USAGE;
    if (s->job->origin != NULL && s->fault == GUEST_RUN_IMAGE)
        return EXIT_NO_IMAGE;
    if (s->job->origin != NULL && s->count == 1 && s->runs[0]->other_kernel)
        return EXIT_OTHER_IMAGE;
    if (s->failed || s->reports.failed)
        return EXIT_FAILED;
    return s->reports.seen ? EXIT_DONE : EXIT_EMPTY;
}

static void sampling_fini(struct sampling *s)
{
    release_signals(s);
    (void)outputs_close(s->outputs, false, NULL);
    guest_reports_fini(&s->reports);
    guest_loop_free(s->loop);
    for (size_t i = 0; i < s->count; i++)
        guest_run_free(s->runs[i]);
    free(s->runs);
    images_fini(&s->images);
    pager_end();
}

static void say_recorded(const struct sampling *s, const struct guest_run *r)
{
    if (s->job->done != NULL && !s->outputs->quiet)
        s->job->done(r->recording, r->profile);
    else if (s->job->done == NULL)
        outputs_say(s->outputs, r->recording, r->recorded);
}

int sampling_run(const struct sampling_job *job)
{
    struct sampling s = {.job = job,
                         .options = job->options,
                         .outputs = job->outputs,
                         .stop_fd = -1};
    struct err e = {""};
    int result = start(&s, &e) == 0 ? run(&s, &e) : -1;

    if (result != 0)
        print_failure(&s, NULL, &e);
    for (size_t i = 0; result == 0 && i < s.count; i++)
        if (!s.runs[i]->failed && s.runs[i]->recording != NULL)
            say_recorded(&s, s.runs[i]);
    int status = status_of(&s);

    sampling_fini(&s);
    return status;
}

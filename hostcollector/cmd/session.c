/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a pipeline, tells the user how it goes, and has its profile rendered. */
#include "cmd/session.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/identity.h"
#include "pipeline.h"
#include "render/text.h"
#include "symbolize/image.h"
#include "symbolize/opcodes.h"
#include "symbolize/symbolize.h"
#include "view/view.h"

struct session {
    const struct options *options;
    const struct outputs *outputs;
    struct pipeline *pipeline;
    struct image *image; /* NULL: none known */
    uint64_t slide;
    const struct profile *profile;
    struct remarks remarks;
    char source[RECORDING_TEXT_MAX];
    int stop_fd;
    bool terminal;  /* a progress line may be shown */
    bool line_open; /* one is shown */
    bool image_sought;
};

/* The progress line must not stand before other words. */
static void clear_line(struct session *s)
{
    if (s->line_open)
        (void)fputs("\r\033[K", stderr);
    s->line_open = false;
}

static void on_note(void *context, const char *line)
{
    struct session *s = context;
    char text[512];

    clear_line(s);
    (void)fprintf(stderr, "collector: %s\n",
                  text_escape(text, sizeof text, line));
}

static void on_progress(void *context, const struct pipeline_progress *p)
{
    struct session *s = context;
    char samples[TEXT_NUMBER];
    uint64_t ticks = p->samples + p->lost;

    if (!s->terminal)
        return;
    (void)fprintf(stderr,
                  "\r\033[K%s samples, %.0f/s, %.2f %% lost, %.0f s "
                  "(Ctrl-C ends)",
                  text_count(samples, p->samples), p->sample_rate,
                  ticks == 0 ? 0 : 100 * (double)p->lost / (double)ticks,
                  p->seconds);
    (void)fflush(stderr);
    s->line_open = true;
}

/* What the recording that is being read says of itself; NULL if none is. */
static const struct recording_info *recorded(const struct session *s)
{
    enum recording_end end;

    return pipeline_recording(s->pipeline, &end);
}

/* The image that a recording names, where --elf names none. */
static void find_image(struct session *s)
{
    const struct recording_info *info = recorded(s);
    struct err why;

    if (s->image_sought)
        return;
    s->image_sought = true;
    if (info == NULL || info->elf[0] == '\0')
        remarks_warn(&s->remarks,
                     "Addresses have no names, and idle time counts "
                     "as busy: give the guest's image by --elf.");
    else if (image_open(&s->image, info->elf, &why) != 0)
        remarks_warn(&s->remarks,
                     "Addresses have no names, and idle time counts as busy: "
                     "%s. Give the guest's image by --elf.",
                     why.text);
}

static int on_hello(void *context, const struct guest *g, struct err *e)
{
    struct session *s = context;

    if (s->image == NULL)
        find_image(s);
    if (s->image == NULL)
        return 0;
    return identity_check(g, s->image, &s->slide, &s->remarks, e);
}

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

/* From here on they end the process, one that came meanwhile at once. */
static void release_signals(struct session *s)
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

static void fill_info(const struct session *s, struct recording_info *info)
{
    char path[PATH_MAX];
    size_t len = 0;
    const uint8_t *id = NULL;

    (void)snprintf(info->version, sizeof info->version, "%s",
                   COLLECTOR_VERSION);
    if (s->image == NULL)
        return;
    /* the recording may be read from another directory */
    if (realpath(image_path(s->image), path) != NULL &&
        strlen(path) < sizeof info->elf)
        memcpy(info->elf, path, strlen(path) + 1);
    id = image_build_id(s->image, &len);
    if (id != NULL && len <= sizeof info->build_id) {
        memcpy(info->build_id, id, len);
        info->build_id_len = len;
    }
}

static struct pipeline_config make_config(struct session *s)
{
    const struct options *o = s->options;
    struct pipeline_config config = {
        .rate_hz = o->rate_hz,
        .depth = o->depth,
        .duration_s = o->duration_s,
        .stop_fd = s->stop_fd,
        .aggregate = {.one_core = o->core >= 0,
                      .core = o->core >= 0 ? (uint32_t)o->core : 0,
                      .from_s = o->from_s,
                      .to_s = o->to_s},
        .record_path = s->outputs->recording,
        .context = s,
        .hello = on_hello,
        .note = on_note,
        .progress = on_progress,
    };

    fill_info(s, &config.info);
    return config;
}

static void session_free(struct session *s)
{
    if (s == NULL)
        return;
    release_signals(s);
    pipeline_free(s->pipeline);
    image_close(s->image);
    free(s);
}

/* Owns (source) from now on, also if this fails: NULL, and (e) is filled. */
static struct session *session_new(struct source *source,
                                   const struct options *o,
                                   const struct outputs *out, struct err *e)
{
    struct session *s = calloc(1, sizeof *s);

    if (s == NULL) {
        (void)err_set(e, "out of memory");
        goto fail;
    }
    s->options = o;
    s->outputs = out;
    s->terminal = isatty(STDERR_FILENO) == 1;
    s->stop_fd = -1;
    (void)snprintf(s->source, sizeof s->source, "%s%s",
                   o->serial != NULL ? "serial:" : "", source->path);
    if (o->elf != NULL && image_open(&s->image, o->elf, e) != 0)
        goto fail;
    s->stop_fd = catch_signals();

    struct pipeline_config config = make_config(s);
    s->pipeline = pipeline_new(source, &config, e);
    source = NULL; /* it is the pipeline's now, or closed */
    if (s->pipeline == NULL)
        goto fail;
    return s;

fail:
    source_close(source);
    session_free(s);
    return NULL;
}

/* What the end itself tells; an empty stream is an error. */
static int judge_end(struct session *s, enum pipeline_end end, struct err *e)
{
    enum recording_end closed = RECORDING_WHOLE;

    (void)pipeline_recording(s->pipeline, &closed);
    if (closed == RECORDING_CUT)
        remarks_note(&s->remarks, "The recording ends abruptly: it was cut, or "
                                  "its collector was killed.");
    if (closed == RECORDING_DAMAGED)
        remarks_warn(&s->remarks, "The recording is damaged: nothing behind "
                                  "the damage was read.");
    if (end == PIPELINE_ABANDONED)
        return err_set(e, "left without a report");
    if (end == PIPELINE_OTHER_IMAGE)
        remarks_warn(&s->remarks, "After a reboot the guest runs another "
                                  "image; what it did then is left out.");
    if (s->profile == NULL)
        return err_set(e, "out of memory");
    if (!s->profile->has_guest)
        return err_set(e, "%s: no guest introduced itself: %s", s->source,
                       s->options->serial != NULL
                           ? "does one run with this socket behind its port "
                             "tprof.0, and call tprof_init()?"
                           : "is this a recording, or a captured stream?");
    return 0;
}

static void note_flaws(struct session *s)
{
    unsigned flaws = s->image != NULL ? image_flaws(s->image) : 0;

    /* the build-id was spoken of when the guest introduced itself */
    for (unsigned flaw = IMAGE_NO_SYMBOLS; flaw <= IMAGE_BAD_DEBUG;
         flaw <<= 1) {
        if ((flaws & flaw) != 0)
            remarks_note(&s->remarks, "%s",
                         image_flaw_text((enum image_flaw)flaw));
    }
}

static int render(struct session *s, const struct view *view, struct err *e)
{
    const struct recording_info *info = recorded(s);
    struct report report = {
        .profile = s->profile,
        .view = view,
        .remarks = &s->remarks,
        .elf = s->image != NULL ? image_path(s->image) : NULL,
        .source = info != NULL ? info->source : s->source,
        .top = s->options->top,
        .all = s->options->all,
    };

    remarks_diagnose(&s->remarks, s->profile, view);
    note_flaws(s);
    return outputs_write(s->outputs, &report, e);
}

static int report(struct session *s, struct err *e)
{
    struct symbolizer *symbolizer = NULL;
    struct opcodes *opcodes = NULL;
    struct view *view = NULL;
    int result = -1;

    if (s->image != NULL) {
        symbolizer = symbolizer_new(s->image, s->slide);
        opcodes = opcodes_new(s->image, s->slide);
    }
    if (s->image == NULL || (symbolizer != NULL && opcodes != NULL))
        view = view_new(s->profile, symbolizer, opcodes);
    if (view == NULL)
        (void)err_set(e, "out of memory");
    else
        result = render(s, view, e);
    view_free(view);
    opcodes_free(opcodes);
    symbolizer_free(symbolizer);
    return result;
}

/* 0; -1 with (e) filled, after a report on what came until then. */
static int run(struct session *s, struct err *e)
{
    enum pipeline_end end = PIPELINE_SOURCE_END;
    struct err later;
    int result = pipeline_run(s->pipeline, &end, e);

    clear_line(s);
    release_signals(s);
    s->profile = pipeline_profile(s->pipeline);
    if (result == 0 && judge_end(s, end, e) != 0)
        return -1;
    /* what went wrong late shall not cost what came before */
    if (result != 0 && (s->profile == NULL || s->profile->stack_count == 0))
        return -1;
    if (report(s, result == 0 ? e : &later) != 0)
        result = -1;
    return result;
}

int session_run(const char *name, struct source *source,
                const struct options *o, const struct outputs *out,
                session_done done)
{
    struct err e = {""};
    struct session *s = session_new(source, o, out, &e);
    int result = s != NULL ? run(s, &e) : -1;

    if (result != 0)
        (void)fprintf(stderr, "%s: %s\n", name, e.text);
    else if (done != NULL)
        done(out, s->profile);
    session_free(s);
    return result == 0 ? EXIT_DONE : EXIT_FAILED;
}

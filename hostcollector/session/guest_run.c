/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins a pipeline and its report: image, identity, recording, remarks. */
#include "session/guest_run.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "diagnose/remarks.h"
#include "guard/opener.h"
#include "image/match/identity.h"
#include "session/guest_run_parts.h"

#define DEFAULT_WAIT_S 10.0
#define FIRST_WAIT_S   2.0

static void on_note(void *context, const char *line)
{
    struct guest_run *r = context;

    r->config.say(r->config.context, r, line);
}

static int on_hello(void *context, const struct guest *g, struct err *e)
{
    struct guest_run *r = context;

    guest_files_find(r, g);
    r->other_kernel = guest_images_hello(&r->images, g, &r->remarks, e) != 0;
    return r->other_kernel ? -1 : 0;
}

/* The absolute path of file (i), because a recording may be read in another
 * folder. NULL if there is none, or if it is too long. */
static const char *absolute_path(struct guest_run *r, size_t i)
{
    char path[PATH_MAX];
    const struct image *image = shared_image_get(r->images.files[i]);

    if (realpath(image_path(image), path) == NULL ||
        strlen(path) >= RECORDING_TEXT_MAX)
        return NULL;
    return arena_strndup(&r->paths, path, strlen(path));
}

static void fill_info(struct guest_run *r, struct recording_info *info)
{
    const struct guest_spec *spec = r->config.spec;
    size_t len = 0;

    if (spec != NULL) {
        info->labels = spec->labels;
        info->label_count = spec->label_count;
    }
    (void)snprintf(info->version, sizeof info->version, "%s",
                   COLLECTOR_VERSION);
    for (size_t i = 0; i < r->images.count; i++) {
        const char *path = absolute_path(r, i);

        if (path != NULL && i == 0)
            memcpy(info->elf, path, strlen(path) + 1);
        else if (path != NULL && r->more_elf_count < GUEST_MAPS_MAX)
            r->more_elfs[r->more_elf_count++] = path;
    }
    info->more_elfs = r->more_elfs;
    info->more_elf_count = r->more_elf_count;
    if (r->images.count == 0)
        return;
    const uint8_t *id =
        image_build_id(shared_image_get(r->images.files[0]), &len);

    if (id != NULL && len <= sizeof info->build_id) {
        memcpy(info->build_id, id, len);
        info->build_id_len = len;
    }
}

/* Seconds to wait for a guest that left. */
static double wait_s(const struct options *o)
{
    return o->from.wait_s < 0 ? DEFAULT_WAIT_S : o->from.wait_s;
}

/* Seconds to wait for a guest that was not there yet: without limit, unless the
 * user or the command gives one. A connected guest has FIRST_WAIT_S to answer
 * in any case. */
static double first_wait_s(const struct options *o)
{
    return o->from.wait_s < 0 ? o->from.first_wait_s
                              : fmax(o->from.wait_s, FIRST_WAIT_S);
}

static struct pipeline_config make_config(struct guest_run *r)
{
    const struct options *o = r->config.options;
    struct pipeline_config config = {
        .rate_hz = o->from.rate_hz,
        .depth = o->from.depth,
        .wait_s = wait_s(o),
        .started = r->config.supervised && r->config.spec != NULL,
        .first_wait_s = first_wait_s(o),
        .aggregate = {.memory = o->from.input_is_memory,
                      .cores = o->selection.cores,
                      .from_s = o->selection.time.from_s,
                      .to_s = o->selection.time.to_s,
                      .memory_max = r->config.memory_max,
                      .raw = o->shown.raw,
                      .no_moments = r->config.no_moments,
                      .slow = r->config.slow},
        .memory_all = r->config.number == 1 ? o->from.memory : 0,
        .record_path = r->recording,
        .record_max = o->max_bytes,
        .names = r->recording != NULL && !o->no_names,
        .context = r,
        .hello = on_hello,
        .note = on_note,
    };

    fill_info(r, &config.info);
    return config;
}

static void make_name(struct guest_run *r)
{
    const struct guest_spec *spec = r->config.spec;

    if (spec == NULL)
        return;
    if (r->config.number > 1)
        (void)snprintf(r->name, sizeof r->name, "%s.%u", spec->name,
                       r->config.number);
    else
        (void)snprintf(r->name, sizeof r->name, "%s", spec->name);
}

/* Write the path: NAME.tprof for the only run, NAME.GUEST.tprof for each of
 * several. */
static int name_recording(struct guest_run *r, struct err *e)
{
    const char *path = r->config.recording;
    char text[PATH_MAX];

    if (path == NULL)
        return 0;
    int stem = outputs_stem(path);
    int length = snprintf(text, sizeof text, "%.*s.%s%s", stem, path, r->name,
                          path + stem);

    if (length < 0 || (size_t)length >= sizeof text)
        return err_set(e, "-o %s: too long a path", path);
    r->recording = strdup(r->config.alone ? path : text);
    return r->recording != NULL ? 0 : err_memory(e);
}

struct guest_run *guest_run_new(const struct guest_run_config *config,
                                enum guest_run_fault *fault, struct err *e)
{
    struct guest_run *r = calloc(1, sizeof *r);
    const struct elf_path *elf = config->spec != NULL
                                     ? config->spec->elfs
                                     : config->options->from.guests.elfs;

    *fault = GUEST_RUN_ELSE;
    if (r == NULL) {
        (void)err_memory(e);
        return NULL;
    }
    r->config = *config;
    make_name(r);
    errno = 0;
    struct source *source = guest_source_open(r, e);

    if (source == NULL && errno != ENODEV)
        *fault = GUEST_RUN_TYPED;
    if (source == NULL || name_recording(r, e) != 0)
        goto fail;
    for (; elf != NULL; elf = elf->next)
        if (guest_images_add(&r->images, config->images, elf->path, e) != 0) {
            *fault = GUEST_RUN_IMAGE;
            goto fail;
        }
    r->given = r->images.count;
    struct pipeline_config pipeline = make_config(r);

    r->pipeline = pipeline_new(source, &pipeline, e);
    source = NULL; /* the pipeline owns it now, or has closed it */
    if (r->pipeline != NULL)
        return r;

fail:
    source_close(source);
    guest_run_free(r);
    return NULL;
}

void guest_run_free(struct guest_run *r)
{
    if (r == NULL)
        return;
    pipeline_free(r->pipeline);
    guest_images_fini(&r->images);
    guest_names_fini(&r->names);
    arena_fini(&r->paths);
    free(r->recording);
    free(r);
}

void guest_run_failed(struct guest_run *r, const struct err *e)
{
    r->failed = true;
    r->e = *e;
}

/* Explain in (e) why collector run, which started QEMU, found no guest. */
static void started_without_guest(const struct guest_run *r, struct err *e)
{
    const struct elf_path *elf = r->config.spec->elfs;
    const char *path = elf != NULL ? elf->path : "FILE";

    if (r->end == PIPELINE_STAYED_AWAY)
        (void)err_set(e,
                      "the kernel's profiler did not answer within %.3g s: see "
                      "what QEMU and the "
                      "guest printed, or type: collector check %s",
                      first_wait_s(r->config.options), path);
    else
        (void)err_set(
            e,
            "QEMU ended before the kernel's profiler answered: see what QEMU "
            "and the guest printed. If the guest did not crash, "
            "type: collector check %s",
            path);
}

static void no_guest(struct guest_run *r)
{
    const char *excuse = pipeline_excuse(r->pipeline);
    enum recording_end end = RECORDING_WHOLE;
    struct err e;

    (void)pipeline_recording(r->pipeline, &end);
    bool started = r->config.supervised && r->config.spec != NULL;

    if (started)
        started_without_guest(r, &e);
    else if (r->end == PIPELINE_STAYED_AWAY)
        (void)err_set(&e, "no guest connected within %.3g s: %s",
                      first_wait_s(r->config.options), excuse);
    else if (end == RECORDING_CUT)
        (void)err_set(&e, "%s: it is cut before the guest's first message",
                      r->source);
    else
        (void)err_set(&e, "%s", excuse);
    guest_run_failed(r, &e);
}

/* Add remarks on how the stream ended. A stream without a guest is an error. */
static void judge_end(struct guest_run *r)
{
    guest_source_remark(r);
    if (r->end == PIPELINE_OTHER_IMAGE)
        remarks_warn(
            &r->remarks,
            "After a reboot the guest runs another image, or its image is at "
            "another address: the time after the reboot is left out.");
    if (r->end == PIPELINE_STAYED_AWAY)
        remarks_note(&r->remarks,
                     "The guest left and did not come back within %.3g s.",
                     wait_s(r->config.options));
    if (r->profile != NULL && !r->profile->has_guest)
        no_guest(r);
}

void guest_run_ended(struct guest_run *r, enum pipeline_end end,
                     const struct err *e)
{
    struct err memory;

    r->end = end;
    r->profile = pipeline_profile(r->pipeline);
    if (e != NULL) {
        guest_run_failed(r, e);
    } else if (r->profile == NULL) {
        (void)err_memory(&memory);
        guest_run_failed(r, &memory);
    } else {
        judge_end(r);
    }
}

/* Drop a recording without samples, so that it does not replace an older
 * one. */
static void give_back(struct guest_run *r)
{
    char line[PATH_MAX + 64];

    if (opener_open(OPENER_UNDO, r->recording) != 0)
        return;
    (void)snprintf(line, sizeof line,
                   "no samples came: %.1000s is the older recording",
                   r->recording);
    on_note(r, line);
    free(r->recording);
    r->recording = NULL;
}

void guest_run_seal(struct guest_run *r)
{
    const struct options *o = r->config.options;
    const struct guest_names_job job = {
        .images = &r->images,
        .told = &r->names,
        .profile = r->profile,
        .partial = selection_is_part(&o->selection) || r->names.named.partial,
        .code = !o->no_code,
        .reads_sources = o->from.reads_sources,
        .folder = o->from.sources,
        .memory = r->config.view_max};
    struct err e;
    bool in_order = r->profile != NULL && !r->failed &&
                    r->end != PIPELINE_ABANDONED && !o->no_names;

    if (in_order && guest_names_write(r->pipeline, &job, &e) != 0)
        guest_run_failed(r, &e);
    r->recorded = pipeline_recorded(r->pipeline);
    if (pipeline_seal(r->pipeline, &e) != 0 && !r->failed)
        guest_run_failed(r, &e);
    /* the recording also has samples that --core and --time leave out */
    if (r->recording != NULL && pipeline_sums(r->pipeline).samples == 0)
        give_back(r);
}

bool guest_run_has_report(struct guest_run *r)
{
    /* a late error does not discard earlier samples */
    return r->profile != NULL && r->profile->has_guest &&
           (!r->failed || r->profile->stack_count != 0);
}

bool guest_run_has_samples(const struct guest_run *r)
{
    uint64_t samples = 0;

    for (size_t i = 0; r->profile != NULL && i < r->profile->core_count; i++)
        samples += r->profile->cores[i].total.samples;
    return samples != 0;
}

const char *guest_run_elf(const struct guest_run *r)
{
    const struct recording_info *info = guest_run_recorded(r);
    bool windows = r->config.options->from.listed != NULL;

    if (r->images.kernel == NULL)
        return NULL;
    /* a kept copy in a spool is given the name of the file that was copied */
    return windows && r->given == 0 && info != NULL && info->elf[0] != '\0'
               ? info->elf
               : shared_image_path(r->images.kernel);
}

uint64_t guest_run_memory_left(const struct guest_run *r)
{
    return r->config.view_max - guest_names_bytes(&r->names) +
           (r->config.alone ? pipeline_memory_left(r->pipeline) : 0);
}

const struct recording_info *guest_run_recorded(const struct guest_run *r)
{
    enum recording_end end;

    return pipeline_recording(r->pipeline, &end);
}

void guest_run_blame_missing(const struct guest_run *r, struct err *e)
{
    const struct recording_info *info = guest_run_recorded(r);
    const struct err why = *e;

    if (r->images.first_missing && info != NULL)
        (void)err_set(
            e, "%s (%.100s, which the recording names, is missing or rebuilt)",
            why.text, info->elf);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Between a pipeline and its report: image, identity, recording, remarks. */
#include "cmd/guest_run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/identity.h"

static void on_note(void *context, const char *line)
{
    struct guest_run *r = context;

    r->config.say(r->config.context, r, line);
}

/* What the recording that is being read says of itself; NULL if none is. */
static const struct recording_info *recorded(const struct guest_run *r)
{
    enum recording_end end;

    return pipeline_recording(r->pipeline, &end);
}

/* Is file (i) a kernel's? Then the agent is in it. */
static bool is_kernel(const struct guest_run *r, size_t i)
{
    uint64_t address;

    return image_find_symbol(shared_image(r->images.files[i]), "tprof_anchor",
                             &address);
}

/* Add the file (path), which a recording names; but not a kernel if --elf gave
 * one, since the user knows better. Returns 0; -1 with (e) filled. */
static int add_recorded(struct guest_run *r, const char *path, struct err *e)
{
    bool given = false;

    if (guest_images_add(&r->images, r->config.images, path, e) != 0)
        return -1;
    for (size_t i = 0; i < r->given; i++)
        given |= is_kernel(r, i);
    if (given && is_kernel(r, r->images.count - 1))
        r->images.count--;
    return 0;
}

/* Add the images that a recording names, behind those of --elf. */
static void find_images(struct guest_run *r)
{
    const struct recording_info *info = recorded(r);
    bool alone = r->given == 0; /* else what is missing was given instead */
    struct err why;

    if (r->images_sought)
        return;
    r->images_sought = true;
    if (alone && (info == NULL || info->elf[0] == '\0'))
        remarks_warn(&r->remarks,
                     "Addresses have no names, and idle time counts "
                     "as busy: give the guest's image by --elf.");
    if (info == NULL || info->elf[0] == '\0')
        return;
    if (add_recorded(r, info->elf, &why) != 0 && alone) {
        r->images.first_missing = true;
        remarks_warn(&r->remarks,
                     "Addresses have no names, and idle time counts as busy: "
                     "%s. Give the guest's image by --elf.",
                     why.text);
    }
    for (size_t i = 0; i < info->more_elf_count; i++)
        if (add_recorded(r, info->more_elfs[i], &why) != 0 && alone)
            remarks_warn(&r->remarks,
                         "%s. Give all of the guest's images by --elf.",
                         why.text);
}

static int on_hello(void *context, const struct guest *g, struct err *e)
{
    struct guest_run *r = context;

    find_images(r);
    return guest_images_hello(&r->images, g, &r->remarks, e);
}

/* The absolute path of file (i): a recording may be read from another
 * directory. NULL: it has none, or too long a one. */
static const char *absolute_path(struct guest_run *r, size_t i)
{
    char path[PATH_MAX];
    const struct image *image = shared_image(r->images.files[i]);

    if (realpath(image_path(image), path) == NULL ||
        strlen(path) >= RECORDING_TEXT_MAX)
        return NULL;
    return arena_strndup(&r->paths, path, strlen(path));
}

static void fill_info(struct guest_run *r, struct recording_info *info)
{
    size_t len = 0;

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
    const uint8_t *id = image_build_id(shared_image(r->images.files[0]), &len);

    if (id != NULL && len <= sizeof info->build_id) {
        memcpy(info->build_id, id, len);
        info->build_id_len = len;
    }
}

static struct pipeline_config make_config(struct guest_run *r)
{
    const struct options *o = r->config.options;
    struct pipeline_config config = {
        .rate_hz = o->rate_hz,
        .depth = o->depth,
        .wait_s = o->wait_s,
        .aggregate = {.one_core = o->core >= 0,
                      .core = o->core >= 0 ? (uint32_t)o->core : 0,
                      .from_s = o->from_s,
                      .to_s = o->to_s,
                      .memory_max = r->config.memory_max},
        .record_path = r->recording,
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

/* NAME.tprof for the only run, NAME.GUEST.tprof for others. */
static int name_recording(struct guest_run *r, struct err *e)
{
    const char *path = r->config.recording;
    char text[PATH_MAX];

    if (path == NULL)
        return 0;
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    int stem = (int)(dot != NULL ? (size_t)(dot - path) : strlen(path));
    int length = snprintf(text, sizeof text, "%.*s.%s%s", stem, path, r->name,
                          path + stem);

    if (length < 0 || (size_t)length >= sizeof text)
        return err_set(e, "-o %s: too long a path", path);
    r->recording = strdup(r->config.alone ? path : text);
    return r->recording != NULL ? 0 : err_set(e, "out of memory");
}

static struct source *open_source(struct guest_run *r, struct err *e)
{
    const struct options *o = r->config.options;
    const struct guest_spec *spec = r->config.spec;
    unsigned how = (o->force_vsock ? SOURCE_VSOCK_FORCE : 0) |
                   (o->privileged ? SOURCE_VSOCK_PRIVILEGED : 0);
    struct source *source =
        spec != NULL ? guests_source(spec, how, e) : source_replay(o->input, e);

    if (source != NULL)
        (void)snprintf(r->source, sizeof r->source, "%s%s%s",
                       spec != NULL ? spec->kind : "", spec != NULL ? ":" : "",
                       source->path);
    return source;
}

struct guest_run *guest_run_new(const struct guest_run_config *config,
                                bool *usage, struct err *e)
{
    struct guest_run *r = calloc(1, sizeof *r);
    struct source *source = NULL;
    const struct elf_path *elf = config->spec != NULL
                                     ? config->spec->elfs
                                     : config->options->guests.elfs;

    *usage = false;
    if (r == NULL) {
        (void)err_set(e, "out of memory");
        return NULL;
    }
    r->config = *config;
    make_name(r);
    source = open_source(r, e);
    *usage = source == NULL;
    if (source == NULL || name_recording(r, e) != 0)
        goto fail;
    for (; elf != NULL; elf = elf->next)
        if (guest_images_add(&r->images, config->images, elf->path, e) != 0)
            goto fail;
    r->given = r->images.count;
    struct pipeline_config pipeline = make_config(r);

    r->pipeline = pipeline_new(source, &pipeline, e);
    source = NULL; /* it is the pipeline's now, or closed */
    if (r->pipeline == NULL)
        goto fail;
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
    arena_fini(&r->paths);
    free(r->recording);
    free(r);
}

static void fail_run(struct guest_run *r, const struct err *e)
{
    r->failed = true;
    r->e = *e;
}

static void no_guest(struct guest_run *r)
{
    struct err e;

    (void)err_set(&e, "%s: no guest introduced itself: %s", r->source,
                  r->config.spec != NULL
                      ? "does one run there, call tprof_init() and "
                        "tprof_start_cpu(), and take interrupts?"
                      : "is this a recording, or a captured stream?");
    fail_run(r, &e);
}

/* Add remarks on how the stream ended. A stream without a guest is an error. */
static void judge_end(struct guest_run *r)
{
    enum recording_end closed = RECORDING_WHOLE;

    (void)pipeline_recording(r->pipeline, &closed);
    if (closed == RECORDING_CUT)
        remarks_note(&r->remarks, "The recording ends abruptly: it was cut, or "
                                  "its collector was killed.");
    if (closed == RECORDING_DAMAGED)
        remarks_warn(&r->remarks, "The recording is damaged: nothing behind "
                                  "the damage was read.");
    if (r->end == PIPELINE_OTHER_IMAGE)
        remarks_warn(&r->remarks,
                     "After a reboot the guest runs another image, "
                     "or its image lies elsewhere; what it did "
                     "then is left out.");
    if (r->end == PIPELINE_STAYED_AWAY)
        remarks_note(&r->remarks,
                     "The guest left and did not come back within %.3g s.",
                     r->config.options->wait_s);
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
        fail_run(r, e);
    } else if (r->profile == NULL) {
        (void)err_set(&memory, "out of memory");
        fail_run(r, &memory);
    } else {
        judge_end(r);
    }
}

bool guest_run_has_report(struct guest_run *r)
{
    /* what went wrong late shall not cost what came before */
    return r->profile != NULL && r->profile->has_guest &&
           (!r->failed || r->profile->stack_count != 0);
}

/* How many of the first files must belong to an image of this guest. Files that
 * are given for all guests need not, nor those that a recording names if --elf
 * gave others. */
static size_t wanted_files(const struct guest_run *r)
{
    const struct guests *g = &r->config.options->guests;

    if (g->count >= 2 && r->config.spec->elfs == g->elfs)
        return 0;
    return r->given != 0 ? r->given : r->images.count;
}

const char *guest_run_elf(const struct guest_run *r)
{
    return r->images.kernel != NULL ? image_path(shared_image(r->images.kernel))
                                    : NULL;
}

struct view *guest_run_view(struct guest_run *r, struct err *e)
{
    struct view *view = NULL;

    if (guest_images_place(&r->images, r->profile) == 0)
        view = view_new(r->profile, r->images.image_map);
    if (view == NULL) {
        (void)err_set(e, "out of memory");
        return NULL;
    }
    remarks_diagnose(&r->remarks, r->profile, view);
    guest_images_remark(&r->images, r->profile, view, wanted_files(r),
                        &r->remarks);
    return view;
}

struct report guest_run_report(struct guest_run *r, const struct view *v)
{
    const struct recording_info *info = recorded(r);

    return (struct report){
        .guest = r->config.alone ? NULL : r->name,
        .profile = r->profile,
        .view = v,
        .remarks = &r->remarks,
        .elf = guest_run_elf(r),
        .source = info != NULL ? info->source : r->source,
        .top = r->config.options->top,
        .all = r->config.options->all,
    };
}

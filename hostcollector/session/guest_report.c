/* SPDX-License-Identifier: BSD-2-Clause */
#include "session/guest_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text_style.h"
#include "diagnose/diagnose.h"
#include "guest/labels.h"
#include "image/names/red_zone.h"
#include "profile/aggregate/aggregate.h"
#include "recording/spool/spool_list.h"
#include "report/name.h"
#include "session/guest_run_parts.h"
#include "util/text.h"
#include "view/exclude.h"
#include "view/find.h"
#include "view/view_build.h"

/* Functions and threads that the user names */

#define THREADS_NAMED 320 /* bytes of a remark for their names */

static void leave_out(void *pipeline, bool *const *out)
{
    pipeline_leave_out(pipeline, out);
}

/* Does --thread (asked) name thread (t)? It may be a part of the thread's name,
 * or its id, decimal or with 0x. */
static bool is_meant(const struct profile_thread *t, const char *asked)
{
    char *end;
    uint64_t id = strtoull(asked, &end, 0);
    bool is_id = asked[0] >= '0' && asked[0] <= '9' && *end == '\0';

    return strstr(t->name, asked) != NULL || (is_id && id == t->id);
}

/* Add a warning that no thread of (p) is meant by --thread (asked), with the
 * names of those that are there. */
static void warn_of_no_thread(struct remarks *to, const struct profile *p,
                              const char *asked)
{
    char there[THREADS_NAMED] = "", name[THREAD_NAME + 24];
    uint32_t i = 0;

    for (size_t used = 0; i < p->thread_count; i++) {
        const struct profile_thread *t = &p->threads[i];

        (void)snprintf(name, sizeof name, "%s", t->name);
        if (t->name[0] == '\0' || t->shared)
            (void)snprintf(name + strlen(name), 24, "%s%#" PRIx64,
                           t->name[0] != '\0' ? " " : "", t->id);
        if (used + strlen(name) + strlen(", ..") >= sizeof there)
            break;
        used += (size_t)snprintf(there + used, sizeof there - used, "%s%s",
                                 used != 0 ? ", " : "", name);
    }
    if (p->thread_count == 0)
        remarks_warn(to, "--thread %.80s: the kernel reports no threads.",
                     asked);
    else
        remarks_warn(to,
                     "--thread: no thread here has '%.80s' in its name or as "
                     "its id; there are: %s%s.",
                     asked, there, i < p->thread_count ? ", .." : "");
}

/* Is the sample of (s) left out? (meant): by number, 0 for none. */
static bool is_other(const struct stack *s, const bool *meant, bool requests)
{
    return !meant[requests ? s->request : s->thread];
}

/* Mark the entries of core (c) whose samples are of threads or (requests) that
 * are not (meant). NULL if there is no memory. */
static bool *other_entries(const struct profile *p,
                           const struct profile_core *c, const bool *meant,
                           bool requests)
{
    bool *out = calloc(c->entry_count + 1, sizeof *out);

    for (size_t i = 0; out != NULL && i < c->entry_count; i++) {
        struct stack s = profile_stack(p, c->entries[i].stack);

        out[i] = is_other(&s, meant, requests);
    }
    if (out != NULL)
        out[c->entry_count] = true;
    return out;
}

/* Remove the samples of threads or (requests) that are not (meant). Returns 0;
 * -1 if there is no memory. */
static int leave_others_out(struct guest_report *g, const bool *meant,
                            bool requests)
{
    const struct profile *p = g->run->profile;
    bool **out = calloc(p->core_count + 1, sizeof *out);
    int result = meant != NULL && out != NULL ? 0 : -1;

    for (size_t i = 0; result == 0 && i < p->core_count; i++) {
        out[i] = other_entries(p, &p->cores[i], meant, requests);
        result = out[i] != NULL ? 0 : -1;
    }
    if (result == 0)
        pipeline_leave_out(g->run->pipeline, out);
    for (size_t i = 0; out != NULL && i < p->core_count; i++)
        free(out[i]);
    free(out);
    return result;
}

/* Add to (g->without) that samples of other (things) than (asked) are not
 * counted. */
static void note_others(struct guest_report *g, const char *things,
                        const char *asked)
{
    size_t used = strlen(g->without);
    char name[NAME_PLAIN];

    (void)snprintf(g->without + used, sizeof g->without - used,
                   "%sother %s than %s", used != 0 ? "; " : "", things,
                   text_escape(name, sizeof name, asked));
}

/* Remove the samples of threads that --thread does not name. If --thread names
 * no thread, remove all samples and set (g->unfound), with a remark. Returns 0;
 * -1 if there is no memory. */
static int leave_threads_out(struct guest_report *g)
{
    const struct profile *p = g->run->profile;
    const char *asked = g->run->config.options->shown.thread;
    bool *meant = calloc(p->thread_count + 1, sizeof *meant);
    size_t count = 0;

    for (uint32_t i = 1; meant != NULL && i <= p->thread_count; i++)
        count += meant[i] = is_meant(&p->threads[i - 1], asked);
    int result = leave_others_out(g, meant, false);

    if (result == 0 && count == 0) {
        g->unfound = true;
        warn_of_no_thread(&g->run->remarks, p, asked);
    } else if (result == 0) {
        note_others(g, "threads", asked);
    }
    free(meant);
    return result;
}

bool guest_report_means_kind(const struct profile *p, size_t kind,
                             const char *asked)
{
    char *end;
    uint64_t number = strtoull(asked, &end, 10);
    bool is_number = asked[0] >= '0' && asked[0] <= '9' && *end == '\0';

    return p->requests[kind].wall != 0 &&
           (strstr(p->requests[kind].name, asked) != NULL ||
            (is_number && number == kind));
}

/* Add a warning that no kind of requests is meant by --request (asked), with
 * the names of those that are there. */
static void warn_of_no_request(struct remarks *to, const struct profile *p,
                               const char *asked)
{
    char there[THREADS_NAMED] = "";

    for (size_t i = 0, used = 0; i < p->request_count; i++) {
        const char *name = p->requests[i].name;

        if (p->requests[i].wall == 0 ||
            used + REQUEST_NAME + strlen(", ") >= sizeof there)
            continue;
        used += (size_t)snprintf(there + used, sizeof there - used, "%s",
                                 used != 0 ? ", " : "");
        if (name[0] != '\0')
            used +=
                (size_t)snprintf(there + used, sizeof there - used, "%s", name);
        else
            used +=
                (size_t)snprintf(there + used, sizeof there - used, "%zu", i);
    }
    if (there[0] == '\0')
        remarks_warn(to, "--request %.80s: the kernel reports no requests.",
                     asked);
    else
        remarks_warn(to,
                     "--request: no kind of requests here has '%.80s' in its "
                     "name or as its number; there are: %s.",
                     asked, there);
}

/* The same for --request */
static int leave_requests_out(struct guest_report *g)
{
    const struct profile *p = g->run->profile;
    const char *asked = g->run->config.options->shown.request;
    bool meant[2 * WIRE_REQUEST_KINDS + 1] = {false};
    size_t count = 0;

    for (size_t i = 0; i < p->request_count; i++) {
        count += meant[i + 1] = guest_report_means_kind(p, i, asked);
        meant[i + 1 + WIRE_REQUEST_KINDS] = meant[i + 1];
    }
    int result = leave_others_out(g, meant, true);

    if (result == 0 && count == 0) {
        g->unfound = true;
        warn_of_no_request(&g->run->remarks, p, asked);
    } else if (result == 0) {
        note_others(g, "requests", asked);
    }
    return result;
}

/* Remove the samples of other requests than those of (slow_kinds) that are, or
 * are not, in the set (slow). */
static int leave_paces_out(struct guest_report *g)
{
    const struct guest_run_config *c = &g->run->config;
    bool meant[2 * WIRE_REQUEST_KINDS + 1] = {false};

    for (uint32_t i = 0; i < WIRE_REQUEST_KINDS; i++)
        meant[1 + i + (c->slow_only ? WIRE_REQUEST_KINDS : 0)] =
            c->slow_kinds >> i & 1;
    return leave_others_out(g, meant, true);
}

/* Remove the samples of functions that --exclude names, before a view is made
 * in (memory). Returns 0; -1 if there is no memory. */
static int leave_samples_out(struct guest_report *g, uint64_t memory)
{
    struct guest_run *r = g->run;
    const struct option_words *names = &r->config.options->selection.exclude;
    struct excluded found[EXCLUDE_NAMES];
    const struct exclude x = {.names = names->list,
                              .count = names->count,
                              .memory = memory,
                              .context = r->pipeline,
                              .leave_out = leave_out};

    if (r->config.options->shown.by == VIEW_BY_THREAD &&
        r->profile->thread_count == 0)
        remarks_warn(&r->remarks, "--by thread: the kernel reports no threads, "
                                  "so the columns are cores.");
    if (r->config.options->shown.thread != NULL && leave_threads_out(g) != 0)
        return -1;
    if (r->config.options->shown.request != NULL && leave_requests_out(g) != 0)
        return -1;
    if (r->config.slow != NULL && leave_paces_out(g) != 0)
        return -1;
    if (x.count == 0)
        return 0;
    if (view_exclude(&x, r->profile, r->images.image_map, found) != 0)
        return -1;
    for (size_t i = 0; i < x.count; i++) {
        size_t used = strlen(g->without);

        if (found[i].functions == 0)
            remarks_warn(&r->remarks,
                         "--exclude left nothing out: no function here has "
                         "'%.80s' in its name%s.",
                         x.names[i], found[i].text);
        else
            (void)snprintf(g->without + used, sizeof g->without - used, "%s%s",
                           used != 0 ? "; " : "", found[i].text);
    }
    return 0;
}

/* Search for (asked), the argument of (option). NULL: the option was not
 * given. If there are samples but no function has that name, set (g->unfound),
 * with a remark. */
static void look_for(struct guest_report *g, const char *option,
                     const char *asked)
{
    const struct view *v = g->view;
    char near[FIND_NEAR];

    for (size_t i = 0; asked != NULL && i < v->function_count; i++)
        if (find_fit(v->functions[i].name, asked) != 0)
            return;
    if (asked == NULL || v->total.all.samples == 0)
        return;
    g->unfound = true;
    remarks_warn(
        &g->run->remarks, "%s: no function here has '%.80s' in its name%s.",
        option, asked, find_near(near, v->functions, v->function_count, asked));
}

/* Remarks */

/* Return how many of the first files must belong to an image of this guest.
 * Files that are given for all guests need not. Files that a recording names
 * need not if --elf gave others. */
static size_t wanted_files(const struct guest_run *r)
{
    const struct guests *g = &r->config.options->from.guests;

    if (g->count >= 2 && r->config.spec->elfs == g->elfs)
        return 0;
    return r->given != 0 ? r->given : r->images.count;
}

static void look_for_red_zone(struct guest_run *r)
{
    struct red_zone zone = {0};

    if (!gate_is_on_stack(r->profile))
        return;
    for (size_t i = 0; i < r->images.count; i++)
        if (guest_images_has(&r->images, r->images.files[i]))
            guest_names_red_zone(&r->names, r->images.files[i], &zone);
    gate_diagnose(&r->remarks, zone.units, zone.names);
}

static void add_remarks(struct guest_run *r, const struct view *view)
{
    look_for_red_zone(r);
    diagnose_profile(&r->remarks, r->profile, view);
    diagnose_memory(&r->remarks, r->profile, view,
                    r->config.options->from.memory, r->config.alone);
    guest_images_remark(&r->images, r->profile, view, wanted_files(r),
                        &r->remarks);
}

/* The report */

/* Is the code of the kernel available, and not only names? */
static bool has_code(const struct guest_run *r)
{
    return r->images.kernel != NULL &&
           (r->given != 0 || r->names.files == NULL);
}

/* Set the origin. A recording adds its labels. */
static void fill_origin(struct guest_report *g,
                        const struct recording_info *info)
{
    if (g->run->config.origin == NULL)
        return;
    g->origin = *g->run->config.origin;
    for (size_t i = 0; info != NULL && i < info->label_count; i++)
        labels_add(&g->origin, info->labels[i]);
    g->is.origin = &g->origin;
}

static void fill(struct guest_report *g)
{
    const struct guest_run *r = g->run;
    const struct recording_info *info = guest_run_recorded(r);
    const struct spool_list *windows = r->config.options->from.listed;

    g->is = (struct report){
        .guest = r->config.alone ? NULL : r->name,
        .only = windows != NULL ? windows->guest : NULL,
        .profile = r->profile,
        .view = g->view,
        .memory = g->memory,
        .remarks = &r->remarks,
        .elf = guest_run_elf(r),
        .has_code = has_code(r),
        .elf_given = r->given != 0,
        .source = info != NULL ? info->source : r->source,
        .recording = guest_source_recording(r),
        .unfound = g->unfound,
        .without = g->without[0] != '\0' ? g->without : NULL,
    };
    if (windows != NULL)
        g->is.windows = window_options_text(
            windows, r->config.options->from.build, g->windows);
    report_from_options(&g->is, &r->config.options->shown);
    fill_origin(g, info);
}

int guest_report_make(struct guest_report *g, struct guest_run *r,
                      unsigned part_share, struct err *e)
{
    const struct shown *shown = &r->config.options->shown;
    uint64_t memory = guest_run_memory_left(r);
    uint64_t part = part_share != 0 ? memory / part_share : 0;

    *g = (struct guest_report){.run = r, .memory = part};
    if (guest_images_place(&r->images, r->profile) == 0 &&
        leave_samples_out(g, memory - part) == 0)
        g->view = view_new(r->profile, r->images.image_map, memory - part);
    if (g->view == NULL)
        return err_memory(e);
    if (g->view->wanted < g->view->memory) /* the view lends the rest */
        g->memory += g->view->memory - g->view->wanted;
    look_for(g, "--function", shown->function);
    look_for(g, "--callers-of", shown->callers_of);
    add_remarks(r, g->view);
    fill(g);
    return 0;
}

void guest_report_fini(struct guest_report *g)
{
    view_free(g->view);
    g->view = NULL;
    g->is.view = NULL;
}

struct view *guest_report_look(struct guest_run *r, const struct profile *p,
                               struct err *e)
{
    struct view *view = NULL;

    if (r->placed_maps != p->map_count || r->placed_sessions != p->sessions)
        guest_images_unplace(&r->images);
    if (guest_images_place(&r->images, p) == 0)
        view = view_new(p, r->images.image_map, r->config.view_max);
    r->placed_maps = p->map_count;
    r->placed_sessions = p->sessions;
    if (view == NULL)
        (void)err_memory(e);
    return view;
}

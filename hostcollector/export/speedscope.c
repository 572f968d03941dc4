/* SPDX-License-Identifier: BSD-2-Clause */
/* Files for www.speedscope.app: a profile for each core or thread. */
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"
#include "export/export_laid.h"
#include "export/export_tracks.h"
#include "report/json_text.h"
#include "util/text.h"

/*
 * speedscope's npm package has the schema of the format,
 * file-format-schema.json.
 *
 * A profile has the samples of a core or thread in the order of time, for
 * speedscope's view "Time Order". Samples without a known time come last, each
 * stack once, and the profile's name says so. Frames are shared by all
 * profiles, and come after them: one frame for each function of each guest.
 */

/* Largest text of a core's stacks in the order of time. speedscope takes
 * minutes for more. A core with more has each stack once. */
#define ORDERED_MAX (32u << 20)

struct shared {
    FILE *frames; /* text of the frames; (text) has it once this is closed */
    char *text;
    size_t size;
    size_t count;
    bool first; /* no profile was written yet */
};

static void begin(struct render *to)
{
    struct shared *s = calloc(1, sizeof *s);

    to->state = s;
    to->no_memory =
        s == NULL || (s->frames = open_memstream(&s->text, &s->size)) == NULL;
    if (to->no_memory)
        return;
    s->first = true;
    (void)fputs("{\"$schema\":\"https://www.speedscope.app/"
                "file-format-schema.json\",\n\"exporter\":\"tprof\",\n"
                "\"profiles\":[",
                to->out);
}

static void write_frames(struct shared *s, const struct view *v)
{
    for (size_t i = 0; i < v->function_count; i++) {
        const struct view_function *f = &v->functions[i];

        (void)fputs(s->count++ != 0 ? ",\n{\"name\":" : "\n{\"name\":",
                    s->frames);
        json_string(s->frames, f->name);
        if (f->file != NULL) {
            (void)fputs(",\"file\":", s->frames);
            json_string(s->frames, f->file);
            (void)fprintf(s->frames, ",\"line\":%" PRIu32, f->line);
        }
        (void)putc('}', s->frames);
    }
}

/* Write the path as a list of frames. */
static void lay_stack(FILE *out, const struct render *to,
                      const struct report *r, const struct view_path *path)
{
    const struct shared *s = to->state;

    (void)r;
    (void)putc('[', out);
    for (size_t i = 0; i < path->count; i++)
        (void)fprintf(out, i != 0 ? ",%zu" : "%zu",
                      s->count + path->steps[i].function);
    (void)putc(']', out);
}

/* A profile under construction. */
struct profile_text {
    struct render *to;
    const struct export_laid *stacks; /* by core */
    FILE *weights;
    uint64_t sum_ns; /* of all weights */
    size_t bytes;    /* of stacks, written or counted */
    bool counts;     /* only count */
    bool untimed;    /* there are samples whose time is not known */
};

/* Add a stack of core (core) that took (ns). */
static void add_stack(struct profile_text *p, size_t core, size_t entry,
                      uint64_t ns)
{
    const char *comma = p->bytes != 0 ? "," : "";
    size_t size;
    const char *stack = export_laid_of(&p->stacks[core], entry, &size);

    p->bytes += size + 2;
    p->sum_ns += ns;
    if (p->counts)
        return;
    (void)fprintf(p->to->out, "%s\n", comma);
    (void)fwrite(stack, 1, size, p->to->out);
    (void)fprintf(p->weights, "%s\n", comma);
    text_decimal(p->weights, ns, 0);
}

/* Add the samples of (track) in the order of time, and equal neighbours as one
 * stack. Without (in_order) add each stack once. */
static void add_stacks(struct profile_text *p, struct export_tracks *t,
                       size_t track, bool in_order)
{
    struct export_rows rows;
    size_t core = 0, entry = SIZE_MAX;
    uint64_t ns = 0;

    p->sum_ns = p->bytes = 0;
    if (!in_order)
        export_tracks_unorder(t, track);
    export_tracks_rows(&rows, p->to, t, track);
    rows.timed &= in_order;
    while (!p->to->no_memory && export_rows_next(&rows)) {
        bool same = rows.entry == entry && rows.at == core;

        if (!same && entry != SIZE_MAX)
            add_stack(p, core, entry, ns);
        ns = same ? ns + rows.length_ns : rows.length_ns;
        core = rows.at;
        entry = rows.entry;
        p->untimed |= !rows.timed;
    }
    if (entry != SIZE_MAX)
        add_stack(p, core, entry, ns);
    export_rows_fini(&rows);
}

static void write_track(struct render *to, struct export_tracks *t,
                        const struct export_laid *stacks, size_t track)
{
    struct shared *s = to->state;
    struct profile_text p = {.to = to, .stacks = stacks, .counts = true};
    char name[NAME_PLAIN], *weights = NULL, title[NAME_PLAIN + 40];
    size_t size;

    json_comma(to->out, &s->first);
    p.weights = open_memstream(&weights, &size);
    to->no_memory |= p.weights == NULL;
    (void)fprintf(to->out,
                  "\n{\"type\":\"sampled\",\"unit\":\"%s\","
                  "\"startValue\":0,\"samples\":[",
                  t->report->profile->tsc_hz != 0
                      ? export_unit(t->report->profile)
                      : "none");
    add_stacks(&p, t, track, true);
    p.counts = false;
    add_stacks(&p, t, track, p.bytes <= ORDERED_MAX);
    if (p.weights != NULL && fclose(p.weights) == 0)
        (void)fprintf(to->out, "],\"weights\":[%s],", weights);
    (void)snprintf(title, sizeof title, "%s%s",
                   export_tracks_name(name, t, track),
                   p.untimed ? " (not all in time order)" : "");
    (void)fprintf(to->out, "\"endValue\":%" PRIu64 ",\"name\":", p.sum_ns);
    json_string(to->out, title);
    (void)putc('}', to->out);
    free(weights);
}

/* Keep the text of the stacks of the cores from (first) to (last). */
static void lay_cores(struct export_laid *stacks, struct render *to,
                      const struct report *r, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        export_laid_init(&stacks[i], to, r, i, lay_stack);
}

static void unlay_cores(struct export_laid *stacks, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        export_laid_fini(&stacks[i]);
}

/* A thread has stacks of all cores; a core needs only its own. */
static void write_tracks(struct render *to, struct export_tracks *t,
                         struct export_laid *stacks)
{
    size_t cores = t->ends != NULL ? t->report->profile->core_count : 0;

    lay_cores(stacks, to, t->report, 0, cores);
    for (size_t i = 0; !to->no_memory && i < t->count; i++) {
        if (!export_tracks_has(t, i))
            continue;
        lay_cores(stacks, to, t->report, i, cores == 0 ? i + 1 : i);
        if (!to->no_memory)
            write_track(to, t, stacks, i);
        unlay_cores(stacks, i, cores == 0 ? i + 1 : i);
    }
    unlay_cores(stacks, 0, cores);
}

static void write_speedscope(struct render *to, const struct report *r)
{
    struct export_tracks tracks;
    struct export_laid *stacks =
        calloc(r->profile->core_count + 1, sizeof *stacks);

    to->no_memory |= stacks == NULL;
    export_tracks_init(&tracks, to, r);
    if (!to->no_memory)
        write_tracks(to, &tracks, stacks);
    if (!to->no_memory)
        write_frames(to->state, r->view);
    export_tracks_fini(&tracks);
    free(stacks);
}

static void end(struct render *to)
{
    struct shared *s = to->state;

    if (s != NULL && s->frames != NULL) {
        to->no_memory |= fclose(s->frames) != 0;
        (void)fputs("],\n\"shared\":{\"frames\":[", to->out);
        (void)fwrite(s->text, 1, s->size, to->out);
        (void)fputs("]}}\n", to->out);
        free(s->text);
    }
    free(s);
}

const struct render_ops render_speedscope = {
    .name = "speedscope",
    .suffix = "speedscope.json",
    .begin = begin,
    .write = write_speedscope,
    .end = end,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Files for www.speedscope.app: a profile for each core. */
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"
#include "report/json_text.h"

/*
 * speedscope's npm package has the schema of the format,
 * file-format-schema.json.
 *
 * A profile has each stack once, with its time. Frames are shared by all
 * profiles, and come after them: one frame for each function of each guest.
 */

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

/* Write the weights of a profile, on lines of their own after its samples. */
static uint64_t write_weights(FILE *out, const struct report *r, size_t core)
{
    const struct profile_core *c = &r->profile->cores[core];
    uint64_t sum = 0;
    bool first = true;

    (void)fputs("],\"weights\":[", out);
    for (size_t i = 0; i <= c->entry_count; i++) {
        const struct tally *t =
            i < c->entry_count ? &c->entries[i].tally : &c->others;
        uint64_t ns = export_ns(r->profile, t->time);

        if (t->samples == 0)
            continue;
        json_comma(out, &first);
        (void)fprintf(out, "\n%" PRIu64, ns);
        sum += ns;
    }
    return sum;
}

static void write_core(struct render *to, const struct report *r, size_t core)
{
    struct shared *s = to->state;
    struct export_cursor c = {.core = core};
    char name[NAME_PLAIN];
    bool first = true;

    json_comma(to->out, &s->first);
    (void)fputs("\n{\"type\":\"sampled\",\"name\":", to->out);
    json_string(to->out, name_of_core(name, r, core));
    (void)fprintf(to->out, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[",
                  r->profile->tsc_hz != 0 ? export_unit(r->profile) : "none");
    while (export_next(to, r, &c)) {
        (void)fputs(first ? "\n[" : ",\n[", to->out);
        first = false;
        for (size_t i = 0; i < c.path.count; i++)
            (void)fprintf(to->out, i != 0 ? ",%zu" : "%zu",
                          s->count + c.path.steps[i].function);
        (void)putc(']', to->out);
    }
    (void)fprintf(to->out, "],\"endValue\":%" PRIu64 "}",
                  write_weights(to->out, r, core));
}

static void write_speedscope(struct render *to, const struct report *r)
{
    struct shared *s = to->state;

    for (size_t i = 0; !to->no_memory && i < r->profile->core_count; i++)
        if (r->profile->cores[i].total.samples != 0)
            write_core(to, r, i);
    if (!to->no_memory)
        write_frames(s, r->view);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed, for programs. diff.schema.json beside this file says what each
 * name means; a name or meaning that changes needs a new JSON_VERSION, a name
 * that is added does not.
 */
#include "render/diff.h"

#include "render/json_object.h"

#define JSON_VERSION 1

static void write_strings(struct json_object *o, const char *key,
                          const char *const *list, size_t count)
{
    FILE *out = json_member(o, key);
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < count; i++) {
        json_comma(out, &first);
        json_string(out, list[i]);
    }
    (void)putc(']', out);
}

static void write_side(struct json_object *o, const char *key,
                       const struct diff_side *side, double rest)
{
    struct json_object in = json_inner(o, key);

    write_strings(&in, "recordings", side->files, side->runs);
    json_count(&in, "samples", side->samples);
    if (side->seconds > 0)
        json_real(&in, "seconds", side->seconds);
    if (side->busy >= 0)
        json_real(&in, "busy", side->busy);
    json_real(&in, "without_function", side->no_name);
    json_real(&in, "rest", rest);
    json_end(&in);
}

static void write_work(struct json_object *o, const struct diff *d)
{
    FILE *out = json_member(o, "work");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < d->sides[0].work_count; i++) {
        const struct diff_work *w = &d->sides[0].work[i];
        const struct unit_cost *after = diff_work_after(d->sides, w);

        if (after == NULL)
            continue;
        struct unit_change c = unit_change_of(&w->cost, after);

        json_comma(out, &first);
        struct json_object in = json_begin(out);

        json_text(&in, "name", w->name);
        json_real(&in, "before", c.before);
        json_real(&in, "after", c.after);
        json_real(&in, "change", c.change);
        json_real(&in, "low", c.change - c.margin);
        json_real(&in, "high", c.change + c.margin);
        json_end(&in);
    }
    (void)putc(']', out);
}

static void write_share(struct json_object *o, const char *key,
                        const struct compare_share *s)
{
    struct json_object in = json_inner(o, key);

    json_real(&in, "before", s->before);
    json_real(&in, "after", s->after);
    json_real(&in, "change", s->of.change);
    json_real(&in, "low", s->of.low);
    json_real(&in, "high", s->of.high);
    json_real(&in, "p", s->p);
    json_end(&in);
}

static void write_function(FILE *out, const struct pair *f,
                           const struct compare_row *row)
{
    static const char *const verdicts[] = {[COMPARE_SAME] = "same",
                                           [COMPARE_CHANGED] = "changed",
                                           [COMPARE_RARE] = "rare"};
    struct json_object o = json_begin(out);

    json_text(&o, "name", f->name);
    json_text(&o, "file", f->file);
    json_flag(&o, "in_before", f->has[0]);
    json_flag(&o, "in_after", f->has[1]);
    if (f->joined != NULL)
        json_text(&o, "parts", f->joined);
    if (f->unsure)
        json_flag(&o, "unsure", true);
    json_text(&o, "verdict", verdicts[row->verdict]);
    if (row->step != 0)
        json_count(&o, "step", row->step);
    write_share(&o, "all", &row->all);
    write_share(&o, "rest", &row->rest);
    if (row->verdict != COMPARE_RARE)
        json_real(&o, "q", row->q);
    if (row->verdict == COMPARE_SAME)
        json_real(&o, "detectable", row->detectable);
    json_end(&o);
}

void diff_json(FILE *out, const struct diff *d)
{
    struct json_object o = json_begin(out);

    json_text(&o, "format", "tprof-diff");
    json_count(&o, "version", JSON_VERSION);
    json_real(&o, "interval", .95);
    json_real(&o, "false_changes", COMPARE_FALSE);
    json_real(&o, "power", COMPARE_POWER);
    write_side(&o, "before", &d->sides[0], d->result.rest[0]);
    write_side(&o, "after", &d->sides[1], d->result.rest[1]);
    write_work(&o, d);
    write_strings(&o, "warnings", d->warnings, d->warning_count);
    json_count(&o, "judged", d->result.judged);
    json_count(&o, "changed", d->result.changed);
    (void)fputs("\n[", json_member(&o, "functions"));
    for (size_t i = 0; i < d->count; i++) {
        (void)fputs(i != 0 ? ",\n" : "\n", out);
        write_function(out, &d->functions[i], &d->rows[i]);
    }
    (void)fputs("]", out);
    json_end(&o);
    (void)putc('\n', out);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/diff.h"

#include <math.h>

#include "report/json_object.h"

/* Version of the format. diff.schema.json beside this file explains each name.
 * Increase the version if a name or a meaning changes, not if a name is added.
 */
#define JSON_VERSION 1

static const char *const verdicts[] = {[COMPARE_SAME] = "same",
                                       [COMPARE_CHANGED] = "changed",
                                       [COMPARE_RARE] = "rare"};

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

/* Write seconds. For a unit such as a sent byte, a function may take
 * picoseconds. */
static void write_seconds(struct json_object *o, const char *key, double s)
{
    (void)fprintf(json_member(o, key), "%.12g", s);
}

/* Write the time that one function takes for a unit. */
static void write_unit_row(FILE *out, const char *name, const char *file,
                           const struct unit_row *r)
{
    struct json_object in = json_begin(out);

    json_text(&in, "name", name);
    json_text(&in, "file", file);
    write_seconds(&in, "before", r->before);
    write_seconds(&in, "after", r->after);
    if (r->before > 0 && r->after > 0) {
        json_real(&in, "change", r->change);
        json_real(&in, "low", r->low);
        json_real(&in, "high", r->high);
        json_real(&in, "p", r->p);
        json_real(&in, "q", r->q);
    }
    json_flag(&in, "changed", r->changed);
    json_end(&in);
}

static void write_unit(FILE *out, const struct diff *d,
                       const struct diff_unit *u)
{
    struct json_object in = json_begin(out);
    bool first = true;

    json_text(&in, "name", u->name);
    write_seconds(&in, "before", u->cost.before);
    write_seconds(&in, "after", u->cost.after);
    json_real(&in, "change", u->cost.change);
    json_real(&in, "low", u->cost.change - u->cost.margin);
    json_real(&in, "high", u->cost.change + u->cost.margin);
    (void)putc('[', json_member(&in, "functions"));
    for (size_t i = 0; i < d->count; i++) {
        if (!(u->rows[i].before > 0 || u->rows[i].after > 0))
            continue;
        json_comma(out, &first);
        (void)putc('\n', out);
        write_unit_row(out, d->functions[i].name, d->functions[i].file,
                       &u->rows[i]);
    }
    (void)putc(']', out);
    json_end(&in);
}

static void write_work(struct json_object *o, const struct diff *d)
{
    FILE *out = json_member(o, "work");
    bool first = true;

    (void)putc('[', out);
    for (size_t i = 0; i < d->unit_count; i++) {
        json_comma(out, &first);
        write_unit(out, d, &d->units[i]);
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

static void write_verdict(struct json_object *o, const struct compare_row *row)
{
    json_text(o, "verdict", verdicts[row->verdict]);
    if (row->step != 0)
        json_count(o, "step", row->step);
    write_share(o, "all", &row->all);
    write_share(o, "rest", &row->rest);
    if (row->verdict != COMPARE_RARE)
        json_real(o, "q", row->q);
}

static void write_function(FILE *out, const struct pair *f,
                           const struct compare_row *row)
{
    struct json_object o = json_begin(out);

    json_text(&o, "name", f->name);
    json_text(&o, "file", f->file);
    json_flag(&o, "in_before", f->has[0]);
    json_flag(&o, "in_after", f->has[1]);
    if (f->joined != NULL)
        json_text(&o, "parts", f->joined);
    if (f->file_before != NULL)
        json_text(&o, "file_before", f->file_before);
    if (f->unsure)
        json_flag(&o, "unsure", true);
    write_verdict(&o, row);
    if (row->verdict == COMPARE_SAME && !isnan(row->detectable))
        json_real(&o, "detectable", row->detectable);
    json_end(&o);
}

/* Write a part of the call tree. Its parent was written before. */
static void write_call(FILE *out, const struct diff *d, size_t part)
{
    const struct compare_row *row = &d->calls[part];
    uint32_t inside = d->tree->inside[part];
    struct json_object o = json_begin(out);

    json_count(&o, "parent", inside == COMPARE_TOP ? 0 : inside + 1);
    json_text(&o, "name", diff_part_name(d, part));
    if (merged_is_own(d->tree, part))
        json_flag(&o, "own", true);
    write_verdict(&o, row);
    json_end(&o);
}

static void write_functions(struct json_object *o, const struct pair *functions,
                            const struct compare_row *rows, size_t count,
                            const struct compare_result *result)
{
    FILE *out;

    json_count(o, "judged", result->judged);
    json_count(o, "changed", result->changed);
    out = json_member(o, "functions");
    (void)fputs("\n[", out);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(i != 0 ? ",\n" : "\n", out);
        write_function(out, &functions[i], &rows[i]);
    }
    (void)fputs("]", out);
}

static void write_groups(struct json_object *o, const struct diff *d)
{
    static const char *const keys[VIEW_BYS] = {"cores", "threads", "images"};
    bool first = true;
    FILE *out;

    if (d->groups == NULL)
        return;
    out = json_member(o, keys[d->by]);
    (void)putc('[', out);
    for (size_t i = 0; i < d->group_count; i++) {
        const struct diff_group *group = &d->groups[i];
        struct json_object in;

        json_comma(out, &first);
        in = json_begin(out);
        if (d->by == VIEW_BY_CORE)
            json_count(&in, "core", group->core);
        else
            json_text(&in, "name", group->name);
        write_functions(&in, group->functions, group->rows, group->count,
                        &group->result);
        json_end(&in);
    }
    (void)putc(']', out);
}

/* Write a member for each kind of items that both sides have. */
static void write_items(struct json_object *o, const struct diff *d,
                        enum diff_kind kind, const char *key,
                        const char *const figures[DIFF_FIGURES])
{
    static const char *const sides[2] = {"before", "after"};
    bool first = true;

    for (size_t i = 0; i < d->item_count; i++) {
        const struct diff_item *item = &d->items[i];

        if (item->kind != kind)
            continue;
        if (first)
            (void)putc('[', json_member(o, key));
        struct json_object in = json_element(o->out, &first);

        json_text(&in, "name", item->name);
        for (size_t side = 0; side < 2; side++) {
            struct json_object of = json_inner(&in, sides[side]);

            for (size_t k = 0; k < DIFF_FIGURES; k++)
                json_real(&of, figures[k], item->figure[side][k]);
            json_end(&of);
        }
        json_end(&in);
    }
    if (!first)
        (void)putc(']', o->out);
}

static void write_sums(struct json_object *o, const struct diff *d)
{
    write_items(o, d, DIFF_THREAD, "thread_times",
                (const char *const[]){"running", "ready", "blocked"});
    write_items(o, d, DIFF_REQUEST, "requests",
                (const char *const[]){"rate_hz", "p50_seconds", "p99_seconds"});
    write_items(o, d, DIFF_LOCK, "locks",
                (const char *const[]){"waited", "contended", "held"});
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
    if (d->selected[0] != '\0')
        json_text(&o, "selected", d->selected);
    write_work(&o, d);
    write_strings(&o, "warnings", d->warnings, d->warning_count);
    write_functions(&o, d->functions, d->rows, d->count, &d->result);
    write_groups(&o, d);
    write_sums(&o, d);
    if (d->tree->folded != 0)
        json_count(&o, "calls_without_room", d->tree->folded);
    (void)fputs("\n[", json_member(&o, "calls"));
    for (size_t i = 0; i < d->tree->parts; i++) {
        (void)fputs(i != 0 ? ",\n" : "\n", out);
        write_call(out, d, i);
    }
    (void)fputs("]", out);
    json_end(&o);
    (void)putc('\n', out);
}

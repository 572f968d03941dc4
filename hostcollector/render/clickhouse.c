/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of text, compressed on their way. */
#include "render/clickhouse.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/origin.h"
#include "render/export.h"
#include "render/export_laid.h"
#include "render/export_rows.h"
#include "render/gzip.h"
#include "render/window.h"
#include "util/map.h"

#define NS_PER_S 1000000000u

struct table {
    struct gzip *gzip;
    FILE *out;         /* into (gzip) */
    struct map stacks; /* those that are written */
    uint64_t row;
};

static ssize_t compress(void *gzip, const char *bytes, size_t size)
{
    gzip_write(gzip, bytes, size);
    return (ssize_t)size;
}

static void begin(struct render *to)
{
    static const cookie_io_functions_t into_gzip = {.write = compress};
    struct table *t = calloc(1, sizeof *t);

    to->state = t;
    to->no_memory = t == NULL || (t->gzip = gzip_new(to->out)) == NULL ||
                    (t->out = fopencookie(t->gzip, "w", into_gzip)) == NULL;
}

static void end(struct render *to)
{
    struct table *t = to->state;

    if (t == NULL)
        return;
    if (t->out != NULL)
        to->no_memory |= fclose(t->out) != 0;
    if (t->gzip != NULL)
        gzip_end(t->gzip);
    map_fini(&t->stacks);
    free(t);
}

/* (text) as a reader of this format takes it. */
static void escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\' || *text == '\'')
            (void)putc('\\', out);
        if (*text == '\t' || *text == '\n')
            (void)fputs(*text == '\t' ? "\\t" : "\\n", out);
        else
            (void)putc(*text, out);
    }
}

static void quoted(FILE *out, const char *text)
{
    (void)putc('\'', out);
    escaped(out, text);
    (void)putc('\'', out);
}

/* What a column of arrays has for each step. */
typedef void column(FILE *out, const struct report *r,
                    const struct view_step *step);

static bool is_mark(const struct view_step *s)
{
    return s->function < VIEW_MARKS;
}

static void function(FILE *out, const struct report *r,
                     const struct view_step *s)
{
    quoted(out, r->view->functions[s->function].name);
}

static void file(FILE *out, const struct report *r, const struct view_step *s)
{
    (void)r;
    quoted(out, is_mark(s) || s->file == NULL ? "" : s->file);
}

static void line(FILE *out, const struct report *r, const struct view_step *s)
{
    (void)r;
    (void)fprintf(out, "%" PRIu32, is_mark(s) ? 0 : s->line);
}

static void image(FILE *out, const struct report *r, const struct view_step *s)
{
    char name[EXPORT_NAME];

    quoted(out, is_mark(s) ? "" : export_image(name, r, s->image));
}

static void build(FILE *out, const struct report *r, const struct view_step *s)
{
    const struct view_image *i = &r->view->images[s->image];
    char hex[2 * GUEST_BUILD_ID_MAX + 1];

    quoted(out, is_mark(s) || i->build_id_len > GUEST_BUILD_ID_MAX
                    ? ""
                    : window_hex(hex, i->build_id, i->build_id_len));
}

/* Innermost first. */
static void write_column(FILE *out, const struct report *r,
                         const struct view_path *path, column *write)
{
    (void)fputs("\t[", out);
    for (size_t i = path->count; i-- > 0;) {
        write(out, r, &path->steps[i]);
        if (i > 0)
            (void)putc(',', out);
    }
    (void)putc(']', out);
}

static void write_stack(struct render *to, const struct report *r,
                        const struct view_path *path)
{
    static column *const columns[] = {function, file, line, image, build};
    struct table *t = to->state;
    uint64_t number = window_stack(r, path);
    uint32_t *seen = map_put(&t->stacks, number, 0);

    to->no_memory |= seen == NULL;
    if (seen == NULL || *seen != MAP_NOTHING)
        return;
    *seen = 0;
    (void)fprintf(t->out, "%" PRIu64, number);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        write_column(t->out, r, path, columns[i]);
    (void)putc('\n', t->out);
}

static void write_stacks(struct render *to, const struct report *r)
{
    if (to->no_memory)
        return;
    for (size_t core = 0; core < r->profile->core_count; core++) {
        struct export_cursor c = {.core = core};

        while (export_next(to, r, &c))
            write_stack(to, r, &c.path);
    }
}

static void lay_stack(FILE *out, const struct report *r,
                      const struct view_path *path)
{
    (void)fprintf(out, "%" PRIu64, window_stack(r, path));
}

/* What is the same in all rows of a window, behind those that are not. */
static void write_rest(FILE *out, const struct report *r,
                       const struct window *w)
{
    const struct origin *o = r->origin;
    char hex[2 * GUEST_BUILD_ID_MAX + 1];

    (void)putc('\t', out);
    escaped(out, o->guest);
    (void)putc('\t', out);
    escaped(out, o->host);
    (void)fprintf(out, "\t%s\t[",
                  window_hex(hex, w->build_id, w->build_id_len));
    for (unsigned i = 0; i < o->label_count; i++) {
        (void)fputs(i > 0 ? "," : "", out);
        quoted(out, o->labels[i].key);
    }
    (void)fputs("]\t[", out);
    for (unsigned i = 0; i < o->label_count; i++) {
        (void)fputs(i > 0 ? "," : "", out);
        quoted(out, o->labels[i].value);
    }
    (void)fprintf(out, "]\t%s\n", window_hex(hex, w->id, sizeof w->id));
}

static void write_core(struct render *to, const struct report *r, size_t core,
                       const struct window *w)
{
    struct table *t = to->state;
    struct export_laid stacks;
    struct export_rows rows;

    export_laid_init(&stacks, to, r, core, lay_stack);
    export_rows_init(&rows, to, r, core);
    while (!to->no_memory && export_rows_next(&rows)) {
        uint64_t ns = w->from_ns + rows.ns;
        size_t size;
        const char *stack = export_laid_of(&stacks, rows.entry, &size);

        /* seconds of less than five digits would be taken for a year */
        (void)fprintf(t->out,
                      "%010" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%.*s\t%" PRIu64
                      "\t%" PRIu64 "\t%" PRIu64,
                      ns / NS_PER_S, ns % NS_PER_S,
                      r->profile->cores[core].core, (int)size, stack,
                      rows.count, rows.length_ns, t->row++);
        write_rest(t->out, r, w);
    }
    export_rows_fini(&rows);
    export_laid_fini(&stacks);
}

static void write_samples(struct render *to, const struct report *r)
{
    struct window w;

    if (to->no_memory)
        return;
    window_of(&w, r);
    for (size_t core = 0; core < r->profile->core_count; core++)
        write_core(to, r, core, &w);
}

const struct render_ops render_clickhouse_stacks = {
    .name = "clickhouse-stacks",
    .suffix = "stacks.tsv.gz",
    .begin = begin,
    .write = write_stacks,
    .end = end,
};

const struct render_ops render_clickhouse_samples = {
    .name = "clickhouse-samples",
    .suffix = "samples.tsv.gz",
    .begin = begin,
    .write = write_samples,
    .end = end,
};

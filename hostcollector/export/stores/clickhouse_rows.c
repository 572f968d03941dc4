/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows for the two tables of fleet/push/receivers/clickhouse.sql. */
#include "export/stores/store_formats.h"

#include <inttypes.h>
#include <stdio_ext.h>
#include <stdlib.h>

#include "export/export.h"
#include "export/export_rows.h"
#include "export/stores/report_window.h"
#include "export/stores/stack_numbers.h"
#include "model/origin.h"
#include "report/gzip.h"
#include "report/name.h"
#include "util/pair_map.h"
#include "util/text.h"

#define NS_PER_S 1000000000u

struct table {
    struct gzip *gzip;
    FILE *out;              /* into (gzip) */
    struct pair_map stacks; /* stacks that are written */
    uint64_t row;
};

static ssize_t compress(void *gzip, const char *bytes, size_t size)
{
    gzip_write(gzip, bytes, size);
    return (ssize_t)size;
}

/* Open a table that is written to (to). Close it in either case. Returns false
 * if there is no memory. */
static bool open_table(struct table *t, struct render *to)
{
    static const cookie_io_functions_t into_gzip = {.write = compress};

    *t = (struct table){.gzip = gzip_new(to->out)};
    if (t->gzip != NULL)
        t->out = fopencookie(t->gzip, "w", into_gzip);
    if (t->out != NULL) /* only this thread writes: no locks */
        (void)__fsetlocking(t->out, FSETLOCKING_BYCALLER);
    to->no_memory |= t->out == NULL;
    return t->out != NULL;
}

static void close_table(struct table *t, struct render *to)
{
    if (t->out != NULL)
        to->no_memory |= fclose(t->out) != 0;
    if (t->gzip != NULL)
        gzip_end(t->gzip);
    map_fini(&t->stacks);
}

static void cell(FILE *out, uint64_t number)
{
    (void)putc_unlocked('\t', out);
    text_decimal(out, number, 0);
}

/* Write (text) with the escapes of TabSeparated. */
static void escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\\' || *text == '\'')
            (void)putc_unlocked('\\', out);
        if (*text == '\t' || *text == '\n')
            (void)fputs(*text == '\t' ? "\\t" : "\\n", out);
        else
            (void)putc_unlocked(*text, out);
    }
}

static void quoted(FILE *out, const char *text)
{
    (void)putc_unlocked('\'', out);
    escaped(out, text);
    (void)putc_unlocked('\'', out);
}

/* Writes a step's element of an array column. */
typedef void column_writer(FILE *out, const struct report *r,
                           const struct view_step *step);

static bool is_mark(const struct view_step *s)
{
    return s->function < VIEW_MARKS;
}

static void put_function(FILE *out, const struct report *r,
                         const struct view_step *s)
{
    quoted(out, r->view->functions[s->function].name);
}

static void put_file(FILE *out, const struct report *r,
                     const struct view_step *s)
{
    (void)r;
    quoted(out, is_mark(s) || s->file == NULL ? "" : s->file);
}

static void put_line(FILE *out, const struct report *r,
                     const struct view_step *s)
{
    (void)r;
    text_decimal(out, is_mark(s) ? 0 : s->line, 0);
}

static void put_image(FILE *out, const struct report *r,
                      const struct view_step *s)
{
    char name[NAME_PLAIN];

    quoted(out, is_mark(s) ? "" : name_of_view_image(name, r, s->image));
}

static void put_build(FILE *out, const struct report *r,
                      const struct view_step *s)
{
    const struct view_image *i = &r->view->images[s->image];
    char hex[2 * GUEST_BUILD_ID_MAX + 1];

    quoted(out, is_mark(s) || i->build_id_len > GUEST_BUILD_ID_MAX
                    ? ""
                    : window_hex(hex, i->build_id, i->build_id_len));
}

/* Write an array column, innermost step first. */
static void write_column(FILE *out, const struct report *r,
                         const struct view_path *path, column_writer *write)
{
    (void)fputs("\t[", out);
    for (size_t i = path->count; i-- > 0;) {
        write(out, r, &path->steps[i]);
        if (i > 0)
            (void)putc_unlocked(',', out);
    }
    (void)putc_unlocked(']', out);
}

static void write_stack(struct table *t, struct render *to,
                        const struct report *r, const struct view_path *path,
                        uint64_t number)
{
    static column_writer *const columns[] = {put_function, put_file, put_line,
                                             put_image, put_build};
    uint32_t *seen = map_put(&t->stacks, number, 0);

    to->no_memory |= seen == NULL;
    if (seen == NULL || *seen != MAP_NOTHING)
        return;
    *seen = 0;
    text_decimal(t->out, number, 0);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        write_column(t->out, r, path, columns[i]);
    (void)putc_unlocked('\n', t->out);
}

static void write_stacks(struct render *to, const struct report *r)
{
    struct table t;
    bool open = open_table(&t, to);

    for (size_t core = 0; open && core < r->profile->core_count; core++) {
        const uint64_t *numbers = stack_numbers_of(to, r, core);
        struct export_cursor c = {.core = core};

        while (!to->no_memory && export_next(to, r, &c))
            write_stack(&t, to, r, &c.path, numbers[c.entry]);
    }
    close_table(&t, to);
}

/* The end of each row of a window, written once. */
struct rest_text {
    char *text;
    size_t size;
};

static void write_rest(FILE *out, const struct report *r,
                       const struct window *w)
{
    const struct origin *o = r->origin;
    char hex[2 * GUEST_BUILD_ID_MAX + 1];

    (void)putc_unlocked('\t', out);
    escaped(out, o->guest);
    (void)putc_unlocked('\t', out);
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

static void lay_rest(struct rest_text *rest, struct render *to,
                     const struct report *r, const struct window *w)
{
    FILE *out = open_memstream(&rest->text, &rest->size);

    to->no_memory |= out == NULL;
    if (out == NULL)
        return;
    write_rest(out, r, w);
    to->no_memory |= fclose(out) != 0;
}

static void write_core(struct table *t, struct render *to,
                       const struct report *r, size_t core, uint64_t from_ns,
                       const struct rest_text *rest)
{
    const uint64_t *stacks = stack_numbers_of(to, r, core);
    struct export_rows rows;

    export_rows_init(&rows, to, r, core);
    while (!to->no_memory && export_rows_next(&rows)) {
        uint64_t ns = from_ns + rows.ns;

        /* a number of less than five digits would be read as a year */
        (void)fprintf(t->out, "%010" PRIu64, ns / NS_PER_S);
        cell(t->out, ns % NS_PER_S);
        cell(t->out, r->profile->cores[core].core);
        cell(t->out, stacks[rows.entry]);
        cell(t->out, rows.count);
        cell(t->out, rows.length_ns);
        cell(t->out, t->row++);
        (void)fwrite(rest->text, 1, rest->size, t->out);
    }
    export_rows_fini(&rows);
}

static void write_samples(struct render *to, const struct report *r)
{
    struct window w;
    struct rest_text rest = {NULL, 0};
    struct table t;
    bool open = open_table(&t, to);

    window_of(&w, r);
    lay_rest(&rest, to, r, &w);
    for (size_t core = 0; open && core < r->profile->core_count; core++)
        write_core(&t, to, r, core, w.from_ns, &rest);
    free(rest.text);
    close_table(&t, to);
}

const struct render_ops render_clickhouse_stacks = {
    .name = "clickhouse-stacks",
    .suffix = "stacks.tsv.gz",
    .write = write_stacks,
};

const struct render_ops render_clickhouse_samples = {
    .name = "clickhouse-samples",
    .suffix = "samples.tsv.gz",
    .write = write_samples,
};

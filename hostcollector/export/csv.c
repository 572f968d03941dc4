/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of functions as one table for spreadsheets (RFC 4180). */
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <string.h>

#include "diagnose/share.h"

/*
 * Format: one table for all cores, whose (core) is "all", and one for each
 * core. Before a core's functions are rows [busy] and [idle], with shares of
 * all its time. Shares of functions are shares of its busy time.
 */

static void begin(struct render *to)
{
    (void)fputs("guest,core,function,file,line,image,base,"
                "self,self_low,self_high,self_samples,self_seconds,"
                "total,total_low,total_high,total_samples,total_seconds\r\n",
                to->out);
}

/* Write a text so that no spreadsheet takes it for a formula. */
static void write_text(FILE *out, const char *s)
{
    bool formula = *s != '\0' && strchr("=+-@", *s) != NULL;

    (void)fputs(formula ? "\"'" : "\"", out);
    for (; *s != '\0'; s++) {
        if (*s == '"')
            (void)putc('"', out);
        (void)putc(*s, out);
    }
    (void)putc('"', out);
}

static void write_amount(FILE *out, const struct profile *p,
                         const struct amount *a, const struct amount *whole)
{
    struct share share = share_of(a, whole);

    (void)fprintf(out, ",%.9g,%.9g,%.9g,%" PRIu64 ",", share.p, share.low,
                  share.high, a->samples);
    if (p->tsc_hz != 0)
        (void)fprintf(out, "%.15g", a->time / (double)p->tsc_hz);
}

/* Write guest and core, the first columns of each row. */
static void write_where(FILE *out, const struct report *r,
                        const struct view_scope *scope)
{
    char name[NAME_PLAIN];

    write_text(out, name_of_guest(name, r));
    if (scope->core == VIEW_ALL_CORES)
        (void)fputs(",all,", out);
    else
        (void)fprintf(out, ",%" PRIu32 ",", scope->core);
}

static void write_part(FILE *out, const struct report *r,
                       const struct view_scope *scope, const char *name,
                       const struct amount *a)
{
    write_where(out, r, scope);
    (void)fprintf(out, "%s,,,,all", name);
    write_amount(out, r->profile, a, &scope->all);
    write_amount(out, r->profile, a, &scope->all);
    (void)fputs("\r\n", out);
}

static void write_row(FILE *out, const struct report *r,
                      const struct view_scope *scope,
                      const struct view_row *row)
{
    const struct view_function *f = &r->view->functions[row->function];
    char image[NAME_PLAIN];

    write_where(out, r, scope);
    write_text(out, f->name);
    (void)putc(',', out);
    if (f->file != NULL)
        write_text(out, f->file);
    (void)putc(',', out);
    if (f->file != NULL)
        (void)fprintf(out, "%" PRIu32, f->line);
    (void)putc(',', out);
    if (row->function >= VIEW_MARKS)
        write_text(out, name_of_view_image(image, r, f->image));
    (void)fputs(",busy", out);
    write_amount(out, r->profile, &row->self, &scope->busy);
    write_amount(out, r->profile, &row->total, &scope->busy);
    (void)fputs("\r\n", out);
}

static void write_scope(FILE *out, const struct report *r,
                        const struct view_scope *scope)
{
    write_part(out, r, scope, "[busy]", &scope->busy);
    write_part(out, r, scope, "[idle]", &scope->idle);
    for (size_t i = 0; i < scope->row_count; i++)
        write_row(out, r, scope, &scope->rows[i]);
}

static void write_csv(struct render *to, const struct report *r)
{
    write_scope(to->out, r, &r->view->total);
    for (size_t i = 0; i < r->view->core_count; i++)
        if (r->view->cores[i].all.samples != 0)
            write_scope(to->out, r, &r->view->cores[i]);
}

const struct render_ops render_csv = {
    .name = "csv",
    .suffix = "csv",
    .begin = begin,
    .write = write_csv,
};

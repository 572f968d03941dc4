/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands write, in one form a run, as played.h has it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "played_world.h"
#include "report/html/html_page.h"
#include "report/render.h"
#include "session/sampling.h"
#include "shown.h"

FILE *played_errors;
bool played_same;

static struct {
    unsigned form; /* of the report: enum form */
    unsigned file; /* for FORM_FILE: of files[] */
    bool plain;    /* no word of a guest can be taken for a figure */
    FILE *shown;
    char *errors_text, *shown_text;
    size_t errors_size, shown_size;
} outputs;

enum form { /* any other one is a plain report */
            FORM_FOLDED = 1,
            FORM_FILE,
            FORM_DETAILS = 4,
            FORM_RECORDED,
            FORM_OF_ALL,
            FORM_FUNCTION
};

/* The formats that are not for eyes, and the one sequence of characters that
 * each may have besides those that are. */
static const struct file {
    const struct render_ops *format;
    enum { BYTES, TEXT, JSON, CSV, PAGE, XML } is;
    const char *also;
} files[] = {
    {&render_json, JSON, NULL},         {&render_csv, CSV, "\r\n"},
    {&render_pprof, BYTES, NULL},       {&render_firefox, JSON, NULL},
    {&render_speedscope, JSON, NULL},   {&render_callgrind, TEXT, NULL},
    {&render_perfscript, TEXT, "\n\t"}, {&render_perfdata, BYTES, NULL},
    {&render_perfetto, BYTES, NULL},    {&render_html, PAGE, NULL},
    {&render_svg, XML, NULL},           {&render_markdown, TEXT, NULL},
    {&render_waits, TEXT, NULL},
};

int __wrap_outputs_claim(struct outputs *out, struct err *e);
int __wrap_outputs_claim(struct outputs *out, struct err *e)
{
    (void)out;
    (void)e;
    return 0;
}

int __wrap_outputs_open(struct outputs *out, struct err *e);
int __wrap_outputs_open(struct outputs *out, struct err *e)
{
    (void)out;
    (void)e;
    return 0;
}

int __wrap_outputs_close(struct outputs *out, bool keep, struct err *e);
int __wrap_outputs_close(struct outputs *out, bool keep, struct err *e)
{
    (void)out;
    (void)keep;
    (void)e;
    return 0;
}

/* What was written since the last call, ended by a NUL that is not counted. */
static size_t written(FILE *file)
{
    long size = ftell(file);

    (void)putc('\0', file);
    if (size < 0 || fflush(file) != 0 || fseek(file, 0, SEEK_SET) != 0)
        abort();
    return (size_t)size;
}

static void check_text(void)
{
    size_t size = written(outputs.shown);

    shown_is_harmless(outputs.shown_text, size, NULL);
    if (outputs.plain)
        shown_has_sense(outputs.shown_text, size);
}

static void write_text(const struct report *r)
{
    const struct profile *p = r->profile;
    unsigned form = outputs.form;
    struct report own = *r;

    own.details = form == FORM_DETAILS || form == FORM_RECORDED;
    own.idle = form == FORM_RECORDED || form == FORM_OF_ALL;
    own.of_all = own.inverted = form == FORM_OF_ALL;
    own.columns = form == FORM_FUNCTION ? 200 : 0;
    own.function = form == FORM_FUNCTION ? "e" : NULL;
    own.recording = form == FORM_RECORDED ? "r.tprof" : NULL;
    outputs.plain &= !shown_is_figure(p->guest.agent_version);
    for (size_t i = 0; i < p->map_count; i++)
        outputs.plain &= !shown_is_figure(p->maps[i].name);
    render_txt.write(&(struct render){.out = outputs.shown}, &own);
    check_text();
}

static void write_folded(const struct report *r)
{
    render_folded.write(&(struct render){.out = outputs.shown}, r);
    size_t size = written(outputs.shown);

    shown_is_harmless(outputs.shown_text, size, NULL);
    shown_is_folded(outputs.shown_text, size);
}

/* The long page that all reports share is looked at once. */
static void check_page(size_t size)
{
    static bool seen;
    size_t same = seen ? html_page_size : 0;

    if (size < html_page_size ||
        memcmp(outputs.shown_text, html_page, html_page_size) != 0)
        abort();
    shown_is_harmless(outputs.shown_text + same, size - same, NULL);
    seen = true;
}

static void check_file(const struct file *f)
{
    size_t size = written(outputs.shown);

    if (f->is == PAGE)
        check_page(size);
    else if (f->is != BYTES)
        shown_is_harmless(outputs.shown_text, size, f->also);
    if (f->is == JSON)
        shown_is_json(outputs.shown_text, size);
    if (f->is == CSV)
        shown_is_csv(outputs.shown_text, size);
    if (f->is == XML)
        shown_is_xml(outputs.shown_text, size);
}

/* Write (r), or if that is NULL (o). */
static void write_file(const struct file *f, const struct report *r,
                       const struct overall *o)
{
    struct render to = {.out = outputs.shown};

    if (f->format->begin != NULL)
        f->format->begin(&to);
    if (r != NULL)
        f->format->write(&to, r);
    else
        f->format->overall(&to, o);
    if (f->format->end != NULL)
        f->format->end(&to);
    check_file(f);
}

int __wrap_outputs_write(struct outputs *out, const struct report *r,
                         struct err *e);
int __wrap_outputs_write(struct outputs *out, const struct report *r,
                         struct err *e)
{
    (void)out;
    (void)e;
    if (outputs.form == FORM_FOLDED)
        write_folded(r);
    else if (outputs.form == FORM_FILE)
        write_file(&files[outputs.file], r, NULL);
    else
        write_text(r);
    return 0;
}

int __wrap_outputs_overall(struct outputs *out, const struct overall *o,
                           struct err *e);
int __wrap_outputs_overall(struct outputs *out, const struct overall *o,
                           struct err *e)
{
    struct overall own = *o;

    (void)out;
    (void)e;
    own.look = &(const struct report){.columns = 80};
    if (outputs.form == FORM_FILE &&
        files[outputs.file].format->overall != NULL) {
        write_file(&files[outputs.file], NULL, &own);
        return 0;
    }
    render_txt.overall(&(struct render){.out = outputs.shown}, &own);
    check_text();
    return 0;
}

static void check_words(void)
{
    size_t size = written(outputs.shown);

    shown_is_harmless(outputs.shown_text, size, NULL);
}

int __wrap_outputs_write_by(struct outputs *out, outputs_writer write,
                            const void *what, struct err *e);
int __wrap_outputs_write_by(struct outputs *out, outputs_writer write,
                            const void *what, struct err *e)
{
    const struct diff *d = what;
    const char *format = out->list[0].format->name;

    (void)e;
    if (played_same && d->result.changed != 0)
        abort();
    out->list[0].to.out = outputs.shown;
    write(&out->list[0], &(struct report){.columns = 0}, what);
    out->list[0].to.out = NULL;
    if (strcmp(format, "html") == 0)
        check_file(&(struct file){.is = PAGE});
    else if (strcmp(format, "json") == 0)
        check_file(&(struct file){.is = JSON});
    else
        check_words();
    return 0;
}

/* --- A run ---------------------------------------------------------------- */

static FILE *open_text(char **text, size_t *size)
{
    FILE *file = open_memstream(text, size);

    if (file == NULL)
        abort();
    (void)__fsetlocking(file, FSETLOCKING_BYCALLER);
    return file;
}

void played_outputs_begin(unsigned form, unsigned file)
{
    outputs.form = form;
    outputs.file = file % (sizeof files / sizeof files[0]);
    outputs.plain = true;
    if (outputs.shown != NULL)
        return;
    outputs.shown = open_text(&outputs.shown_text, &outputs.shown_size);
    played_errors = open_text(&outputs.errors_text, &outputs.errors_size);
}

void played_outputs_end(void)
{
    size_t size = written(played_errors);

    shown_is_harmless(outputs.errors_text, size,
                      played_terminal ? "\r\033[K" : NULL);
}

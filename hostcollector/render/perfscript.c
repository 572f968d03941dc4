/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `perf script` prints, a paragraph for each sample: read by FlameGraph's
 * stackcollapse-perf.pl, inferno, speedscope and the Firefox Profiler.
 *
 * A guest is a process, a core is a thread; the number before the event is the
 * time in nanoseconds that the sample stands for. Marks have no address.
 */
#include "render/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/export.h"
#include "render/export_rows.h"
#include "util/text.h"

#define NS_DIGITS 9 /* of a second */

/* The callers of each entry, as text. */
struct stacks {
    char *text;
    size_t size;
    size_t *ends; /* by entry */
};

static void begin(struct render *to)
{
    to->state = calloc(1, sizeof(uint32_t)); /* for export_pid() */
    to->no_memory = to->state == NULL;
}

static void end(struct render *to)
{
    free(to->state);
}

/* Readers cut "+0x10" from a name's end, which they take for an offset: a name
 * that ends so gets another one. */
static void write_step(FILE *out, const struct report *r,
                       const struct view_step *step)
{
    const struct view_function *f = &r->view->functions[step->function];
    const struct view_image *image = &r->view->images[step->image];
    char name[EXPORT_NAME];

    if (step->function < VIEW_MARKS) {
        (void)fprintf(out, "\t%16x %s (%s)\n", 0u, f->name, f->name);
        return;
    }
    (void)putc('\t', out);
    text_hex(out, step->address + image->slide);
    (void)putc(' ', out);
    (void)fputs(f->name, out);
    if (f->nameless && strstr(f->name, "+0x") != NULL)
        (void)fputs("+0x0", out);
    (void)fputs(" (", out);
    (void)fputs(step->inlined ? "inlined" : export_image(name, r, step->image),
                out);
    (void)fputs(")\n", out);
}

/* All stacks of a core. */
static void lay_stacks(struct stacks *s, struct render *to,
                       const struct report *r, size_t core)
{
    struct export_cursor c = {.core = core};
    FILE *out = open_memstream(&s->text, &s->size);

    s->ends = calloc(r->profile->cores[core].entry_count + 2, sizeof *s->ends);
    to->no_memory |= out == NULL || s->ends == NULL;
    while (!to->no_memory && export_next(to, r, &c)) {
        for (size_t i = c.path.count; i-- > 0;)
            write_step(out, r, &c.path.steps[i]);
        s->ends[c.entry + 1] = (size_t)ftell(out);
    }
    if (out != NULL)
        to->no_memory |= fclose(out) != 0;
}

/* Where entry (i) begins: behind the last that had samples. */
static void close_gaps(struct stacks *s, size_t count)
{
    for (size_t i = 1; i < count + 2; i++)
        if (s->ends[i] == 0)
            s->ends[i] = s->ends[i - 1];
}

static void write_core(struct render *to, const struct report *r, size_t core,
                       uint32_t pid)
{
    struct stacks stacks = {0};
    struct export_rows rows;
    char name[EXPORT_NAME], who[EXPORT_NAME + 64];

    lay_stacks(&stacks, to, r, core);
    export_rows_init(&rows, to, r, core);
    if (!to->no_memory)
        close_gaps(&stacks, r->profile->cores[core].entry_count);
    (void)snprintf(who, sizeof who,
                   "%s %" PRIu32 "/%" PRIu32 " [%03" PRIu32 "] ",
                   export_core(name, r, core), pid, export_tid(pid, core),
                   r->profile->cores[core].core);
    while (!to->no_memory && export_rows_next(&rows)) {
        size_t from = stacks.ends[rows.entry];

        (void)fputs(who, to->out);
        text_decimal(to->out, rows.ns, NS_DIGITS);
        (void)fputs(": ", to->out);
        text_decimal(to->out, rows.length_ns, 0);
        (void)fputs(" cpu-clock:u: \n", to->out);
        (void)fwrite(stacks.text + from, 1, stacks.ends[rows.entry + 1] - from,
                     to->out);
        (void)putc('\n', to->out);
    }
    export_rows_fini(&rows);
    free(stacks.ends);
    free(stacks.text);
}

static void write_perfscript(struct render *to, const struct report *r)
{
    if (to->no_memory)
        return;
    uint32_t pid = export_pid(to->state, r->profile->core_count);

    for (size_t i = 0; i < r->profile->core_count; i++)
        if (r->profile->cores[i].total.samples != 0)
            write_core(to, r, i, pid);
}

const struct render_ops render_perfscript = {
    .name = "perfscript",
    .suffix = "perf.txt",
    .what = "as perf script prints",
    .begin = begin,
    .write = write_perfscript,
    .end = end,
};

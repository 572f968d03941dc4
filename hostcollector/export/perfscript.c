/* SPDX-License-Identifier: BSD-2-Clause */
/* The output of `perf script`: a paragraph for each sample. */
#include "report/name.h"
#include "report/render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_laid.h"
#include "export/export_rows.h"
#include "util/text.h"
#include "view/view_build.h"

/*
 * Readers are FlameGraph's stackcollapse-perf.pl, inferno, speedscope and the
 * Firefox Profiler. A guest is a process, a core is a thread. The number before
 * the event is the sample's time in nanoseconds. Marks have no address.
 */

#define NS_DIGITS 9 /* of a second */

static void begin(struct render *to)
{
    to->state = calloc(1, sizeof(uint32_t)); /* for export_pid() */
    to->no_memory = to->state == NULL;
}

static void end(struct render *to)
{
    free(to->state);
}

/* Write a step. Readers cut "+0x10" from the end of a name, as if it were an
 * offset, so a name that ends like this gets an offset of its own. */
static void write_step(FILE *out, const struct report *r,
                       const struct view_step *step)
{
    const struct view_function *f = &r->view->functions[step->function];
    const struct view_image *image = &r->view->images[step->image];
    char name[NAME_PLAIN];

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
    (void)fputs(step->inlined ? "inlined"
                              : name_of_view_image(name, r, step->image),
                out);
    (void)fputs(")\n", out);
}

static void lay_stack(FILE *out, const struct render *to,
                      const struct report *r, const struct view_path *path)
{
    (void)to;
    for (size_t i = path->count; i-- > 0;)
        write_step(out, r, &path->steps[i]);
}

/* Write the thread, or else the core, of samples: "Ping 1/4 [000] ". */
static void name_row(char who[NAME_PLAIN + 64], const struct report *r,
                     size_t core, uint32_t pid, uint32_t thread)
{
    const struct profile *p = r->profile;
    char name[NAME_PLAIN];

    (void)snprintf(who, NAME_PLAIN + 64,
                   "%s %" PRIu32 "/%" PRIu32 " [%03" PRIu32 "] ",
                   thread != 0 ? name_of_thread(name, p, thread)
                               : name_of_core(name, r, core),
                   pid, export_tid(pid, export_thread(p, core, thread)),
                   p->cores[core].core);
}

static void write_core(struct render *to, const struct report *r, size_t core,
                       uint32_t pid)
{
    struct export_laid stacks;
    struct export_rows rows;
    char who[NAME_PLAIN + 64];
    uint32_t thread = 0;

    export_laid_init(&stacks, to, r, core, lay_stack);
    export_rows_init(&rows, to, r, core);
    name_row(who, r, core, pid, thread);
    while (!to->no_memory && export_rows_next(&rows)) {
        size_t size;
        const char *stack = export_laid_of(&stacks, rows.entry, &size);
        uint32_t runs = view_thread_of(r->view, core, rows.entry);

        if (runs != thread)
            name_row(who, r, core, pid, runs);
        thread = runs;
        (void)fputs(who, to->out);
        text_decimal(to->out, rows.ns, NS_DIGITS);
        (void)fputs(": ", to->out);
        text_decimal(to->out, rows.length_ns, 0);
        (void)fputs(" cpu-clock:u: \n", to->out);
        (void)fwrite(stack, 1, size, to->out);
        (void)putc('\n', to->out);
    }
    export_rows_fini(&rows);
    export_laid_fini(&stacks);
}

static void write_perfscript(struct render *to, const struct report *r)
{
    if (to->no_memory)
        return;
    uint32_t pid = export_pid(to->state, r->profile->core_count +
                                             r->profile->thread_count);

    for (size_t i = 0; i < r->profile->core_count; i++)
        if (r->profile->cores[i].total.samples != 0)
            write_core(to, r, i, pid);
}

const struct render_ops render_perfscript = {
    .name = "perfscript",
    .suffix = "perf.txt",
    .begin = begin,
    .write = write_perfscript,
    .end = end,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples of a guest by track. */
#include "export/export_tracks.h"

#include <stdlib.h>

#include "report/name.h"
#include "util/vec.h"
#include "view/view_build.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int by_entry(const void *a, const void *b)
{
    const struct export_row *x = a, *y = b;

    return x->core != y->core ? ORDER(x->core, y->core)
                              : ORDER(x->entry, y->entry);
}

static int by_time(const void *a, const void *b)
{
    const struct export_row *x = a, *y = b;

    if (x->track != y->track)
        return ORDER(x->track, y->track);
    if (x->timed != y->timed)
        return x->timed ? -1 : 1;
    return x->timed && x->ns != y->ns ? ORDER(x->ns, y->ns) : by_entry(a, b);
}

/* Add the samples of a core. Returns 0; -1 if there is no memory. */
static int add_core(struct export_tracks *t, struct render *to, size_t core)
{
    const struct report *r = t->report;
    struct export_rows rows;

    export_rows_init(&rows, to, r, core);
    while (!to->no_memory && export_rows_next(&rows)) {
        uint32_t thread = view_thread_of(r->view, core, rows.entry);

        to->no_memory |= vec_grow(&t->rows, &t->row_room, t->row_count,
                                  sizeof *t->rows) != 0;
        if (!to->no_memory)
            t->rows[t->row_count++] = (struct export_row){
                .ns = rows.ns,
                .length_ns = rows.length_ns,
                .core = (uint32_t)core,
                .entry = (uint32_t)rows.entry,
                .track = (uint32_t)export_thread(r->profile, core, thread),
                .timed = rows.timed};
    }
    export_rows_fini(&rows);
    return to->no_memory ? -1 : 0;
}

void export_tracks_init(struct export_tracks *t, struct render *to,
                        const struct report *r)
{
    const struct profile *p = r->profile;

    *t = (struct export_tracks){.report = r,
                                .count = p->core_count + p->thread_count};
    if (p->thread_count == 0)
        return;
    t->ends = calloc(t->count, sizeof *t->ends);
    to->no_memory |= t->ends == NULL;
    for (size_t i = 0; i < p->core_count && !to->no_memory; i++)
        if (p->cores[i].total.samples != 0)
            (void)add_core(t, to, i);
    if (to->no_memory || t->row_count == 0)
        return;
    qsort(t->rows, t->row_count, sizeof *t->rows, by_time);
    for (size_t i = 0; i < t->row_count; i++)
        t->ends[t->rows[i].track] = i + 1;
    for (size_t i = 1; i < t->count; i++)
        if (t->ends[i] == 0)
            t->ends[i] = t->ends[i - 1];
}

void export_tracks_fini(struct export_tracks *t)
{
    free(t->rows);
    free(t->ends);
}

static size_t begin_of(const struct export_tracks *t, size_t track)
{
    return track != 0 ? t->ends[track - 1] : 0;
}

bool export_tracks_has(const struct export_tracks *t, size_t track)
{
    return t->ends != NULL
               ? t->ends[track] > begin_of(t, track)
               : t->report->profile->cores[track].total.samples != 0;
}

void export_tracks_rows(struct export_rows *rows, struct render *to,
                        const struct export_tracks *t, size_t track)
{
    if (t->ends == NULL) {
        export_rows_init(rows, to, t->report, track);
        return;
    }
    *rows = (struct export_rows){.report = t->report,
                                 .list = t->rows + begin_of(t, track),
                                 .list_end = t->rows + t->ends[track]};
}

void export_tracks_unorder(struct export_tracks *t, size_t track)
{
    if (t->ends == NULL)
        return;
    size_t begin = begin_of(t, track);

    for (size_t i = begin; i < t->ends[track]; i++)
        t->rows[i].timed = false;
    qsort(t->rows + begin, t->ends[track] - begin, sizeof *t->rows, by_entry);
}

const char *export_tracks_name(char buf[], const struct export_tracks *t,
                               size_t track)
{
    const struct profile *p = t->report->profile;

    return track < p->core_count
               ? name_of_core(buf, t->report, track)
               : name_of_thread(buf, p, (uint32_t)(track - p->core_count) + 1);
}

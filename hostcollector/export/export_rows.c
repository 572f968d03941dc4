/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples of a core in the order of time. */
#include "export/export_rows.h"

#include <stdlib.h>

#include "export/export.h"

void export_rows_init(struct export_rows *rows, struct render *to,
                      const struct report *r, size_t core)
{
    const struct profile_core *c = &r->profile->cores[core];
    size_t n = c->entry_count;

    *rows = (struct export_rows){.report = r,
                                 .core = c,
                                 .at = core,
                                 .reader = sample_log_read(c),
                                 .time = calloc(n + 1, sizeof(double)),
                                 .samples = calloc(n + 1, sizeof(uint64_t))};
    to->no_memory |= rows->time == NULL || rows->samples == NULL;
    if (to->no_memory)
        return;
    rows->timed = true;
    for (size_t i = 0; i <= n; i++) {
        const struct tally *t = i < n ? &c->entries[i].tally : &c->others;

        rows->time[i] = t->time;
        rows->samples[i] = t->samples;
    }
}

void export_rows_fini(struct export_rows *rows)
{
    free(rows->time);
    free(rows->samples);
}

static bool next_moment(struct export_rows *rows)
{
    const struct profile *p = rows->report->profile;
    struct moment m;

    if (!sample_log_next(&rows->reader, &m))
        return false;
    uint64_t ns = m.ticks > 0 ? export_ns(p, (double)m.ticks) : 0;

    rows->entry = moment_entry(rows->core, &m);
    rows->ns = rows->last_ns = ns > rows->last_ns ? ns : rows->last_ns;
    rows->count = 1;
    rows->length_ns = export_ns(p, m.time);
    rows->time[rows->entry] -= m.time;
    rows->samples[rows->entry] -= rows->samples[rows->entry] != 0;
    return true;
}

static void next_kept(struct export_rows *rows)
{
    const struct export_row *row = rows->list++;

    rows->ns = row->ns;
    rows->length_ns = row->length_ns;
    rows->at = row->core;
    rows->entry = row->entry;
    rows->timed = row->timed;
}

bool export_rows_next(struct export_rows *rows)
{
    if (rows->list != rows->list_end) {
        next_kept(rows);
        return true;
    }
    if (rows->time == NULL || rows->samples == NULL)
        return false;
    rows->timed = rows->timed && next_moment(rows);
    if (rows->timed)
        return true;
    while (rows->next <= rows->core->entry_count &&
           rows->samples[rows->next] == 0)
        rows->next++;
    if (rows->next > rows->core->entry_count)
        return false;
    rows->entry = rows->next++;
    rows->count = rows->samples[rows->entry];
    rows->length_ns = export_ns(rows->report->profile, rows->time[rows->entry]);
    return true;
}

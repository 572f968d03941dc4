/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of each entry of a core, written once as bytes of a format. */
#include "export/export_laid.h"

#include <stdlib.h>

#include "export/export.h"

/* Give each entry without samples the end of the previous entry. */
static void close_gaps(size_t *ends, size_t entries)
{
    for (size_t i = 1; i < entries + 2; i++)
        if (ends[i] == 0)
            ends[i] = ends[i - 1];
}

void export_laid_init(struct export_laid *l, struct render *to,
                      const struct report *r, size_t core, export_lay *lay)
{
    /* one more, for the samples without an entry */
    size_t entries = r->profile->cores[core].entry_count;
    struct export_cursor c = {.core = core};

    *l = (struct export_laid){.ends = calloc(entries + 2, sizeof *l->ends)};
    FILE *out = open_memstream(&l->bytes, &l->size);

    to->no_memory |= out == NULL || l->ends == NULL;
    while (!to->no_memory && export_next(to, r, &c)) {
        lay(out, to, r, &c.path);
        l->ends[c.entry + 1] = (size_t)ftell(out);
    }
    if (out != NULL)
        to->no_memory |= fclose(out) != 0;
    if (l->ends != NULL)
        close_gaps(l->ends, entries);
}

void export_laid_fini(struct export_laid *l)
{
    free(l->ends);
    free(l->bytes);
}

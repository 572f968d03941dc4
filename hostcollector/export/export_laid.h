/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of each entry of a core, written once as bytes of a format. If a
 * format has a row for each sample, it copies these bytes into the row. */
#ifndef TPROF_EXPORT_EXPORT_LAID_H
#define TPROF_EXPORT_EXPORT_LAID_H

#include <stddef.h>
#include <stdio.h>

#include "report/render.h"

struct export_laid {
    char *bytes;
    size_t size;
    size_t *ends; /* by entry + 1: end of its bytes */
};

typedef void export_lay(FILE *out, const struct render *to,
                        const struct report *r, const struct view_path *path);

/*
 * Call (lay) for the path of each entry of profile.cores[core] of (r), and keep
 * the bytes that (lay) writes. If there is no memory, (to->no_memory) is set.
 * Call export_laid_fini() in either case.
 */
void export_laid_init(struct export_laid *l, struct render *to,
                      const struct report *r, size_t core, export_lay *lay);
void export_laid_fini(struct export_laid *l);

/* Returns the bytes of (entry). Stores their number in (*size); 0 if the entry
 * has no samples. */
static inline const char *export_laid_of(const struct export_laid *l,
                                         size_t entry, size_t *size)
{
    *size = l->ends[entry + 1] - l->ends[entry];
    return l->bytes + l->ends[entry];
}

#endif

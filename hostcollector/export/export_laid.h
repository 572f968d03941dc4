/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path of each entry of a core as bytes of a format, laid out once, for
 * formats with a row for each sample: a sample copies what its entry has.
 */
#ifndef TPROF_EXPORT_EXPORT_LAID_H
#define TPROF_EXPORT_EXPORT_LAID_H

#include <stddef.h>
#include <stdio.h>

#include "report/render.h"

struct export_laid {
    char *bytes;
    size_t size;
    size_t *ends; /* by entry + 1: where its bytes end */
};

typedef void export_lay(FILE *out, const struct report *r,
                        const struct view_path *path);

/* Have (lay) write the path of each entry of profile.cores[core] of (r).
 * Without memory (to->no_memory) is set. export_laid_fini() in either case. */
void export_laid_init(struct export_laid *l, struct render *to,
                      const struct report *r, size_t core, export_lay *lay);
void export_laid_fini(struct export_laid *l);

/* What was written for (entry), (*size) bytes; 0 if it has no samples. */
static inline const char *export_laid_of(const struct export_laid *l,
                                         size_t entry, size_t *size)
{
    *size = l->ends[entry + 1] - l->ends[entry];
    return l->bytes + l->ends[entry];
}

#endif

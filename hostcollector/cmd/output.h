/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files a command writes, in which formats. */
#ifndef TPROF_CMD_OUTPUT_H
#define TPROF_CMD_OUTPUT_H

#include <stdbool.h>

#include "cmd/options.h"
#include "render/render.h"
#include "util/err.h"

struct output {
    const char *path; /* "-": standard output */
    const struct render_ops *format;
};

struct outputs {
    const char *recording; /* NULL: none */
    struct output list[OPTIONS_OUTPUTS + 1];
    unsigned count;
};

/*
 * What (o) asks for, in (out). With (table) the report goes to standard output
 * unless something else does.
 *
 * Returns 0; -1 with (e) filled: a usage error.
 */
int outputs_plan(struct outputs *out, const struct options *o, bool table,
                 struct err *e);

/* Write (r) to all of (out) but the recording. Returns 0; -1 with (e). */
int outputs_write(const struct outputs *out, const struct report *r,
                  struct err *e);

#endif

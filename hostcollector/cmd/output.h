/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files a command writes, in which formats. */
#ifndef TPROF_CMD_OUTPUT_H
#define TPROF_CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/options.h"
#include "render/render.h"
#include "util/err.h"

struct output {
    const char *path; /* "-": standard output */
    const struct render_ops *format;
    FILE *file; /* NULL: not open */
};

struct outputs {
    const char *recording; /* NULL: none; with several guests each has one,
                              NAME.GUEST.tprof */
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

/* Begin all files of (out) but the recording. Returns 0; -1 with (e), and none
 * is open. */
int outputs_open(struct outputs *out, struct err *e);

/* Write (r) to all of them, once for each guest. Returns 0; -1 with (e). */
int outputs_write(const struct outputs *out, const struct report *r,
                  struct err *e);

/* Write (o) to those whose format has a place for it. Returns likewise. */
int outputs_overall(const struct outputs *out, const struct overall *o,
                    struct err *e);

/* End them; without any being open it does nothing. Returns likewise. */
int outputs_close(struct outputs *out, struct err *e);

#endif

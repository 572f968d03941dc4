/* SPDX-License-Identifier: BSD-2-Clause */
/* The look of text on its output: width, colour and length. */
#ifndef TPROF_CLI_TEXT_STYLE_H
#define TPROF_CLI_TEXT_STYLE_H

#include "cli/output.h"
#include "report/render.h"

/* Limits of the width: a narrower table would be unreadable, and so would a
 * wider one. */
#define TEXT_STYLE_COLUMNS     80 /* of a file or a pipe */
#define TEXT_STYLE_COLUMNS_MIN 40
#define TEXT_STYLE_COLUMNS_MAX 400

/* Set the members of (r) that (s) chooses for every output. */
void report_from_options(struct report *r, const struct shown *s);

/* Return the columns of text on standard output. */
uint32_t text_style_columns(void);

/* Return (r) with the look of the file (path) of (out). "-" is standard
 * output. */
struct report text_style_for_output(const struct report *r, const char *path,
                                    const struct outputs *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The look of text on its output: width, colour and length. */
#ifndef TPROF_CLI_TEXT_STYLE_H
#define TPROF_CLI_TEXT_STYLE_H

#include "cli/options.h"
#include "report/render.h"

/* Set the members of (r) that (s) chooses for every output. */
void report_from_options(struct report *r, const struct shown *s);

/* Return (r) with the look for standard output or for the file (path). "-" is
 * standard output, which is a terminal if (terminal). */
struct report text_style_for_output(const struct report *r, const char *path,
                                    bool terminal, uint32_t colour);

#endif

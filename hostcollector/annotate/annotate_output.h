/* SPDX-License-Identifier: BSD-2-Clause */
/* An annotation as text and as JSON. */
#ifndef TPROF_ANNOTATE_ANNOTATE_OUTPUT_H
#define TPROF_ANNOTATE_ANNOTATE_OUTPUT_H

#include <stdio.h>

#include "report/render.h"

/* Formats of `collector annotate`: the annotation of a report. */
extern const struct render_ops render_annotate_txt;
extern const struct render_ops render_annotate_json;

/* Write the annotation of (r) as text. */
void annotate_text(FILE *out, const struct report *r);

/* Write (a) as a JSON object. (a) is an annotation of the view of (r). */
void annotate_json(FILE *out, const struct report *r,
                   const struct annotation *a);

#endif

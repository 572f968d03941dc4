/* SPDX-License-Identifier: BSD-2-Clause */
/* An annotation as JSON. */
#ifndef TPROF_ANNOTATE_ANNOTATE_JSON_H
#define TPROF_ANNOTATE_ANNOTATE_JSON_H

#include <stdio.h>

#include "report/render.h"

/* Write (a) as an object. (a) is an annotation of the view of (r). */
void annotate_json(FILE *out, const struct report *r,
                   const struct annotation *a);

#endif

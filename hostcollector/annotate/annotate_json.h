/* SPDX-License-Identifier: BSD-2-Clause */
/* An annotation as JSON. */
#ifndef TPROF_ANNOTATE_ANNOTATE_JSON_H
#define TPROF_ANNOTATE_ANNOTATE_JSON_H

#include <stdio.h>

#include "report/render.h"

/* Write (a), which is of the view of (r), as an object. */
void annotate_json(FILE *out, const struct report *r,
                   const struct annotation *a);

#endif
